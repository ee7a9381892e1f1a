/**
 * How the time of threads divides, column by column: in calls of MPI, OpenMP and pthreads, waiting for others in them,
 * and else in the program's own code. What a picture over time is drawn from.
 */
#ifndef DT_TIMES_TIMELINE_H
#define DT_TIMES_TIMELINE_H

#include "times/wait_states.h"

G_BEGIN_DECLS

/** What is asked for. */
typedef struct {
    const DtWaitStates *states;
    const guint *group_of; /* by row of the messages; DT_NO_CALL: it is left out */
    guint groups;
    guint columns; /* at least 1 */
    gint64 begin, end;
} DtTimelineWants;

/** By group, columns within: nanoseconds of all its threads together. */
typedef struct {
    guint groups, columns;
    gint64 begin, end; /* of the first and the last column, by the first host's monotonic clock */
    gfloat *present;   /* while the threads were there */
    gfloat *in_calls;  /* in such a call, and not waiting */
    gfloat *waiting;   /* waiting for others, or in a call that never returned */
} DtTimeline;
/** O(calls + groups * columns), and the columns that a call spans. */
DtTimeline *dt_timeline_new(const DtTimelineWants *wants);
void dt_timeline_free(DtTimeline *timeline);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtTimeline, dt_timeline_free)

/** From the first thread's begin to the last one's end, open calls with it; FALSE: no thread has times that can be. */
gboolean dt_timeline_span(const DtMessages *messages, gint64 *begin, gint64 *end);

G_END_DECLS

#endif
