/**
 * When every event of a trace happened: where it has a stamp, then; between two stamps, by shares that are learned from
 * the trace itself. docs/algorithms/times.md
 */
#ifndef DT_TIMES_ATTRIBUTION_H
#define DT_TIMES_ATTRIBUTION_H

#include "times/timed_reader.h"

G_BEGIN_DECLS

/** What was learned of one trace. */
typedef struct DtAttribution DtAttribution;
/**
 * Reads the trace once and learns. `run` must outlive it. NULL and an error of the store if the file cannot be read. A
 * trace without times gives events whose times are all 0. O(events), and 100 times the kinds of gaps in at most some
 * million intervals; memory does not grow with the trace, but for its stamps.
 */
DtAttribution *dt_attribution_new(const DtRun *run, const DtTrace *trace, GError **error);
void dt_attribution_free(DtAttribution *attribution);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtAttribution, dt_attribution_free)

/** The span of the trace, as dt_timed_reader_first_ns() and _last_ns(). */
guint64 dt_attribution_first_ns(const DtAttribution *attribution);
guint64 dt_attribution_last_ns(const DtAttribution *attribution);
/** How many calls of a function returned, and how many of them have stamps at both ends. O(1). */
guint64 dt_attribution_calls(const DtAttribution *attribution, guint32 function, guint64 *stamped);
/** NULL, or one line of what is damaged; borrowed. */
const char *dt_attribution_problem(const DtAttribution *attribution);

/** An event with its time. */
typedef struct {
    guint32 event;     /* as dt_reader_next() gives it, by names alone */
    guint64 position;  /* as dt_reader_next_at() gives it */
    guint64 ns;        /* by the monotonic clock of the host */
    gboolean stamped;  /* the event has a stamp of its own */
    gboolean known;    /* it has one, or the tracer made a batch then; else `ns` is estimated */
    guint64 tracer_ns; /* right before it the tracer was at work for so long */
} DtPlacedEvent;

typedef struct DtPlacedReader DtPlacedReader;
/** Reads the trace again, from its first event on; `attribution` must outlive it. */
DtPlacedReader *dt_placed_reader_open(const DtAttribution *attribution, GError **error);
void dt_placed_reader_free(DtPlacedReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtPlacedReader, dt_placed_reader_free)
/** Up to `capacity` events, at least 1; how many, 0 at the end. Times do not descend, and none lies outside of the
 * trace's span. O(events). */
gsize dt_placed_reader_next(DtPlacedReader *reader, DtPlacedEvent *events, gsize capacity);
/** The times as they were recorded; borrowed. */
const DtStamps *dt_placed_reader_stamps(const DtPlacedReader *reader);

G_END_DECLS

#endif
