/** Within the building of a class tree. */
#ifndef DT_SKELETON_TREE_BUILDING_H
#define DT_SKELETON_TREE_BUILDING_H

#include "skeleton/class_tree.h"

G_BEGIN_DECLS

typedef struct {
    const DtRecordedCalls *calls;
    const guint8 *rungs; /* DtRung by call */
    GHashTable *keys;    /* bytes -> key + 1 */
} DtTreeBuilding;

guint32 dt_tree_loop_key(DtTreeBuilding *building, const GPtrArray *children);
/** A loop that was visited once; takes over the children. */
DtTreeNode *dt_tree_loop_new(DtTreeBuilding *building, GPtrArray *children, gint64 count);

/**
 * An iteration that stands before or behind its loop because a part of it is missing becomes one of the loop's: the
 * missing part goes round 0 times there, and 1 time else. `nodes` is changed, and what is in it. O(nodes * calls of
 * rows).
 */
void dt_tree_take_in_parts(DtTreeBuilding *building, GPtrArray *nodes);

G_END_DECLS

#endif
