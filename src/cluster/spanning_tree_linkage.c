/* Single linkage: the merges are the edges of a minimum spanning tree, grown from leaf 0. */
#include <math.h>

#include "cluster/linkage_algorithms.h"

void dt_spanning_tree_linkage(const DtMatrix *distances, DtMerge *merges)
{
    guint n = distances->n;
    g_autofree gboolean *in_tree = g_new0(gboolean, n);
    g_autofree double *to_tree = g_new(double, n);
    guint newest = 0;

    for (guint i = 0; i < n; i++) {
        to_tree[i] = INFINITY;
    }
    for (guint k = 0; k + 1 < n; k++) {
        const double *row = distances->values + (gsize)newest * n;
        guint nearest = newest;
        double least = INFINITY;
        in_tree[newest] = TRUE;
        for (guint i = 0; i < n; i++) {
            if (in_tree[i]) {
                continue;
            }
            to_tree[i] = fmin(to_tree[i], row[i]);
            if (to_tree[i] < least) {
                least = to_tree[i];
                nearest = i;
            }
        }
        /* The edge may end at an older leaf of the tree; but whatever was added since then was
         * no farther, so after sorting the newest leaf is already in one cluster with it. */
        merges[k] = (DtMerge){.a = newest, .b = nearest, .distance = least, .size = 0};
        newest = nearest;
    }
}
