/** The trees of all classes of ranks as one: nodes that are the same to all stand once. */
#ifndef DT_SKELETON_MERGE_H
#define DT_SKELETON_MERGE_H

#include "skeleton/class_tree.h"

G_BEGIN_DECLS

/**
 * Merges the trees of classes, the largest first, by aligning the children of nodes: calls are alike if they are of one
 * function with the same fields; collectives weigh most, since they are the same to all. `on`: the ranks of each class.
 * Gives nodes of the skeleton (element-type DtSkeletonNode). O(classes * nodes^2).
 */
GPtrArray *dt_merge_classes(DtSkeleton *skeleton, const DtRecordedCalls *calls, const GPtrArray *trees,
                            const DtRankSet *const *on);

/** Frees one with its children. */
/** A call of the function (G_MAXUINT: a loop), on these ranks (borrowed), without fields; dt_skeleton_node_free(). */
DtSkeletonNode *dt_skeleton_node_new(const DtRankSet *on, guint function);
void dt_skeleton_node_free(gpointer node);

G_END_DECLS

#endif
