/* B of Fowlkes & Mallows against pairs counted one by one, and its expectation against shuffles. */
#include <math.h>

#include "cluster/cluster.h"

enum { SEED = 37 };

static guint *random_clusters(GRand *random, guint n, guint greatest)
{
    guint *clusters = g_new(guint, n);
    for (guint i = 0; i < n; i++) {
        clusters[i] = 1 + (guint)g_rand_int_range(random, 0, (gint32)greatest);
    }
    return clusters;
}

/* Pairs of leaves together in both clusterings, in a and in b. */
static void count_pairs(const guint *a, const guint *b, guint n, guint64 *both, guint64 *in_a, guint64 *in_b)
{
    *both = *in_a = *in_b = 0;
    for (guint i = 0; i < n; i++) {
        for (guint j = i + 1; j < n; j++) {
            *both += a[i] == a[j] && b[i] == b[j];
            *in_a += a[i] == a[j];
            *in_b += b[i] == b[j];
        }
    }
}

static double counted_b(const guint *a, const guint *b, guint n)
{
    guint64 both, in_a, in_b;
    count_pairs(a, b, n, &both, &in_a, &in_b);
    if (in_a == 0 || in_b == 0) {
        return in_a == in_b ? 1.0 : 0.0;
    }
    return (double)both / sqrt((double)in_a * (double)in_b);
}

static double formula_of_expectation(const guint *a, const guint *b, guint n)
{
    guint64 both, in_a, in_b;
    count_pairs(a, b, n, &both, &in_a, &in_b);
    if (in_a == 0 || in_b == 0) {
        return in_a == in_b ? 1.0 : 0.0;
    }
    double p = 2.0 * (double)in_a;
    double q = 2.0 * (double)in_b;
    return sqrt(p * q) / ((double)n * ((double)n - 1.0));
}

static void test_pairs(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(SEED);
    g_test_message("seed %d", SEED);
    for (guint round = 0; round < 3000; round++) {
        guint n = (guint)g_rand_int_range(random, 1, 30);
        g_autofree guint *a = random_clusters(random, n, (guint)g_rand_int_range(random, 1, 40));
        g_autofree guint *b = random_clusters(random, n, (guint)g_rand_int_range(random, 1, 40));
        double value = dt_fowlkes_mallows(a, b, n);
        g_assert_cmpfloat_with_epsilon(value, counted_b(a, b, n), 1e-12);
        g_assert_cmpfloat_with_epsilon(dt_fowlkes_mallows_expected(a, b, n), formula_of_expectation(a, b, n), 1e-12);
        g_assert_cmpfloat(value, >=, 0.0);
        g_assert_cmpfloat(value, <=, 1.0);
        g_assert_cmpfloat(dt_fowlkes_mallows(b, a, n), ==, value);
        g_assert_cmpfloat(dt_fowlkes_mallows(a, a, n), ==, 1.0);
    }
}

/* The mean of B over all orders of b's labels is its expectation. */
static void test_expectation_by_permutations(void)
{
    enum { N = 6, PERMUTATIONS = 720 };
    const guint a[N] = {1, 1, 1, 2, 2, 3};
    const guint labels[N] = {1, 1, 2, 2, 2, 2};
    double sum = 0.0;
    for (guint code = 0; code < PERMUTATIONS; code++) {
        guint left[N], b[N];
        guint rest = code;
        memcpy(left, labels, sizeof left);
        for (guint i = 0; i < N; i++) {
            guint pick = rest % (N - i);
            rest /= N - i;
            b[i] = left[pick];
            left[pick] = left[N - i - 1];
        }
        sum += dt_fowlkes_mallows(a, b, N);
    }
    g_assert_cmpfloat_with_epsilon(sum / PERMUTATIONS, dt_fowlkes_mallows_expected(a, labels, N), 1e-12);
}

static void test_conventions(void)
{
    const guint singles[] = {1, 2, 3, 4};
    const guint other_singles[] = {4, 2, 1, 3};
    const guint together[] = {1, 1, 1, 1};
    g_assert_cmpfloat(dt_fowlkes_mallows(singles, other_singles, 4), ==, 1.0);
    g_assert_cmpfloat(dt_fowlkes_mallows(singles, together, 4), ==, 0.0);
    g_assert_cmpfloat(dt_fowlkes_mallows(together, singles, 4), ==, 0.0);
    g_assert_cmpfloat(dt_fowlkes_mallows(together, together, 4), ==, 1.0);
    g_assert_cmpfloat(dt_fowlkes_mallows_expected(singles, other_singles, 4), ==, 1.0);
    g_assert_cmpfloat(dt_fowlkes_mallows_expected(singles, together, 4), ==, 0.0);
    g_assert_cmpfloat(dt_fowlkes_mallows(singles, singles, 1), ==, 1.0);
    g_assert_cmpfloat(dt_fowlkes_mallows(singles, singles, 0), ==, 1.0);
}

static DtDendrogram *random_dendrogram(GRand *random, guint n)
{
    g_autoptr(DtMatrix) distances = dt_matrix_new(n);
    for (guint i = 0; i < n; i++) {
        for (guint j = i + 1; j < n; j++) {
            double distance = g_rand_int_range(random, 0, 6);
            distances->values[i * n + j] = distance;
            distances->values[j * n + i] = distance;
        }
    }
    return dt_dendrogram_new(distances, (DtLinkage)g_rand_int_range(random, 0, DT_LINKAGES));
}

static void test_score(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(SEED + 1);
    g_test_message("seed %d", SEED + 1);
    for (guint round = 0; round < 200; round++) {
        guint n = (guint)g_rand_int_range(random, 1, 25);
        g_autoptr(DtDendrogram) a = random_dendrogram(random, n);
        g_autoptr(DtDendrogram) b = random_dendrogram(random, n);
        g_autofree double *curve = g_new(double, n);
        g_autofree double *expected = g_new(double, n);
        double score = -1.0;
        gboolean has_score = dt_bscore(a, b, &score, curve, expected);
        g_assert_cmpint(has_score, ==, n > 2);
        double sum = 0.0;
        for (guint k = 2; k < n; k++) {
            g_autofree guint *flat_a = dt_clusters_by_merges(a, k);
            g_autofree guint *flat_b = dt_clusters_by_merges(b, k);
            g_assert_cmpfloat_with_epsilon(curve[k], counted_b(flat_a, flat_b, n), 1e-12);
            g_assert_cmpfloat_with_epsilon(expected[k], formula_of_expectation(flat_a, flat_b, n), 1e-12);
            sum += curve[k];
        }
        if (has_score) {
            g_assert_cmpfloat_with_epsilon(score, sum / (n - 2), 1e-12);
            g_assert_true(dt_bscore(a, a, &score, NULL, NULL));
            g_assert_cmpfloat(score, ==, 1.0);
        } else {
            g_assert_cmpfloat(score, ==, -1.0);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cluster/bscore/pairs", test_pairs);
    g_test_add_func("/cluster/bscore/expectation", test_expectation_by_permutations);
    g_test_add_func("/cluster/bscore/conventions", test_conventions);
    g_test_add_func("/cluster/bscore/score", test_score);
    return g_test_run();
}
