/**
 * The distances between the clusters that are left while an agglomerative
 * algorithm joins them, updated by the formula of Lance & Williams (1967).
 */
#ifndef DT_CLUSTER_CLUSTER_DISTANCES_H
#define DT_CLUSTER_CLUSTER_DISTANCES_H

#include "cluster/cluster.h"

typedef struct {
    guint n;
    DtLinkage linkage;
    double *distances; /* n x n, symmetric */
    guint *sizes;      /* leaves per cluster; 0 = joined into another */
} DtClusterDistances;

/** Every leaf a cluster of its own. */
DtClusterDistances *dt_cluster_distances_new(const DtMatrix *distances, DtLinkage linkage);
void dt_cluster_distances_free(DtClusterDistances *clusters);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtClusterDistances, dt_cluster_distances_free)

/** The distances of a cluster to all, n of them; borrowed. */
static inline const double *dt_cluster_distances_row(const DtClusterDistances *clusters, guint cluster)
{
    return clusters->distances + (gsize)cluster * clusters->n;
}

/** Joins cluster x into cluster y. O(n). */
void dt_cluster_distances_join(DtClusterDistances *clusters, guint x, guint y);

#endif
