/** One rank's calls, one after the other, from the skeleton: some hundred bytes a rank, whatever its calls. */
#ifndef DT_SKELETON_WALK_H
#define DT_SKELETON_WALK_H

#include "skeleton/skeleton.h"

G_BEGIN_DECLS

typedef struct DtWalk DtWalk;
/** From the first call of a rank's thread on; the skeleton is borrowed. */
DtWalk *dt_walk_new(const DtSkeleton *skeleton, guint thread, guint rank);
void dt_walk_free(DtWalk *walk);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtWalk, dt_walk_free)
/** Goes to the next call; NULL: there is none. O(depth + fields). */
const DtSkeletonNode *dt_walk_next(DtWalk *walk);
/** Taken so far, through calls and loops; more than DT_SKELETON_MOST_CALLS are not, and there is no next call then. */
guint64 dt_walk_steps(const DtWalk *walk);
/** The value of a field of the call, the `which`th of the kind, from 0; FALSE: it has none. Peers are distances, or
 * words, in whatever form the text has them. */
gboolean dt_walk_value(const DtWalk *walk, guint kind, guint which, DtValue *value);
/** Tells what the call, a receive from anybody, got this time, as a distance: what `last` means from now on. Without it
 * that is what was recorded. */
void dt_walk_got(DtWalk *walk, gint64 distance);
/** The call as text; g_free(). */
char *dt_walk_text(const DtWalk *walk);

G_END_DECLS

#endif
