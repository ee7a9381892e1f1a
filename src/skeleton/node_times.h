/**
 * What passed between a call and the one before it, by node of the skeleton and by which call that was: path-sensitive
 * delta times (P. Ratn, F. Mueller, B. de Supinski, M. Schulz: Preserving time in large-scale communication traces. ICS
 * 2008). In the text a line each, below the call:
 *
 *     MPI_Allreduce(world, sum, 1 x 8 B)
 *       after -1: 400 x 1.25ms (1.1ms to 2.3ms) [1.1ms^50 1.4ms^50]
 *
 * Nanoseconds, of four digits that say something.
 */
#ifndef DT_SKELETON_NODE_TIMES_H
#define DT_SKELETON_NODE_TIMES_H

#include "skeleton/skeleton.h"

G_BEGIN_DECLS

/** Instead of DtNodeTime.after: no call came before. */
#define DT_AFTER_START G_MININT64

/** Of calls of a node that follow calls of one other, or of the same. */
typedef struct {
    const DtRankSet *on;
    gint64 after;  /* where the call before stands: so many calls further down in the thread's text, above it if less
                      than 0, itself if 0; DT_AFTER_START */
    guint64 count; /* of all these ranks; calls without times count as 0 */
    gint64 least, mean, most;
    DtRow *row; /* by visits of a rank, a mean over the ranks; of one value if it is about the same at all; owned */
} DtNodeTime;

/** To four digits. Of less than 0: 0. */
gint64 dt_time_rounded(gdouble ns);
/** Appends "1.25ms" for 1250000. The time is rounded, as all in a skeleton are. */
void dt_time_append(GString *text, gint64 ns);
/** Reads a time, rounds it, and moves `*at` behind it; NULL, or what is wrong there (static). */
const char *dt_time_parse(const char **at, gint64 *ns);

/** Takes over the row. Times of a node stand by `after`, and by their smallest ranks. */
void dt_node_add_time(DtSkeletonNode *node, const DtNodeTime *time);
/** What passed for a rank before a call of the node, where the call before was `after` calls from it; NULL: it is not
 * known. Borrowed. O(times of the node). */
const DtNodeTime *dt_node_find_time(const DtSkeletonNode *node, gint64 after, guint rank);
/** Calls of a thread by their place in its text, from 0 on (element-type DtSkeletonNode): what DtNodeTime.after counts.
 * O(nodes). */
GPtrArray *dt_skeleton_calls(const DtSkeletonThread *thread);
/** What passed before each call of a rank's thread, in the order of its walk. */
typedef struct {
    guint thread, rank;
    GArray *gaps; /* guint64: ns by call, DT_NO_GAP: it has no time */
} DtCallGaps;
#define DT_NO_GAP G_MAXUINT64
/** Of no thread (element-type DtCallGaps); g_array_unref(). */
GArray *dt_call_gaps_new(void);
/** Adds those of a thread, none so far; its `gaps` are borrowed. */
DtCallGaps dt_call_gaps_of(GArray *all, guint thread, guint rank);
/** Gives the calls of a skeleton these times. Ranks whose means are within a tenth of each other have one time, and so
 * have visits; what is less than a 200th of `span`, in ns, is not told apart. At most 8 times a pair of calls, each of
 * at most 16 parts. O(calls). */
void dt_skeleton_put_times(DtSkeleton *skeleton, const GArray *gaps, guint64 span);
/** Whether any call has times. */
gboolean dt_skeleton_has_times(const DtSkeleton *skeleton);
/** Takes all times out. */
void dt_skeleton_drop_times(DtSkeleton *skeleton);
/** "400 x 1.25ms (1.1ms to 2.3ms) [1.1ms^50 1.4ms^50]" */
void dt_node_time_append(GString *text, const DtNodeTime *time);
/** "[1.1ms^50 1.4ms^50]", or one time. */
void dt_time_row_append(GString *text, const DtRow *row);

G_END_DECLS

#endif
