/* Flat clusters of a dendrogram. */
#include "cluster/cluster.h"

/* A merge on the way down, and how many of its two parts were looked into. */
typedef struct {
    guint merge;
    guint parts_seen;
} Visit;

/* Numbers clusters while the tree is walked: within an open cluster all leaves get its number. */
typedef struct {
    guint *clusters;
    guint last_number;
    gboolean in_cluster;
    guint top; /* merge that the open cluster is below */
} Numbering;

static void number_leaf(Numbering *numbering, guint leaf)
{
    if (!numbering->in_cluster) {
        numbering->last_number++;
    }
    numbering->clusters[leaf] = numbering->last_number;
}

static void enter_merge(Numbering *numbering, guint merge, gboolean is_cluster)
{
    if (!numbering->in_cluster && is_cluster) {
        numbering->in_cluster = TRUE;
        numbering->top = merge;
        numbering->last_number++;
    }
}

static void leave_merge(Numbering *numbering, const DtDendrogram *dendrogram, guint merge)
{
    const DtMerge *parts = &dendrogram->merges[merge];
    if (parts->a < dendrogram->leaves) {
        number_leaf(numbering, parts->a);
    }
    if (parts->b < dendrogram->leaves) {
        number_leaf(numbering, parts->b);
    }
    if (numbering->in_cluster && numbering->top == merge) {
        numbering->in_cluster = FALSE;
    }
}

/*
 * Clusters are the topmost merges whose height (never below their parts') is at
 * most `cut`, numbered as SciPy does: in a walk where a merge's larger parts come
 * before its single leaves.
 */
static guint *clusters_below(const DtDendrogram *dendrogram, const double *heights, double cut)
{
    guint n = dendrogram->leaves;
    Numbering numbering = {.clusters = g_new(guint, n)};
    if (n == 1) {
        number_leaf(&numbering, 0);
        return numbering.clusters;
    }
    g_autofree Visit *path = g_new(Visit, n);
    guint depth = 0;
    path[depth++] = (Visit){n - 2, 0};
    enter_merge(&numbering, n - 2, heights[n - 2] <= cut);
    while (depth > 0) {
        Visit *visit = &path[depth - 1];
        if (visit->parts_seen == 2) {
            leave_merge(&numbering, dendrogram, visit->merge);
            depth--;
            continue;
        }
        const DtMerge *merge = &dendrogram->merges[visit->merge];
        guint part = visit->parts_seen++ == 0 ? merge->a : merge->b;
        if (part >= n) {
            path[depth++] = (Visit){part - n, 0};
            enter_merge(&numbering, part - n, heights[part - n] <= cut);
        }
    }
    return numbering.clusters;
}

/* The greatest distance at or below each merge: with centroid and median a merge can be closer than its parts. */
static double *greatest_distances(const DtDendrogram *dendrogram)
{
    guint n = dendrogram->leaves;
    double *greatest = g_new(double, n);
    for (guint i = 0; i + 1 < n; i++) {
        const DtMerge *merge = &dendrogram->merges[i];
        greatest[i] = merge->distance;
        if (merge->a >= n) {
            greatest[i] = MAX(greatest[i], greatest[merge->a - n]);
        }
        if (merge->b >= n) {
            greatest[i] = MAX(greatest[i], greatest[merge->b - n]);
        }
    }
    return greatest;
}

guint *dt_clusters_by_merges(const DtDendrogram *dendrogram, guint k)
{
    guint n = dendrogram->leaves;
    g_return_val_if_fail(k >= 1 && k <= n, NULL);
    g_autofree double *heights = g_new(double, n);
    for (guint i = 0; i < n; i++) {
        heights[i] = i;
    }
    return clusters_below(dendrogram, heights, (double)n - k - 1.0);
}

guint *dt_clusters_by_distance(const DtDendrogram *dendrogram, double t)
{
    g_autofree double *heights = greatest_distances(dendrogram);
    return clusters_below(dendrogram, heights, t);
}

static guint count_clusters(const double *heights, guint merges, double cut)
{
    guint count = 1;
    for (guint i = 0; i < merges; i++) {
        count += heights[i] > cut;
    }
    return count;
}

guint *dt_clusters_by_count(const DtDendrogram *dendrogram, guint k)
{
    guint n = dendrogram->leaves;
    g_return_val_if_fail(k >= 1, NULL);
    if (k >= n) {
        guint *clusters = g_new(guint, n);
        for (guint i = 0; i < n; i++) {
            clusters[i] = i + 1;
        }
        return clusters;
    }
    g_autofree double *heights = greatest_distances(dendrogram);
    /* The first merge whose height leaves at most k clusters; heights out of order
     * (centroid, median) are searched the same way, as SciPy does. */
    guint low = 0;
    guint high = n - 1;
    while (low < high) {
        guint middle = low + (high - low - 1) / 2;
        if (count_clusters(heights, n - 1, heights[middle]) > k) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): all n - 1 heights are set, and high < n - 1 */
    return clusters_below(dendrogram, heights, heights[high]);
}
