/**
 * Clocks of several hosts, by what happened anyway: nothing is received before it was sent, and no collective call in
 * which all wait for all is left before all have come to it. docs/algorithms/wait_states.md, section Clocks.
 */
#ifndef DT_TIMES_CLOCKS_H
#define DT_TIMES_CLOCKS_H

#include "times/messages.h"

G_BEGIN_DECLS

/** How far a host's clock is ahead of the first host's. */
typedef struct {
    gboolean known;
    gint64 offset_ns; /* in the middle of the span */
    gint64 half_ns;   /* it may be so much more or less; below 0: its clock goes at another pace, or calls are matched
                         that do not belong together */
    gdouble drift;    /* of a second in a second; 0 if it was not needed */
} DtHostClock;

typedef struct {
    GArray *hosts;  /* DtHostClock, in the order of the messages' */
    guint64 bounds; /* pairs of times of which one was before the other */
    guint64 violated_before, violated_after;
    gint64 middle; /* of the span, by a clock that is not corrected */
} DtClocks;

/** Estimates them of times that are not corrected yet. With one host there is nothing to do. O(messages + collectives *
 * hosts^2 + hosts^3). */
DtClocks *dt_clocks_estimate(const DtMessages *messages);
/** Corrects all times of the messages. O(calls). */
void dt_clocks_apply(const DtClocks *clocks, DtMessages *messages);
/** A time of a rank, by its base, that is not among these. */
gint64 dt_clocks_correct(const DtClocks *clocks, const DtMessages *messages, guint rank, gint64 ns);
void dt_clocks_free(DtClocks *clocks);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtClocks, dt_clocks_free)

G_END_DECLS

#endif
