/* Dendrograms: names of linkages, choice of algorithm, order and numbers of merges. */
#include "cluster/cluster.h"

#include <math.h>

#include "cluster/linkage_algorithms.h"
#include "text/text.h"

static const char *const linkage_names[DT_LINKAGES] = {
    [DT_LINKAGE_SINGLE] = "single",     [DT_LINKAGE_COMPLETE] = "complete", [DT_LINKAGE_AVERAGE] = "average",
    [DT_LINKAGE_WEIGHTED] = "weighted", [DT_LINKAGE_CENTROID] = "centroid", [DT_LINKAGE_MEDIAN] = "median",
    [DT_LINKAGE_WARD] = "ward",
};

const char *dt_linkage_name(DtLinkage linkage)
{
    g_return_val_if_fail(linkage < DT_LINKAGES, NULL);
    return linkage_names[linkage];
}

gboolean dt_linkage_parse(const char *text, DtLinkage *linkage, GError **error)
{
    for (guint i = 0; i < DT_LINKAGES; i++) {
        if (g_ascii_strcasecmp(text, linkage_names[i]) == 0) {
            *linkage = (DtLinkage)i;
            return TRUE;
        }
    }
    dt_set_error(error, DT_CLUSTER_ERROR, DT_CLUSTER_ERROR_UNKNOWN_LINKAGE,
                 "linkage '%s': unknown; use single, complete, average, weighted, centroid, median or ward", text);
    return FALSE;
}

static gboolean are_distances(const DtMatrix *matrix)
{
    for (guint i = 0; i < matrix->classes; i++) {
        const double *row = matrix->values + (gsize)i * matrix->classes;
        for (guint j = 0; j < matrix->classes; j++) {
            /* Beyond the limit the square of a distance may not be a number. */
            if (i != j && !(row[j] >= 0.0 && row[j] < 1e100)) {
                return FALSE;
            }
        }
    }
    return TRUE;
}

static int compare_distances(gconstpointer a, gconstpointer b)
{
    const DtMerge *left = a;
    const DtMerge *right = b;
    return (left->distance > right->distance) - (left->distance < right->distance);
}

static guint find_root(guint *parents, guint node)
{
    while (parents[node] != node) {
        parents[node] = parents[parents[node]];
        node = parents[node];
    }
    return node;
}

/* Sorts merges that name clusters by a leaf, keeping the order of equals, and names the clusters by number. */
static void sort_and_number(DtMerge *merges, guint leaves)
{
    guint count = leaves - 1;
    guint nodes = leaves + count;
    g_autoptr(GArray) sorted = g_array_sized_new(FALSE, FALSE, sizeof(DtMerge), count);
    g_autofree guint *parents = g_new(guint, nodes);
    g_autofree guint *sizes = g_new(guint, nodes);

    g_array_append_vals(sorted, merges, count);
    g_array_sort(sorted, compare_distances);
    for (guint i = 0; i < nodes; i++) {
        parents[i] = i;
        sizes[i] = 1;
    }
    for (guint i = 0; i < count; i++) {
        const DtMerge *merge = &g_array_index(sorted, DtMerge, i);
        guint one = find_root(parents, merge->a);
        guint other = find_root(parents, merge->b);
        guint joined = leaves + i;
        parents[one] = parents[other] = joined;
        sizes[joined] = sizes[one] + sizes[other];
        merges[i] = (DtMerge){MIN(one, other), MAX(one, other), merge->distance, sizes[joined]};
    }
}

static void link_leaves(DtMatrix *distances, DtLinkage linkage, DtMerge *merges)
{
    if (linkage == DT_LINKAGE_CENTROID || linkage == DT_LINKAGE_MEDIAN) {
        dt_generic_linkage(distances, linkage, merges);
        return;
    }
    if (linkage == DT_LINKAGE_SINGLE) {
        dt_spanning_tree_linkage(distances, merges);
    } else {
        dt_chain_linkage(distances, linkage, merges);
    }
    sort_and_number(merges, distances->n);
}

DtDendrogram *dt_dendrogram_take(DtMatrix *distances, DtLinkage linkage)
{
    g_autoptr(DtMatrix) taken = distances;
    g_return_val_if_fail(taken->n >= 1 && linkage < DT_LINKAGES, NULL);
    g_return_val_if_fail(are_distances(taken), NULL);
    DtDendrogram *dendrogram = g_new(DtDendrogram, 1);
    dendrogram->leaves = taken->n;
    dendrogram->merges = g_new0(DtMerge, taken->n - 1);
    if (taken->n > 1) {
        link_leaves(taken, linkage, dendrogram->merges);
    }
    return dendrogram;
}

DtDendrogram *dt_dendrogram_new(const DtMatrix *distances, DtLinkage linkage)
{
    return dt_dendrogram_take(dt_matrix_copy(distances), linkage);
}

void dt_dendrogram_free(DtDendrogram *dendrogram)
{
    if (dendrogram) {
        g_free(dendrogram->merges);
        g_free(dendrogram);
    }
}

guint *dt_dendrogram_order(const DtDendrogram *dendrogram)
{
    guint n = dendrogram->leaves;
    guint *order = g_new(guint, n);
    g_autofree guint *pending = g_new(guint, n);
    guint depth = 0;
    guint placed = 0;

    pending[depth++] = 2 * n - 2;
    while (depth > 0) {
        guint node = pending[--depth];
        if (node < n) {
            order[placed++] = node;
            continue;
        }
        pending[depth++] = dendrogram->merges[node - n].b;
        pending[depth++] = dendrogram->merges[node - n].a;
    }
    return order;
}
