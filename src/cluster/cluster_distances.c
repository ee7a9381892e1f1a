/* Distances between clusters, and how joining two of them changes the others'. */
#include "cluster/cluster_distances.h"

#include <math.h>

DtClusterDistances *dt_cluster_distances_new(const DtMatrix *distances, DtLinkage linkage)
{
    gsize cells = (gsize)distances->n * distances->n;
    DtClusterDistances *clusters = g_new(DtClusterDistances, 1);
    *clusters = (DtClusterDistances){distances->n, linkage, g_new(double, cells), g_new(guint, distances->n)};
    memcpy(clusters->distances, distances->values, cells * sizeof(double));
    for (guint i = 0; i < clusters->n; i++) {
        clusters->sizes[i] = 1;
    }
    return clusters;
}

void dt_cluster_distances_free(DtClusterDistances *clusters)
{
    if (clusters != NULL) {
        g_free(clusters->distances);
        g_free(clusters->sizes);
        g_free(clusters);
    }
}

/* What is known of clusters x and y, which are joined, and a third one, z. */
typedef struct {
    double xz, yz, xy;             /* distances */
    double size_x, size_y, size_z; /* leaves */
} Triple;

/*
 * Distance from z to the union of x and y. Equal distances must come out equal
 * to the last bit where SciPy's do, so the terms are evaluated in SciPy's order.
 */
static double joined_distance(DtLinkage linkage, const Triple *t)
{
    double size = t->size_x + t->size_y;
    switch (linkage) {
    case DT_LINKAGE_SINGLE:
        return fmin(t->xz, t->yz);
    case DT_LINKAGE_COMPLETE:
        return fmax(t->xz, t->yz);
    case DT_LINKAGE_AVERAGE:
        return (t->size_x * t->xz + t->size_y * t->yz) / size;
    case DT_LINKAGE_WEIGHTED:
        return 0.5 * (t->xz + t->yz);
    case DT_LINKAGE_CENTROID:
        return sqrt(
            ((t->size_x * t->xz * t->xz + t->size_y * t->yz * t->yz) - t->size_x * t->size_y * t->xy * t->xy / size) /
            size);
    case DT_LINKAGE_MEDIAN:
        return sqrt(0.5 * (t->xz * t->xz + t->yz * t->yz) - 0.25 * t->xy * t->xy);
    case DT_LINKAGE_WARD: {
        double inverse = 1.0 / (size + t->size_z);
        return sqrt((t->size_z + t->size_x) * inverse * t->xz * t->xz +
                    (t->size_z + t->size_y) * inverse * t->yz * t->yz - t->size_z * inverse * t->xy * t->xy);
    }
    case DT_LINKAGES:
        break;
    }
    g_return_val_if_reached(0.0);
}

void dt_cluster_distances_join(DtClusterDistances *clusters, guint x, guint y)
{
    gsize n = clusters->n;
    const double *row_x = clusters->distances + x * n;
    double *row_y = clusters->distances + y * n;
    Triple triple = {.xy = row_x[y], .size_x = clusters->sizes[x], .size_y = clusters->sizes[y]};

    clusters->sizes[y] += clusters->sizes[x];
    clusters->sizes[x] = 0;
    for (guint z = 0; z < n; z++) {
        if (clusters->sizes[z] == 0 || z == y) {
            continue;
        }
        triple.xz = row_x[z];
        triple.yz = row_y[z];
        triple.size_z = clusters->sizes[z];
        row_y[z] = joined_distance(clusters->linkage, &triple);
        clusters->distances[z * n + y] = row_y[z];
    }
}
