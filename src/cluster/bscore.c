/* The B of Fowlkes & Mallows (1983), A method for comparing two hierarchical clusterings. */
#include "cluster/shared_pairs.h"

#include <math.h>

static guint greatest_cluster(const guint *clusters, guint n)
{
    guint greatest = 0;
    for (guint i = 0; i < n; i++) {
        greatest = MAX(greatest, clusters[i]);
    }
    return greatest;
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
static DtSharedPairs count_shared_pairs(const guint *a, const guint *b, guint n)
{
    DtSharedPairs pairs = {0.0, 0.0, 0.0};
    guint count_a = greatest_cluster(a, n) + 1;
    guint count_b = greatest_cluster(b, n) + 1;
    g_autofree guint *starts = g_new0(guint, (gsize)count_a + 1);
    g_autofree guint *leaves = group_leaves(a, n, starts, count_a);
    g_autofree guint *common = g_new0(guint, count_b); /* with each cluster of b, of the cluster of a at hand */
    g_autofree guint *sizes_b = g_new0(guint, count_b);

    for (guint c = 0; c < count_a; c++) {
        pairs.p += dt_pairs_within(starts[c + 1] - starts[c]);
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
        pairs.q += dt_pairs_within(sizes_b[c]);
    }
    return pairs;
}

/* Without pairs in one clustering, the other agrees only if it has none either; no shuffling changes that. */
static gboolean lacks_pairs(DtSharedPairs pairs, double *value)
{
    if (pairs.p > 0.0 && pairs.q > 0.0) {
        return FALSE;
    }
    *value = pairs.p > 0.0 || pairs.q > 0.0 ? 0.0 : 1.0;
    return TRUE;
}

double dt_agreement(DtSharedPairs pairs)
{
    double value = 0.0;
    if (lacks_pairs(pairs, &value)) {
        return value;
    }
    return pairs.t / sqrt(pairs.p * pairs.q);
}

double dt_expected_agreement(DtSharedPairs pairs, guint n)
{
    double value = 0.0;
    if (lacks_pairs(pairs, &value)) {
        return value;
    }
    return sqrt(pairs.p * pairs.q) / dt_pairs_within(n);
}

double dt_fowlkes_mallows(const guint *a, const guint *b, guint n)
{
    return dt_agreement(count_shared_pairs(a, b, n));
}

double dt_fowlkes_mallows_expected(const guint *a, const guint *b, guint n)
{
    return dt_expected_agreement(count_shared_pairs(a, b, n), n);
}
