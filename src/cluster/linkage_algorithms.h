/**
 * The algorithms behind dt_dendrogram_new(). Those that find merges out of order
 * name clusters by one of their leaves; linkage.c sorts and numbers them. Where `distances` is no
 * constant, its values may be taken.
 */
#ifndef DT_CLUSTER_LINKAGE_ALGORITHMS_H
#define DT_CLUSTER_LINKAGE_ALGORITHMS_H

#include "cluster/cluster.h"

/** Nearest-neighbour chains (Murtagh 1983): complete, average, weighted, ward. Unsorted; fills n-1 merges. O(n^2). */
void dt_chain_linkage(DtMatrix *distances, DtLinkage linkage, DtMerge *merges);

/** Minimum spanning tree (Prim 1957): single. Unsorted; fills n-1 merges. O(n^2). */
void dt_spanning_tree_linkage(const DtMatrix *distances, DtMerge *merges);

/** Generic algorithm (Müllner 2011): centroid, median, where merges may come closer than earlier ones. Numbered. */
void dt_generic_linkage(DtMatrix *distances, DtLinkage linkage, DtMerge *merges);

#endif
