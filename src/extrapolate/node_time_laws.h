/** How what passes between calls goes with the number of ranks, by pairs of lines of the merged skeleton. */
#ifndef DT_EXTRAPOLATE_NODE_TIME_LAWS_H
#define DT_EXTRAPOLATE_NODE_TIME_LAWS_H

#include "extrapolate/laws.h"
#include "extrapolate/time_law.h"

G_BEGIN_DECLS

typedef struct DtNodeTimeLaws DtNodeTimeLaws;
/** Of the times that the skeletons have: of each size the mean over all its ranks. `to`: the number of ranks to come;
 * 0: any. O(calls of all sizes). */
DtNodeTimeLaws *dt_node_time_laws_find(const DtLaws *laws, guint to);
void dt_node_time_laws_free(DtNodeTimeLaws *times);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtNodeTimeLaws, dt_node_time_laws_free)
/** Of what passes between calls of two nodes of the merged skeleton; `before` NULL: from the start on. If the one never
 * followed the other, that of `node` behind any. NULL: it has no times. Borrowed. O(1). */
const DtTimeLaw *dt_node_time_laws_get(const DtNodeTimeLaws *times, const DtSkeletonNode *node,
                                       const DtSkeletonNode *before);
/** The mean error of laws, each as much as passes there at the largest size; below 0: not known. */
gdouble dt_node_time_laws_error(const DtNodeTimeLaws *times);
/** Lines "after -1: 1.2ms/P+30us (4 %)" of the node, indented. */
void dt_node_time_laws_append(const DtNodeTimeLaws *times, const DtSkeletonNode *node, guint depth, GString *text);

/** Puts them to a predicted skeleton. `by_laws`: a skeleton with the same calls; `origins`: its calls -> those of the
 * merged one. O(calls). FALSE: these are more than DT_SKELETON_MOST_CALLS. */
gboolean dt_node_time_laws_put(const DtNodeTimeLaws *times, const DtSkeleton *by_laws, GHashTable *origins,
                               DtSkeleton *predicted, GError **error);

G_END_DECLS

#endif
