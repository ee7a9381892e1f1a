/*
 * Linkage by nearest-neighbour chains: from a cluster to its nearest neighbour
 * and on, until two are each other's nearest and are joined. Right for linkages
 * where a union is never nearer to a third cluster than both of its parts.
 */
#include <math.h>

#include "cluster/cluster_distances.h"
#include "cluster/linkage_algorithms.h"

/*
 * Where classes are at distance 0 from each other, ties may make many unions of a few leaves each before
 * they grow together, all with rows of their own. Beyond so many at a time, the leaves of each class are joined
 * first instead.
 */
enum { MOST_UNIONS = 2048 };

/* A cluster: its place, and its name, since a place may hold several that are alike. */
typedef struct {
    guint place, name;
} Cluster;

/* The clusters on the chain, each the nearest neighbour of the one before. */
typedef struct {
    Cluster *clusters;
    guint length;
} Chain;

static Cluster lowest_cluster_left(const DtClusterDistances *clusters)
{
    Cluster lowest = {0, G_MAXUINT};
    for (guint i = 0; i < clusters->n; i++) {
        if (clusters->alike[i] > 0 && clusters->names[i] < lowest.name) {
            lowest = (Cluster){i, clusters->names[i]};
        }
    }
    return lowest;
}

/* The lowest cluster of a place other than `except`, which may be its first; the name is 0 if there is none. */
static guint lowest_name(const DtClusterDistances *clusters, guint place, Cluster except)
{
    guint name = clusters->names[place];
    return place == except.place && name == except.name ? clusters->next_alike[name] : name;
}

/*
 * The nearest neighbour of the chain's end: among equals the cluster before it
 * on the chain, so that the walk ends, then the lowest.
 */
static Cluster nearest_of_end(const DtClusterDistances *clusters, const Chain *chain)
{
    Cluster end = chain->clusters[chain->length - 1];
    const double *row = dt_cluster_distances_row(clusters, end.place);
    Cluster nearest = {end.place, G_MAXUINT};
    double least = INFINITY;
    if (chain->length > 1) {
        nearest = chain->clusters[chain->length - 2];
        least = row[nearest.place];
    }
    gboolean is_before = chain->length > 1;
    for (guint i = 0; i < clusters->n; i++) {
        if (row[i] > least || clusters->alike[i] == 0 || (i == end.place && clusters->alike[i] == 1)) {
            continue;
        }
        guint name = lowest_name(clusters, i, end);
        if (row[i] < least || (!is_before && name < nearest.name)) {
            least = row[i];
            nearest = (Cluster){i, name};
            is_before = FALSE;
        }
    }
    return nearest;
}

/* Walks until the chain's last two are each other's nearest neighbours; takes them off. */
static DtMerge join_next_pair(DtClusterDistances *clusters, Chain *chain)
{
    if (chain->length == 0) {
        chain->clusters[chain->length++] = lowest_cluster_left(clusters);
    }
    for (;;) {
        Cluster nearest = nearest_of_end(clusters, chain);
        if (chain->length > 1 && nearest.name == chain->clusters[chain->length - 2].name) {
            break;
        }
        chain->clusters[chain->length++] = nearest;
    }
    chain->length -= 2;
    Cluster low = chain->clusters[chain->length];
    Cluster high = chain->clusters[chain->length + 1];
    if (low.name > high.name) {
        Cluster swapped = low;
        low = high;
        high = swapped;
    }
    DtMerge merge = {.a = low.name,
                     .b = high.name,
                     .distance = dt_cluster_distances_row(clusters, low.place)[high.place],
                     .size = clusters->sizes[low.place] + clusters->sizes[high.place]};
    dt_cluster_distances_join(clusters, low.place, high.place);
    return merge;
}

/* Joins the leaves of each class, in ascending order; returns how many merges that took. */
static guint join_classes(const DtMatrix *distances, DtMerge *merges)
{
    g_autofree guint *sizes = g_new0(guint, distances->classes);
    g_autofree guint *last = g_new(guint, distances->classes);
    guint made = 0;
    for (guint leaf = 0; leaf < distances->n; leaf++) {
        guint own = dt_matrix_class(distances, leaf);
        if (sizes[own]++ > 0) {
            merges[made++] = (DtMerge){.a = last[own], .b = leaf, .distance = 0.0, .size = sizes[own]};
        }
        last[own] = leaf;
    }
    return made;
}

/* A union has a place of its own only as long as both places that it came from hold more. */
static gboolean may_be_too_many(const DtMatrix *distances)
{
    return (distances->n - distances->classes) / 2 > MOST_UNIONS;
}

void dt_chain_linkage(DtMatrix *distances, DtLinkage linkage, DtMerge *merges)
{
    g_autoptr(DtMatrix) original = may_be_too_many(distances) ? dt_matrix_copy(distances) : NULL;
    g_autoptr(DtClusterDistances) clusters = dt_cluster_distances_take(distances, linkage);
    g_autofree Cluster *members = g_new(Cluster, distances->n + 1);
    Chain chain = {members, 0};

    for (guint i = 0; i + 1 < distances->n; i++) {
        if (clusters->n > distances->classes + MOST_UNIONS) {
            dt_cluster_distances_free(clusters);
            clusters = dt_cluster_distances_take_joined(original, linkage);
            chain.length = 0;
            i = join_classes(distances, merges);
        }
        merges[i] = join_next_pair(clusters, &chain);
    }
}
