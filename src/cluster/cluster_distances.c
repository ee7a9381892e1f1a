/* Distances between clusters, and how joining two of them changes the others'. */
#include "cluster/cluster_distances.h"

#include <math.h>
#include <string.h>

#include "cluster/matrix_classes.h"

/* Room for `capacity` places; those that are in use keep their contents. */
static void set_capacity(DtClusterDistances *clusters, guint capacity)
{
    gsize old = clusters->capacity;
    double *distances = dt_values_new((gsize)capacity * capacity);
    for (guint i = 0; i < clusters->n; i++) {
        memcpy(distances + (gsize)i * capacity, clusters->distances + i * old, clusters->n * sizeof(double));
    }
    g_free(clusters->distances);
    clusters->distances = distances;
    clusters->sizes = g_renew(guint, clusters->sizes, capacity);
    clusters->alike = g_renew(guint, clusters->alike, capacity);
    clusters->names = g_renew(guint, clusters->names, capacity);
    clusters->capacity = capacity;
}

DtClusterDistances *dt_cluster_distances_take(DtMatrix *distances, DtLinkage linkage)
{
    DtClusterDistances *clusters = g_new0(DtClusterDistances, 1);
    clusters->linkage = linkage;
    clusters->n = clusters->capacity = distances->classes;
    clusters->distances = g_steal_pointer(&distances->values);
    clusters->sizes = g_new(guint, clusters->n);
    clusters->alike = g_new(guint, clusters->n);
    clusters->names = g_new(guint, clusters->n);
    clusters->next_alike = g_new0(guint, distances->n);
    for (guint i = 0; i < clusters->n; i++) {
        clusters->sizes[i] = 1;
        clusters->alike[i] = 0;
    }
    for (guint leaf = distances->n; leaf-- > 0;) {
        guint place = dt_matrix_class(distances, leaf);
        clusters->next_alike[leaf] = clusters->alike[place]++ > 0 ? clusters->names[place] : 0;
        clusters->names[place] = leaf;
    }
    return clusters;
}

DtClusterDistances *dt_cluster_distances_take_joined(DtMatrix *distances, DtLinkage linkage)
{
    DtClusterDistances *clusters = dt_cluster_distances_take(distances, linkage);
    for (guint leaf = 0; leaf < distances->n; leaf++) {
        clusters->names[dt_matrix_class(distances, leaf)] = leaf;
        clusters->next_alike[leaf] = 0;
    }
    for (guint i = 0; i < clusters->n; i++) {
        clusters->sizes[i] = clusters->alike[i];
        clusters->alike[i] = 1;
    }
    return clusters;
}

void dt_cluster_distances_free(DtClusterDistances *clusters)
{
    if (clusters) {
        g_free(clusters->distances);
        g_free(clusters->sizes);
        g_free(clusters->alike);
        g_free(clusters->names);
        g_free(clusters->next_alike);
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

/* Takes the first cluster out of its place; returns its name. */
static guint take_first(DtClusterDistances *clusters, guint place)
{
    guint name = clusters->names[place];
    clusters->alike[place]--;
    clusters->names[place] = clusters->next_alike[name];
    return name;
}

static guint place_for_union(DtClusterDistances *clusters, guint x, guint y)
{
    if (clusters->alike[y] == 0 || clusters->alike[x] == 0) {
        return clusters->alike[y] == 0 ? y : x;
    }
    if (clusters->n == clusters->capacity) {
        set_capacity(clusters, clusters->capacity + clusters->capacity / 8 + 16);
    }
    return clusters->n++;
}

void dt_cluster_distances_join(DtClusterDistances *clusters, guint x, guint y)
{
    gsize x_row = x, y_row = y;
    Triple triple = {
        .xy = dt_cluster_distances_row(clusters, x)[y], .size_x = clusters->sizes[x], .size_y = clusters->sizes[y]};
    guint name_x = take_first(clusters, x);
    guint name_y = take_first(clusters, y);
    gsize union_row = place_for_union(clusters, x, y);
    gsize length = clusters->capacity;
    double *to_x = clusters->distances + x_row * length;
    double *to_y = clusters->distances + y_row * length;
    double *to_union = clusters->distances + union_row * length;

    for (guint z = 0; z < clusters->n; z++) {
        if (z == union_row || clusters->alike[z] == 0) {
            continue;
        }
        triple.xz = to_x[z];
        triple.yz = to_y[z];
        triple.size_z = clusters->sizes[z];
        to_union[z] = joined_distance(clusters->linkage, &triple);
        clusters->distances[z * length + union_row] = to_union[z];
    }
    clusters->sizes[union_row] = (guint)(triple.size_x + triple.size_y);
    clusters->alike[union_row] = 1;
    clusters->names[union_row] = MAX(name_x, name_y);
    clusters->next_alike[MAX(name_x, name_y)] = 0;
}
