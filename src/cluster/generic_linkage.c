/*
 * The generic agglomerative algorithm (Müllner, Modern hierarchical, agglomerative
 * clustering algorithms, 2011, section 3.1). Each cluster keeps a candidate for its
 * nearest neighbour among the clusters after it, and a lower bound of that distance
 * in a heap; a bound is made exact only when it comes to the top.
 */
#include <math.h>

#include "cluster/cluster_distances.h"
#include "cluster/linkage_algorithms.h"
#include "cluster/min_heap.h"

typedef struct {
    DtClusterDistances *clusters;
    guint *neighbours; /* candidates; none for the last cluster, which always stays */
    DtMinHeap *bounds;
} Search;

/* The nearest cluster after x, the first of equals. */
static guint nearest_after(const DtClusterDistances *clusters, guint x)
{
    const double *row = dt_cluster_distances_row(clusters, x);
    guint nearest = clusters->n - 1;
    double least = INFINITY;
    for (guint i = x + 1; i < clusters->n; i++) {
        if (row[i] < least && clusters->alike[i] != 0) {
            least = row[i];
            nearest = i;
        }
    }
    return nearest;
}

static double distance_between(const Search *search, guint x, guint y)
{
    return dt_cluster_distances_row(search->clusters, x)[y];
}

static void set_neighbour(Search *search, guint x, guint neighbour)
{
    search->neighbours[x] = neighbour;
    dt_min_heap_change(search->bounds, x, distance_between(search, x, neighbour));
}

/* Takes the cluster off the heap that is nearest to its neighbour. */
static guint take_closest(Search *search)
{
    for (;;) {
        guint x = dt_min_heap_least(search->bounds);
        guint neighbour = search->neighbours[x];
        if (dt_min_heap_value(search->bounds, x) == distance_between(search, x, neighbour)) {
            dt_min_heap_remove_least(search->bounds);
            return x;
        }
        set_neighbour(search, x, nearest_after(search->clusters, x));
    }
}

/* After x was joined into y. That y is now near whatever x was near is a guess. */
static void update_candidates(Search *search, guint x, guint y)
{
    const DtClusterDistances *clusters = search->clusters;
    for (guint z = 0; z < x; z++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): every cluster below the last has one */
        if (clusters->alike[z] != 0 && search->neighbours[z] == x) {
            search->neighbours[z] = y;
        }
    }
    for (guint z = 0; z < y; z++) {
        if (clusters->alike[z] != 0 && distance_between(search, z, y) < dt_min_heap_value(search->bounds, z)) {
            set_neighbour(search, z, y);
        }
    }
    if (y + 1 < clusters->n) {
        set_neighbour(search, y, nearest_after(clusters, y));
    }
}

static Search search_new(DtMatrix *distances, DtLinkage linkage)
{
    guint keys = distances->classes - 1;
    Search search = {.clusters = dt_cluster_distances_take_joined(distances, linkage),
                     .neighbours = g_new(guint, keys)};
    g_autofree double *least = g_new(double, keys);
    for (guint x = 0; x < keys; x++) {
        search.neighbours[x] = nearest_after(search.clusters, x);
        least[x] = distance_between(&search, x, search.neighbours[x]);
    }
    search.bounds = dt_min_heap_new(least, keys);
    return search;
}

/* Joins the leaves of each class, in ascending order; `numbers` gets the cluster of each. Returns the merges made. */
static guint join_classes(const DtMatrix *distances, DtMerge *merges, guint *numbers)
{
    g_autofree guint *sizes = g_new0(guint, distances->classes);
    guint made = 0;
    for (guint leaf = 0; leaf < distances->n; leaf++) {
        guint own = dt_matrix_class(distances, leaf);
        if (sizes[own]++ == 0) {
            numbers[own] = leaf;
            continue;
        }
        merges[made] =
            (DtMerge){.a = MIN(numbers[own], leaf), .b = MAX(numbers[own], leaf), .distance = 0.0, .size = sizes[own]};
        numbers[own] = distances->n + made++;
    }
    return made;
}

void dt_generic_linkage(DtMatrix *distances, DtLinkage linkage, DtMerge *merges)
{
    guint n = distances->n;
    g_autofree guint *numbers = g_new(guint, distances->classes); /* of the clusters left, as the dendrogram has them */
    guint made = join_classes(distances, merges, numbers);
    if (made == n - 1) {
        return;
    }
    Search search = search_new(distances, linkage);
    for (guint k = made; k + 1 < n; k++) {
        guint x = take_closest(&search);
        guint y = search.neighbours[x];
        double distance = distance_between(&search, x, y);
        dt_cluster_distances_join(search.clusters, x, y);
        merges[k] = (DtMerge){.a = MIN(numbers[x], numbers[y]),
                              .b = MAX(numbers[x], numbers[y]),
                              .distance = distance,
                              .size = search.clusters->sizes[y]};
        numbers[y] = n + k;
        update_candidates(&search, x, y);
    }
    dt_min_heap_free(search.bounds);
    dt_cluster_distances_free(search.clusters);
    g_free(search.neighbours);
}
