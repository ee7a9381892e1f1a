/* Jaccard similarity against sets counted one by one, and the matrix helpers. */
#include <math.h>

#include "cluster/cluster.h"

enum { SEED = 11 };

static DtContext *random_context(GRand *random, guint objects, guint attributes, double density)
{
    DtContext *context = dt_context_new();
    for (guint i = 0; i < objects; i++) {
        g_autofree char *label = g_strdup_printf("%u.0", i);
        dt_context_add_object(context, label);
        for (guint j = 0; j < attributes; j++) {
            if (g_rand_double(random) < density) {
                g_autofree char *name = g_strdup_printf("f%u", j);
                dt_context_add_attribute(context, i, name);
            }
        }
    }
    return context;
}

static double counted_jaccard(const DtContext *context, guint a, guint b)
{
    guint both = 0;
    guint either = 0;
    for (guint i = 0; i < dt_context_attributes(context); i++) {
        gboolean in_a = dt_context_has(context, a, i);
        gboolean in_b = dt_context_has(context, b, i);
        both += in_a && in_b;
        either += in_a || in_b;
    }
    return either == 0 ? 1.0 : (double)both / (double)either;
}

static void test_jaccard_random(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(SEED);
    g_test_message("seed %d", SEED);
    const double densities[] = {0.0, 0.05, 0.5, 1.0};
    for (guint round = 0; round < 60; round++) {
        guint n = (guint)g_rand_int_range(random, 0, 100);
        guint attributes = (guint)g_rand_int_range(random, 0, 200);
        g_autoptr(DtContext) context = random_context(random, n, attributes, densities[round % 4]);
        g_autoptr(DtMatrix) matrix = dt_jaccard_matrix(context, round % 3);
        g_assert_cmpuint(matrix->n, ==, n);
        for (guint i = 0; i < n; i++) {
            for (guint j = 0; j < n; j++) {
                g_assert_cmpfloat(dt_matrix_get(matrix, i, j), ==, counted_jaccard(context, i, j));
            }
        }
    }
}

/* Odd/even sort with 4 ranks: even ranks fold [Send Recv], odd ones [Recv Send]. */
static void test_jaccard_odd_even(void)
{
    g_autoptr(DtContext) context = dt_context_new();
    const char *common[] = {"MPI_Init", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Finalize"};
    for (guint i = 0; i < 4; i++) {
        dt_context_add_object(context, "");
        for (guint j = 0; j < G_N_ELEMENTS(common); j++) {
            dt_context_add_attribute(context, i, common[j]);
        }
        dt_context_add_attribute(context, i, i % 2 == 0 ? "L0" : "L1");
    }
    g_autoptr(DtMatrix) matrix = dt_jaccard_matrix(context, 1);
    for (guint i = 0; i < 4; i++) {
        for (guint j = 0; j < 4; j++) {
            g_assert_cmpfloat(dt_matrix_get(matrix, i, j), ==, i % 2 == j % 2 ? 1.0 : 4.0 / 6.0);
        }
    }
}

static void test_difference_and_complement(void)
{
    g_autoptr(DtMatrix) a = dt_matrix_new(3);
    g_autoptr(DtMatrix) b = dt_matrix_new(3);
    for (guint i = 0; i < 9; i++) {
        g_assert_cmpfloat(a->values[i], ==, 0.0);
        a->values[i] = 0.125 * i;
        b->values[i] = 0.5;
    }
    g_autoptr(DtMatrix) difference = dt_matrix_difference(a, b);
    g_autoptr(DtMatrix) complement = dt_matrix_copy(a);
    dt_matrix_complement(complement);
    g_assert_cmpfloat(dt_matrix_get(difference, 0, 0), ==, 0.5);
    g_assert_cmpfloat(dt_matrix_get(difference, 1, 1), ==, 0.0);
    g_assert_cmpfloat(dt_matrix_get(difference, 2, 2), ==, 0.5);
    g_assert_cmpfloat(dt_matrix_get(complement, 0, 2), ==, 0.75);
    g_assert_cmpfloat(dt_matrix_get(complement, 1, 0), ==, 0.625);
}

static void test_spread(void)
{
    static const guint object_of[] = {0, 0, 1, 0, 2, 1, 2, 3};
    g_autoptr(DtMatrix) a = dt_matrix_new(4);
    for (guint i = 0; i < 16; i++)
        a->values[i] = i;
    g_autoptr(DtMatrix) spread = dt_matrix_spread(dt_matrix_copy(a), object_of, G_N_ELEMENTS(object_of));
    g_assert_cmpuint(spread->n, ==, G_N_ELEMENTS(object_of));
    g_assert_cmpuint(spread->classes, ==, 4);
    for (guint i = 0; i < spread->n; i++) {
        for (guint j = 0; j < spread->n; j++)
            g_assert_cmpfloat(dt_matrix_get(spread, i, j), ==, dt_matrix_get(a, object_of[i], object_of[j]));
    }
}

/* Means of blocks, by adding up all pairs; of random blocks, classes repeated. */
static void test_block_means(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(SEED + 1);
    g_test_message("seed %d", SEED + 1);
    for (guint round = 0; round < 60; round++) {
        guint n = (guint)g_rand_int_range(random, 1, 60), blocks = (guint)g_rand_int_range(random, 1, (gint)n + 1);
        g_autoptr(DtContext) context = random_context(random, n, 3 + round, round % 2 == 0 ? 0.02 : 0.5);
        g_autoptr(DtMatrix) matrix = dt_jaccard_matrix(context, 1);
        g_autofree guint *block_of = g_new(guint, n);
        for (guint i = 0; i < n; i++)
            block_of[i] = i < blocks ? i : (guint)g_rand_int_range(random, 0, (gint)blocks);
        g_autofree double *means = dt_matrix_block_means(matrix, block_of, blocks);
        for (guint a = 0; a < blocks; a++) {
            for (guint b = 0; b < blocks; b++) {
                double sum = 0;
                guint pairs = 0;
                for (guint i = 0; i < n; i++) {
                    for (guint j = 0; j < n; j++) {
                        gboolean counts = block_of[i] == a && block_of[j] == b;
                        sum += counts ? dt_matrix_get(matrix, i, j) : 0;
                        pairs += counts ? 1 : 0;
                    }
                }
                g_assert_cmpfloat_with_epsilon(means[a * blocks + b], sum / pairs, 1e-12);
            }
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cluster/jaccard/random", test_jaccard_random);
    g_test_add_func("/cluster/jaccard/odd-even", test_jaccard_odd_even);
    g_test_add_func("/cluster/matrix", test_difference_and_complement);
    g_test_add_func("/cluster/matrix/spread", test_spread);
    g_test_add_func("/cluster/matrix/block-means", test_block_means);
    return g_test_run();
}
