/*
 * Properties of dendrograms and cuts that hold without SciPy: merges against a
 * search that applies the definition of each linkage to sets of leaves, cuts
 * against the merges they undo, single leaves and pairs, names.
 */
#include <math.h>
#include <stdlib.h>

#include "cluster/cluster.h"

enum { SEED = 23 };

static DtMatrix *random_distances(GRand *random, guint n)
{
    DtMatrix *matrix = dt_matrix_new(n);
    for (guint i = 0; i < n; i++) {
        for (guint j = i + 1; j < n; j++) {
            double distance = g_rand_double(random);
            matrix->values[i * n + j] = distance;
            matrix->values[j * n + i] = distance;
        }
    }
    return matrix;
}

static DtMatrix *distances_of_points(GRand *random, guint n, double (*points)[3])
{
    DtMatrix *matrix = dt_matrix_new(n);
    for (guint i = 0; i < n; i++) {
        for (guint d = 0; d < 3; d++) {
            points[i][d] = g_rand_double(random);
        }
    }
    for (guint i = 0; i < n; i++) {
        for (guint j = 0; j < n; j++) {
            double square = 0.0;
            for (guint d = 0; d < 3; d++) {
                square += pow(points[i][d] - points[j][d], 2.0);
            }
            matrix->values[i * n + j] = sqrt(square);
        }
    }
    return matrix;
}

/* Leaves of a node of the dendrogram (element-type guint). */
static void collect_leaves(const DtDendrogram *dendrogram, guint node, GArray *leaves)
{
    if (node < dendrogram->leaves) {
        g_array_append_val(leaves, node);
        return;
    }
    collect_leaves(dendrogram, dendrogram->merges[node - dendrogram->leaves].a, leaves);
    collect_leaves(dendrogram, dendrogram->merges[node - dendrogram->leaves].b, leaves);
}

typedef double (*SetDistance)(const DtMatrix *distances, double (*points)[3], const GArray *a, const GArray *b);

static double least_of_pairs(const DtMatrix *distances, double (*points)[3], const GArray *a, const GArray *b)
{
    (void)points;
    double least = INFINITY;
    for (guint i = 0; i < a->len; i++) {
        for (guint j = 0; j < b->len; j++) {
            least = fmin(least, dt_matrix_get(distances, g_array_index(a, guint, i), g_array_index(b, guint, j)));
        }
    }
    return least;
}

static double greatest_of_pairs(const DtMatrix *distances, double (*points)[3], const GArray *a, const GArray *b)
{
    (void)points;
    double greatest = 0.0;
    for (guint i = 0; i < a->len; i++) {
        for (guint j = 0; j < b->len; j++) {
            greatest = fmax(greatest, dt_matrix_get(distances, g_array_index(a, guint, i), g_array_index(b, guint, j)));
        }
    }
    return greatest;
}

static double mean_of_pairs(const DtMatrix *distances, double (*points)[3], const GArray *a, const GArray *b)
{
    (void)points;
    double sum = 0.0;
    for (guint i = 0; i < a->len; i++) {
        for (guint j = 0; j < b->len; j++) {
            sum += dt_matrix_get(distances, g_array_index(a, guint, i), g_array_index(b, guint, j));
        }
    }
    return sum / (a->len * b->len);
}

static double between_centroids(const DtMatrix *distances, double (*points)[3], const GArray *a, const GArray *b)
{
    (void)distances;
    double square = 0.0;
    for (guint d = 0; d < 3; d++) {
        double mean_a = 0.0;
        double mean_b = 0.0;
        for (guint i = 0; i < a->len; i++) {
            mean_a += points[g_array_index(a, guint, i)][d] / a->len;
        }
        for (guint i = 0; i < b->len; i++) {
            mean_b += points[g_array_index(b, guint, i)][d] / b->len;
        }
        square += pow(mean_a - mean_b, 2.0);
    }
    return sqrt(square);
}

/* Ward: the growth of the sum of squares, as a distance. */
static double growth_of_squares(const DtMatrix *distances, double (*points)[3], const GArray *a, const GArray *b)
{
    double sizes = 2.0 * a->len * b->len / (double)(a->len + b->len);
    return sqrt(sizes) * between_centroids(distances, points, a, b);
}

/* Merges again and again the two sets that the definition says are closest. */
static void check_definition(const DtDendrogram *dendrogram, const DtMatrix *distances, double (*points)[3],
                             SetDistance distance)
{
    guint n = dendrogram->leaves;
    g_autoptr(GPtrArray) sets = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    g_autofree gboolean *gone = g_new0(gboolean, 2 * n);
    for (guint node = 0; node < 2 * n - 1; node++) {
        GArray *leaves = g_array_new(FALSE, FALSE, sizeof(guint));
        collect_leaves(dendrogram, node, leaves);
        g_ptr_array_add(sets, leaves);
    }
    for (guint k = 0; k + 1 < n; k++) {
        guint best_a = 0;
        guint best_b = 0;
        double least = INFINITY;
        for (guint a = 0; a < n + k; a++) {
            for (guint b = a + 1; b < n + k && !gone[a]; b++) {
                double between = gone[b] ? INFINITY : distance(distances, points, sets->pdata[a], sets->pdata[b]);
                if (between < least) {
                    least = between;
                    best_a = a;
                    best_b = b;
                }
            }
        }
        const DtMerge *merge = &dendrogram->merges[k];
        g_assert_cmpuint(merge->a, ==, best_a);
        g_assert_cmpuint(merge->b, ==, best_b);
        g_assert_cmpfloat_with_epsilon(merge->distance, least, 1e-9);
        g_assert_cmpuint(merge->size, ==, ((GArray *)sets->pdata[n + k])->len);
        gone[best_a] = gone[best_b] = TRUE;
    }
}

static void test_definitions(void)
{
    static const struct {
        DtLinkage linkage;
        SetDistance distance;
    } definitions[] = {
        {DT_LINKAGE_SINGLE, least_of_pairs},  {DT_LINKAGE_COMPLETE, greatest_of_pairs},
        {DT_LINKAGE_AVERAGE, mean_of_pairs},  {DT_LINKAGE_CENTROID, between_centroids},
        {DT_LINKAGE_WARD, growth_of_squares},
    };
    g_autoptr(GRand) random = g_rand_new_with_seed(SEED);
    g_test_message("seed %d", SEED);
    for (guint round = 0; round < 40; round++) {
        double points[24][3];
        guint n = (guint)g_rand_int_range(random, 1, 24);
        g_autoptr(DtMatrix) distances = distances_of_points(random, n, points);
        for (guint i = 0; i < G_N_ELEMENTS(definitions); i++) {
            g_autoptr(DtDendrogram) dendrogram = dt_dendrogram_new(distances, definitions[i].linkage);
            check_definition(dendrogram, distances, points, definitions[i].distance);
        }
    }
}

/* Two leaves are in one flat cluster of k exactly if a merge among the first n - k joins them. */
static void check_cut(const DtDendrogram *dendrogram, guint k)
{
    guint n = dendrogram->leaves;
    g_autofree guint *clusters = dt_clusters_by_merges(dendrogram, k);
    g_autofree guint *group = g_new(guint, n);
    for (guint i = 0; i < n; i++) {
        group[i] = i;
    }
    for (guint merge = 0; merge < n - k; merge++) {
        g_autoptr(GArray) leaves = g_array_new(FALSE, FALSE, sizeof(guint));
        collect_leaves(dendrogram, n + merge, leaves);
        for (guint i = 0; i < leaves->len; i++) {
            group[g_array_index(leaves, guint, i)] = n + merge;
        }
    }
    g_autofree gboolean *seen = g_new0(gboolean, k + 1);
    for (guint i = 0; i < n; i++) {
        g_assert_cmpuint(clusters[i], >=, 1);
        g_assert_cmpuint(clusters[i], <=, k);
        seen[clusters[i]] = TRUE;
        for (guint j = 0; j < n; j++) {
            g_assert_cmpint(clusters[i] == clusters[j], ==, group[i] == group[j]);
        }
    }
    for (guint c = 1; c <= k; c++) {
        g_assert_true(seen[c]);
    }
}

static void test_cuts(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(SEED + 1);
    g_test_message("seed %d", SEED + 1);
    for (guint round = 0; round < 30; round++) {
        guint n = (guint)g_rand_int_range(random, 1, 20);
        g_autoptr(DtMatrix) distances = random_distances(random, n);
        for (guint linkage = 0; linkage < DT_LINKAGES; linkage++) {
            g_autoptr(DtDendrogram) dendrogram = dt_dendrogram_new(distances, (DtLinkage)linkage);
            for (guint k = 1; k <= n; k++) {
                check_cut(dendrogram, k);
            }
        }
    }
}

/* Leaf order: every node's leaves stand side by side. */
static void test_order(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(SEED + 2);
    g_test_message("seed %d", SEED + 2);
    for (guint round = 0; round < 30; round++) {
        guint n = (guint)g_rand_int_range(random, 1, 30);
        g_autoptr(DtMatrix) distances = random_distances(random, n);
        g_autoptr(DtDendrogram) dendrogram = dt_dendrogram_new(distances, (DtLinkage)(round % DT_LINKAGES));
        g_autofree guint *order = dt_dendrogram_order(dendrogram);
        g_autofree guint *places = g_new0(guint, n);
        g_autofree gboolean *placed = g_new0(gboolean, n);
        for (guint i = 0; i < n; i++) {
            g_assert_cmpuint(order[i], <, n);
            g_assert_false(placed[order[i]]);
            placed[order[i]] = TRUE;
            places[order[i]] = i;
        }
        for (guint node = n; node < 2 * n - 1; node++) {
            g_autoptr(GArray) leaves = g_array_new(FALSE, FALSE, sizeof(guint));
            collect_leaves(dendrogram, node, leaves);
            guint first = G_MAXUINT;
            guint last = 0;
            for (guint i = 0; i < leaves->len; i++) {
                first = MIN(first, places[g_array_index(leaves, guint, i)]);
                last = MAX(last, places[g_array_index(leaves, guint, i)]);
            }
            g_assert_cmpuint(last - first + 1, ==, leaves->len);
        }
    }
}

static void test_one_leaf(void)
{
    g_autoptr(DtMatrix) distances = dt_matrix_new(1);
    for (guint linkage = 0; linkage < DT_LINKAGES; linkage++) {
        g_autoptr(DtDendrogram) dendrogram = dt_dendrogram_new(distances, (DtLinkage)linkage);
        g_autofree guint *order = dt_dendrogram_order(dendrogram);
        g_autofree guint *by_merges = dt_clusters_by_merges(dendrogram, 1);
        g_autofree guint *by_count = dt_clusters_by_count(dendrogram, 1);
        g_autofree guint *by_distance = dt_clusters_by_distance(dendrogram, 0.0);
        g_assert_cmpuint(dendrogram->leaves, ==, 1);
        g_assert_cmpuint(order[0], ==, 0);
        g_assert_cmpuint(by_merges[0], ==, 1);
        g_assert_cmpuint(by_count[0], ==, 1);
        g_assert_cmpuint(by_distance[0], ==, 1);
    }
}

/* A thousand leaves, many of them at equal distances: no NaN, every leaf merged once. */
static void test_many_leaves(void)
{
    enum { LEAVES = 1000 };
    g_autoptr(GRand) random = g_rand_new_with_seed(SEED + 3);
    g_test_message("seed %d", SEED + 3);
    g_autoptr(DtMatrix) distances = random_distances(random, LEAVES);
    for (gsize i = 0; i < (gsize)LEAVES * LEAVES; i++) {
        distances->values[i] = floor(distances->values[i] * 8.0) / 8.0;
    }
    for (guint linkage = 0; linkage < DT_LINKAGES; linkage++) {
        g_autoptr(DtDendrogram) dendrogram = dt_dendrogram_new(distances, (DtLinkage)linkage);
        g_autofree gboolean *used = g_new0(gboolean, 2 * LEAVES);
        for (guint i = 0; i + 1 < LEAVES; i++) {
            const DtMerge *merge = &dendrogram->merges[i];
            g_assert_true(isfinite(merge->distance));
            g_assert_cmpuint(merge->a, <, merge->b);
            g_assert_cmpuint(merge->b, <, LEAVES + i);
            g_assert_false(used[merge->a] || used[merge->b]);
            used[merge->a] = used[merge->b] = TRUE;
        }
        g_assert_cmpuint(dendrogram->merges[LEAVES - 2].size, ==, LEAVES);
    }
}

/* ---- classes ------------------------------------------------------------------------- */

/* The same distances with every leaf a class of its own. */
static DtMatrix *without_classes(const DtMatrix *matrix)
{
    DtMatrix *full = dt_matrix_new(matrix->n);
    for (guint i = 0; i < matrix->n; i++) {
        for (guint j = 0; j < matrix->n; j++) {
            full->values[(gsize)i * matrix->n + j] = dt_matrix_get(matrix, i, j);
        }
    }
    return full;
}

/* `levels` 0: all distances differ; else so many values, 0 among them. */
static DtMatrix *random_classes(GRand *random, guint n, guint classes, guint levels)
{
    g_autoptr(DtContext) context = dt_context_new();
    for (guint i = 0; i < n; i++) {
        char name[16];
        g_snprintf(name, sizeof name, "%u", i < classes ? i : (guint)g_rand_int_range(random, 0, (gint32)classes));
        dt_context_add_attribute(context, dt_context_add_object(context, ""), name);
    }
    DtMatrix *matrix = dt_jaccard_matrix(context, 1);
    g_assert_cmpuint(matrix->classes, ==, classes);
    for (guint i = 0; i < classes; i++) {
        for (guint j = i; j < classes; j++) {
            double distance = levels > 0 ? g_rand_int_range(random, 0, (gint32)levels) / 7.0 : g_rand_double(random);
            distance = i == j ? 0.0 : distance;
            matrix->values[(gsize)i * classes + j] = matrix->values[(gsize)j * classes + i] = distance;
        }
    }
    return matrix;
}

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double *sorted_distances(const DtDendrogram *dendrogram)
{
    double *distances = g_new(double, dendrogram->leaves);
    for (guint i = 0; i + 1 < dendrogram->leaves; i++) {
        distances[i] = dendrogram->merges[i].distance;
    }
    qsort(distances, dendrogram->leaves - 1, sizeof *distances, compare_doubles);
    return distances;
}

/* Leaves of a class change nothing, to the last bit; with centroid and median, as long as no distances tie. */
static void test_classes(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(SEED + 4);
    g_test_message("seed %d", SEED + 4);
    for (guint round = 0; round < 600; round++) {
        guint classes = (guint)g_rand_int_range(random, 1, 12);
        guint n = classes + (guint)g_rand_int_range(random, 0, 40);
        guint levels = round % 3 == 0 ? 0 : 2 + round % 5;
        g_autoptr(DtMatrix) matrix = random_classes(random, n, classes, levels);
        g_autoptr(DtMatrix) full = without_classes(matrix);
        for (guint linkage = 0; linkage < DT_LINKAGES; linkage++) {
            g_autoptr(DtDendrogram) weighted = dt_dendrogram_new(matrix, (DtLinkage)linkage);
            g_autoptr(DtDendrogram) plain = dt_dendrogram_new(full, (DtLinkage)linkage);
            gboolean exact = linkage != DT_LINKAGE_CENTROID && linkage != DT_LINKAGE_MEDIAN;
            if (!exact && levels > 0) {
                continue;
            }
            g_autofree double *distances = sorted_distances(weighted), *expected = sorted_distances(plain);
            for (guint i = 0; i + 1 < n; i++) {
                const DtMerge *one = &weighted->merges[i], *other = &plain->merges[i];
                g_assert_cmpfloat_with_epsilon(distances[i], expected[i], 1e-12);
                if (exact) {
                    g_assert_cmpuint(one->a, ==, other->a);
                    g_assert_cmpuint(one->b, ==, other->b);
                    g_assert_cmpuint(one->size, ==, other->size);
                    g_assert_true(one->distance == other->distance);
                }
            }
        }
    }
}

static void test_not_a_distance(void)
{
    const double wrong[] = {NAN, INFINITY, -1.0};
    for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(DtMatrix) distances = dt_matrix_new(2);
        distances->values[1] = distances->values[2] = wrong[i];
        g_test_expect_message(NULL, G_LOG_LEVEL_CRITICAL, "*are_distances*");
        g_assert_null(dt_dendrogram_new(distances, DT_LINKAGE_WARD));
        g_test_assert_expected_messages();
    }
}

static void test_names(void)
{
    for (guint i = 0; i < DT_LINKAGES; i++) {
        DtLinkage parsed = DT_LINKAGES;
        g_assert_true(dt_linkage_parse(dt_linkage_name((DtLinkage)i), &parsed, NULL));
        g_assert_cmpint(parsed, ==, (DtLinkage)i);
    }
    g_autoptr(GError) error = NULL;
    DtLinkage untouched = DT_LINKAGE_MEDIAN;
    g_assert_false(dt_linkage_parse("wards", &untouched, &error));
    g_assert_error(error, DT_CLUSTER_ERROR, DT_CLUSTER_ERROR_UNKNOWN_LINKAGE);
    g_assert_nonnull(strstr(error->message, "wards"));
    g_assert_nonnull(strstr(error->message, "centroid"));
    g_assert_cmpint(untouched, ==, DT_LINKAGE_MEDIAN);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cluster/linkage/definitions", test_definitions);
    g_test_add_func("/cluster/linkage/cuts", test_cuts);
    g_test_add_func("/cluster/linkage/order", test_order);
    g_test_add_func("/cluster/linkage/one-leaf", test_one_leaf);
    g_test_add_func("/cluster/linkage/many-leaves", test_many_leaves);
    g_test_add_func("/cluster/linkage/classes", test_classes);
    g_test_add_func("/cluster/linkage/not-a-distance", test_not_a_distance);
    g_test_add_func("/cluster/linkage/names", test_names);
    return g_test_run();
}
