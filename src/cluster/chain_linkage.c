/*
 * Linkage by nearest-neighbour chains: from a cluster to its nearest neighbour
 * and on, until two are each other's nearest and are joined. Right for linkages
 * where a union is never nearer to a third cluster than both of its parts.
 */
#include <math.h>

#include "cluster/cluster_distances.h"
#include "cluster/linkage_algorithms.h"

/* The clusters on the chain, each the nearest neighbour of the one before. */
typedef struct {
    guint *clusters;
    guint length;
} Chain;

static guint first_cluster_left(const DtClusterDistances *clusters)
{
    guint first = 0;
    while (clusters->sizes[first] == 0) {
        first++;
    }
    return first;
}

/*
 * The nearest neighbour of the chain's end: among equals the cluster before it
 * on the chain, so that the walk ends, then the lowest.
 */
static guint nearest_of_end(const DtClusterDistances *clusters, const Chain *chain)
{
    guint end = chain->clusters[chain->length - 1];
    const double *row = dt_cluster_distances_row(clusters, end);
    guint nearest = end;
    double least = INFINITY;
    if (chain->length > 1) {
        nearest = chain->clusters[chain->length - 2];
        least = row[nearest];
    }
    for (guint i = 0; i < clusters->n; i++) {
        if (row[i] < least && clusters->sizes[i] != 0 && i != end) {
            least = row[i];
            nearest = i;
        }
    }
    return nearest;
}

/* Walks until the chain's last two are each other's nearest neighbours; takes them off. */
static DtMerge next_pair(const DtClusterDistances *clusters, Chain *chain)
{
    if (chain->length == 0) {
        chain->clusters[chain->length++] = first_cluster_left(clusters);
    }
    for (;;) {
        guint nearest = nearest_of_end(clusters, chain);
        if (chain->length > 1 && nearest == chain->clusters[chain->length - 2]) {
            break;
        }
        chain->clusters[chain->length++] = nearest;
    }
    chain->length -= 2;
    guint one = chain->clusters[chain->length];
    guint other = chain->clusters[chain->length + 1];
    return (DtMerge){.a = MIN(one, other),
                     .b = MAX(one, other),
                     .distance = dt_cluster_distances_row(clusters, one)[other],
                     .size = clusters->sizes[one] + clusters->sizes[other]};
}

void dt_chain_linkage(const DtMatrix *distances, DtLinkage linkage, DtMerge *merges)
{
    g_autoptr(DtClusterDistances) clusters = dt_cluster_distances_new(distances, linkage);
    g_autofree guint *members = g_new(guint, distances->n + 1);
    Chain chain = {members, 0};

    for (guint i = 0; i + 1 < distances->n; i++) {
        merges[i] = next_pair(clusters, &chain);
        dt_cluster_distances_join(clusters, merges[i].a, merges[i].b);
    }
}
