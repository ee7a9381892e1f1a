/* The B of Fowlkes & Mallows (1983), A method for comparing two hierarchical clusterings. */
#include "cluster/cluster.h"

#include <math.h>

/* Ordered pairs of distinct leaves that share a cluster: in both clusterings (T), in a (P), in b (Q). */
typedef struct {
    double t, p, q;
} SharedPairs;

static guint greatest_cluster(const guint *clusters, guint n)
{
    guint greatest = 0;
    for (guint i = 0; i < n; i++) {
        greatest = MAX(greatest, clusters[i]);
    }
    return greatest;
}

static double pairs_within(guint size)
{
    return (double)size * ((double)size - 1.0);
}

/* Leaves by cluster; starts[c] .. starts[c + 1] are those of cluster c. */
static guint *group_leaves(const guint *clusters, guint n, guint *starts, guint count)
{
    guint *leaves = g_new(guint, n);
    for (guint i = 0; i < n; i++) {
        starts[clusters[i] + 1]++;
    }
    for (guint c = 0; c < count; c++) {
        starts[c + 1] += starts[c];
    }
    g_autofree guint *next = g_memdup2(starts, (gsize)count * sizeof *starts);
    for (guint i = 0; i < n; i++) {
        leaves[next[clusters[i]]++] = i;
    }
    return leaves;
}

/* O(n + number of clusters): the contingency table is never held whole. */
static SharedPairs count_shared_pairs(const guint *a, const guint *b, guint n)
{
    SharedPairs pairs = {0.0, 0.0, 0.0};
    guint count_a = greatest_cluster(a, n) + 1;
    guint count_b = greatest_cluster(b, n) + 1;
    g_autofree guint *starts = g_new0(guint, (gsize)count_a + 1);
    g_autofree guint *leaves = group_leaves(a, n, starts, count_a);
    g_autofree guint *common = g_new0(guint, count_b); /* with each cluster of b, of the cluster of a at hand */
    g_autofree guint *sizes_b = g_new0(guint, count_b);

    for (guint c = 0; c < count_a; c++) {
        pairs.p += pairs_within(starts[c + 1] - starts[c]);
        for (guint i = starts[c]; i < starts[c + 1]; i++) {
            /* The m-th common leaf makes 2(m - 1) new ordered pairs. */
            pairs.t += 2.0 * common[b[leaves[i]]]++;
        }
        for (guint i = starts[c]; i < starts[c + 1]; i++) {
            common[b[leaves[i]]] = 0;
        }
    }
    for (guint i = 0; i < n; i++) {
        sizes_b[b[i]]++;
    }
    for (guint c = 0; c < count_b; c++) {
        pairs.q += pairs_within(sizes_b[c]);
    }
    return pairs;
}

/* Without pairs in one clustering, the other agrees only if it has none either; no shuffling changes that. */
static gboolean lacks_pairs(SharedPairs pairs, double *value)
{
    if (pairs.p > 0.0 && pairs.q > 0.0) {
        return FALSE;
    }
    *value = pairs.p > 0.0 || pairs.q > 0.0 ? 0.0 : 1.0;
    return TRUE;
}

static double agreement(SharedPairs pairs)
{
    double value = 0.0;
    if (lacks_pairs(pairs, &value)) {
        return value;
    }
    return pairs.t / sqrt(pairs.p * pairs.q);
}

static double expected_agreement(SharedPairs pairs, guint n)
{
    double value = 0.0;
    if (lacks_pairs(pairs, &value)) {
        return value;
    }
    return sqrt(pairs.p * pairs.q) / pairs_within(n);
}

double dt_fowlkes_mallows(const guint *a, const guint *b, guint n)
{
    return agreement(count_shared_pairs(a, b, n));
}

double dt_fowlkes_mallows_expected(const guint *a, const guint *b, guint n)
{
    return expected_agreement(count_shared_pairs(a, b, n), n);
}

gboolean dt_bscore(const DtDendrogram *a, const DtDendrogram *b, double *score, double *curve, double *expected)
{
    g_return_val_if_fail(a->leaves == b->leaves, FALSE);
    guint n = a->leaves;
    double sum = 0.0;

    for (guint k = 0; k < n; k++) {
        double agreed = 0.0;
        double by_chance = 0.0;
        if (k >= 2) {
            g_autofree guint *clusters_a = dt_clusters_by_merges(a, k);
            g_autofree guint *clusters_b = dt_clusters_by_merges(b, k);
            SharedPairs pairs = count_shared_pairs(clusters_a, clusters_b, n);
            agreed = agreement(pairs);
            by_chance = expected_agreement(pairs, n);
        }
        sum += agreed;
        if (curve != NULL) {
            curve[k] = agreed;
        }
        if (expected != NULL) {
            expected[k] = by_chance;
        }
    }
    if (n <= 2) {
        return FALSE;
    }
    *score = sum / (n - 2);
    return TRUE;
}
