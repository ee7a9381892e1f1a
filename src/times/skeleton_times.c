/* A skeleton is lossless: the calls of a walk through it are those of the trace, one by one. So what passed before each
 * is read from the trace, and the walk says to which node it belongs. */
#include "times/skeleton_times.h"

#include "calls/calls.h"
#include "skeleton/node_times.h"
#include "skeleton/recorded_calls.h"
#include "times/processor_clock.h"
#include "times/timed_reader.h"

enum { BATCH = 4096 };

/* ---- what passed before each call of a trace ------------------------------------------------- */

typedef struct {
    const DtFunctions *functions;
    gboolean communication_only;
    GArray *wanted; /* guint8 by function: 0 not known yet, 1 no, 2 yes */
    GArray *frames; /* guint8: 2 if the open call counts */
    GArray *gaps;
    DtProcessorClock *processor; /* NULL: what passed by the clock is asked for */
    guint64 before_ns;           /* the last time that is known: when the call before ended; 0: none is */
    guint64 tracer_ns;           /* the tracer's own work so far */
    guint64 tracer_before;       /* then */
} Reading;

static guint8 is_wanted(Reading *reading, guint32 function)
{
    enum { NO = 1, YES = 2 };
    if (function >= reading->wanted->len)
        g_array_set_size(reading->wanted, function + 1);
    guint8 *known = &g_array_index(reading->wanted, guint8, function);
    if (*known == 0) {
        const char *name = dt_functions_get(reading->functions, function)->name;
        *known = dt_call_class(name) == DT_CALL_MPI && (!reading->communication_only || dt_call_communicates(name))
                     ? YES
                     : NO;
    }
    return *known;
}

static void end_at(Reading *reading, guint64 ns)
{
    if (ns == 0)
        return;
    reading->before_ns = ns;
    reading->tracer_before = reading->tracer_ns;
}

static guint64 passed_until(Reading *reading, guint64 ns)
{
    if (reading->processor != NULL)
        return dt_processor_clock_used(reading->processor, reading->before_ns, ns);
    return ns - MIN(ns, reading->before_ns);
}

static void enter(Reading *reading, const DtTimedEvent *event)
{
    const guint8 wanted = is_wanted(reading, event->event);
    g_array_append_val(reading->frames, wanted);
    if (wanted != 2)
        return;
    guint64 gap = DT_NO_GAP;
    if (event->ns > 0 && reading->before_ns > 0) {
        const guint64 tracer = reading->tracer_ns - reading->tracer_before;
        gap = passed_until(reading, event->ns);
        gap -= MIN(gap, tracer);
    }
    g_array_append_val(reading->gaps, gap);
    end_at(reading, event->ns); /* of calls within this one */
}

static void follow(Reading *reading, const DtTimedEvent *event)
{
    reading->tracer_ns += event->batch_ns - event->batch_begin_ns;
    if (event->event != DT_EVENT_RETURN) {
        enter(reading, event);
        return;
    }
    if (reading->frames->len == 0)
        return;
    if (g_array_index(reading->frames, guint8, reading->frames->len - 1) == 2)
        end_at(reading, event->ns);
    g_array_set_size(reading->frames, reading->frames->len - 1);
}

static gboolean read_gaps(const DtRun *run, const DtTrace *trace, const DtSkeletonOptions *options, DtCallGaps *read,
                          guint64 *span, GError **error)
{
    g_autoptr(GArray) wanted = g_array_new(FALSE, TRUE, sizeof(guint8));
    g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(guint8));
    g_autoptr(DtTimedReader) reader = dt_timed_reader_open(run, trace, DT_NAMES_ALONE, error);
    if (reader == NULL)
        return FALSE;
    g_autoptr(DtProcessorClock) processor =
        options->processor_times ? dt_processor_clock_new(dt_timed_reader_stamps(reader)) : NULL;
    Reading reading = {.functions = dt_run_functions(run),
                       .communication_only = options->communication_only,
                       .processor = processor,
                       .wanted = wanted,
                       .frames = frames,
                       .gaps = read->gaps,
                       .before_ns = dt_timed_reader_first_ns(reader)};
    DtTimedEvent events[BATCH];
    for (gsize count; (count = dt_timed_reader_next(reader, events, BATCH)) > 0;)
        for (gsize i = 0; i < count; i++)
            follow(&reading, &events[i]);
    *span = MAX(*span, dt_timed_reader_last_ns(reader) - dt_timed_reader_first_ns(reader));
    return TRUE;
}

gboolean dt_skeleton_add_times(DtSkeleton *skeleton, const DtRun *run, const DtSkeletonOptions *options, GError **error)
{
    guint64 span = 0;
    g_autoptr(GArray) traces = dt_call_gaps_new();
    for (guint t = 0; t < dt_run_trace_count(run); t++) {
        const DtTrace *trace = dt_run_trace(run, t);
        if (!dt_trace_is_of_rank(trace) || !dt_trace_has_times(trace))
            continue;
        DtCallGaps read = dt_call_gaps_of(traces, trace->thread, (guint)trace->process->rank);
        if (!read_gaps(run, trace, options, &read, &span, error))
            return FALSE;
    }
    dt_skeleton_put_times(skeleton, traces, span);
    return TRUE;
}
