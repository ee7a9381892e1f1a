/* Single linkage: the merges are the edges of a minimum spanning tree, grown from leaf 0. */
#include <math.h>

#include "cluster/linkage_algorithms.h"

/* The leaves of a class that are not in the tree yet. */
typedef struct {
    guint lowest; /* G_MAXUINT: none is left */
    double to_tree;
} Class;

/* Lists the leaves of each class in ascending order; returns the next one for each leaf, G_MAXUINT after the last. */
static guint *list_leaves(const DtMatrix *distances, Class *classes)
{
    guint *next = g_new(guint, distances->n);
    for (guint i = 0; i < distances->classes; i++) {
        classes[i] = (Class){G_MAXUINT, INFINITY};
    }
    for (guint leaf = distances->n; leaf-- > 0;) {
        Class *own = &classes[dt_matrix_class(distances, leaf)];
        next[leaf] = own->lowest;
        own->lowest = leaf;
    }
    return next;
}

/* The class with the leaf nearest to the tree, the lowest of equals, after class `newest` got one into it. */
static guint nearest_class(const DtMatrix *distances, Class *classes, guint newest)
{
    const double *row = distances->values + (gsize)newest * distances->classes;
    guint nearest = newest;
    double least = INFINITY;
    for (guint i = 0; i < distances->classes; i++) {
        if (classes[i].lowest == G_MAXUINT) {
            continue;
        }
        /* Leaves of a class are alike: not even the matrix's diagonal is between them. */
        classes[i].to_tree = fmin(classes[i].to_tree, i == newest ? 0.0 : row[i]);
        if (classes[i].to_tree < least ||
            (classes[i].to_tree == least && classes[i].lowest < classes[nearest].lowest)) {
            least = classes[i].to_tree;
            nearest = i;
        }
    }
    return nearest;
}

void dt_spanning_tree_linkage(const DtMatrix *distances, DtMerge *merges)
{
    g_autofree Class *classes = g_new0(Class, distances->classes);
    g_autofree guint *next = list_leaves(distances, classes);
    guint nearest = dt_matrix_class(distances, 0);
    guint newest = 0;

    classes[nearest].lowest = next[newest];
    for (guint k = 0; k + 1 < distances->n; k++) {
        nearest = nearest_class(distances, classes, nearest);
        guint leaf = classes[nearest].lowest;
        /* The edge may end at an older leaf of the tree; but whatever was added since then was
         * no farther, so after sorting the newest leaf is already in one cluster with it. */
        merges[k] = (DtMerge){.a = newest, .b = leaf, .distance = classes[nearest].to_tree, .size = 0};
        classes[nearest].lowest = next[leaf];
        newest = leaf;
    }
}
