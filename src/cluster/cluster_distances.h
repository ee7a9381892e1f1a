/**
 * The distances between the clusters that are left while an agglomerative
 * algorithm joins them, updated by the formula of Lance & Williams (1967).
 */
#ifndef DT_CLUSTER_CLUSTER_DISTANCES_H
#define DT_CLUSTER_CLUSTER_DISTANCES_H

#include "cluster/cluster.h"

/*
 * Leaves of a class are alike, and stand in one place as long as they are single; a
 * union takes a place of its own. Of clusters in one place all distances are the same.
 * A cluster is named by its highest leaf.
 */
typedef struct {
    guint n;        /* places */
    guint capacity; /* of places, and the length of a row */
    DtLinkage linkage;
    double *distances; /* capacity x capacity, symmetric; the diagonal is that of alike leaves, 0 */
    guint *sizes;      /* leaves of each cluster in the place */
    guint *alike;      /* clusters in the place; 0 = it is free */
    guint *names;      /* of the first of them */
    guint *next_alike; /* by leaf: the next one of its class, 0 = none */
} DtClusterDistances;

/** Every leaf a cluster of its own. The values of `distances` are taken. */
DtClusterDistances *dt_cluster_distances_take(DtMatrix *distances, DtLinkage linkage);
/** Every class a cluster, joined already, in the place of its number. The same. */
DtClusterDistances *dt_cluster_distances_take_joined(DtMatrix *distances, DtLinkage linkage);
void dt_cluster_distances_free(DtClusterDistances *clusters);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtClusterDistances, dt_cluster_distances_free)

/** The distances of the clusters of a place to those of all, n of them; borrowed. */
static inline const double *dt_cluster_distances_row(const DtClusterDistances *clusters, guint place)
{
    return clusters->distances + (gsize)place * clusters->capacity;
}

/**
 * Joins the first cluster of place x into the first of place y, or, if they are the same, the
 * first two there. The union is in place y if that was the last one there, else in x if that was,
 * else in a new place. O(places).
 */
void dt_cluster_distances_join(DtClusterDistances *clusters, guint x, guint y);

#endif
