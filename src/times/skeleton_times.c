/* A skeleton is lossless: the calls of a walk through it are those of the trace, one by one. So what passed before each
 * is read from the trace, and the walk says to which node it belongs. */
#include "times/skeleton_times.h"

#include "calls/calls.h"
#include "skeleton/node_times.h"
#include "skeleton/recorded_calls.h"
#include "times/timed_reader.h"

enum { BATCH = 4096 };

/* ---- what passed before each call of a trace ------------------------------------------------- */

/* When a gap was. */
typedef struct {
    guint64 from, to, tracer;
} Span;

typedef struct {
    const DtFunctions *functions;
    gboolean communication_only;
    GArray *wanted; /* guint8 by function: 0 not known yet, 1 no, 2 yes */
    GArray *frames; /* guint8: 2 if the open call counts */
    GArray *gaps;
    GArray *spans;         /* Span, of gaps; NULL: what passed by the clock is asked for */
    guint64 before_ns;     /* the last time that is known: when the call before ended; 0: none is */
    guint64 tracer_ns;     /* the tracer's own work so far */
    guint64 tracer_before; /* then */
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

static void enter(Reading *reading, const DtTimedEvent *event)
{
    const guint8 wanted = is_wanted(reading, event->event);
    g_array_append_val(reading->frames, wanted);
    if (wanted != 2)
        return;
    guint64 gap = DT_NO_GAP;
    Span span = {0};
    if (event->ns > 0 && reading->before_ns > 0) {
        span = (Span){MIN(event->ns, reading->before_ns), event->ns, reading->tracer_ns - reading->tracer_before};
        gap = span.to - span.from;
        gap -= MIN(gap, span.tracer);
    }
    g_array_append_val(reading->gaps, gap);
    if (reading->spans)
        g_array_append_val(reading->spans, span);
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

/* ---- what was used of the processor ---------------------------------------------------------- */

/* Between readings of the processor's clock; 0 is before the first one, and there is one more behind the last. */
typedef struct {
    const DtProcessorTime *readings;
    gsize count;
    gdouble *gaps;  /* ns of gaps in it */
    gdouble *share; /* how much of a gap there was used */
} Intervals;

/* Of a gap: adds its parts to the intervals, or, where shares are known, gives what was used. `first` is where the gap
 * before began. */
static gdouble go_through(const Intervals *in, const Span *span, gsize *first, gboolean is_adding)
{
    gdouble used = 0;
    while (*first < in->count && in->readings[*first].ns <= span->from)
        ++*first;
    guint64 from = span->from;
    for (gsize k = *first; from < span->to; k++) {
        const guint64 end = k < in->count ? MIN(in->readings[k].ns, span->to) : span->to;
        if (is_adding)
            in->gaps[k] += (gdouble)(end - from);
        else
            used += in->share[k] * (gdouble)(end - from);
        from = end;
    }
    return used;
}

/* What others take of the processor they take of all alike, gaps and calls; but gaps took at least what calls cannot
 * have taken, and no more than all. */
static gdouble share_of(const Intervals *in, gsize k)
{
    if (k == 0 || k == in->count || in->gaps[k] <= 0)
        return 1;
    const DtProcessorTime *before = &in->readings[k - 1];
    const gdouble lasts = (gdouble)(before[1].ns - before->ns),
                  used = (gdouble)(before[1].processor_ns - MIN(before[1].processor_ns, before->processor_ns));
    const gdouble least = used - (lasts - in->gaps[k]), most = MIN(used, in->gaps[k]);
    return MIN(MAX(in->gaps[k] * used / lasts, least), most) / in->gaps[k];
}

static void use_processor(const GArray *spans, const DtStamps *stamps, GArray *gaps)
{
    Intervals in = {0};
    gsize first = 0;
    in.readings = dt_stamps_processor_times(stamps, &in.count);
    g_autofree gdouble *sums = g_new0(gdouble, in.count + 1), *share = g_new0(gdouble, in.count + 1);
    in.gaps = sums;
    in.share = share;
    for (guint i = 0; i < spans->len; i++)
        go_through(&in, &g_array_index(spans, Span, i), &first, TRUE);
    for (gsize k = 0; k <= in.count; k++)
        share[k] = share_of(&in, k);
    first = 0;
    for (guint i = 0; i < spans->len; i++) {
        const Span *span = &g_array_index(spans, Span, i);
        guint64 *gap = &g_array_index(gaps, guint64, i);
        if (*gap == DT_NO_GAP)
            continue;
        *gap = (guint64)go_through(&in, span, &first, FALSE);
        *gap -= MIN(*gap, span->tracer);
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static gboolean read_gaps(const DtRun *run, const DtTrace *trace, const DtSkeletonOptions *options, DtCallGaps *read,
                          guint64 *span, GError **error)
{
    g_autoptr(GArray) wanted = g_array_new(FALSE, TRUE, sizeof(guint8));
    g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(guint8));
    g_autoptr(DtTimedReader) reader = dt_timed_reader_open(run, trace, DT_NAMES_ALONE, error);
    if (!reader)
        return FALSE;
    g_autoptr(GArray) spans = options->processor_times ? g_array_new(FALSE, FALSE, sizeof(Span)) : NULL;
    Reading reading = {.functions = dt_run_functions(run),
                       .communication_only = options->communication_only,
                       .wanted = wanted,
                       .frames = frames,
                       .gaps = read->gaps,
                       .spans = spans,
                       .before_ns = dt_timed_reader_first_ns(reader)};
    DtTimedEvent events[BATCH];
    for (gsize count; (count = dt_timed_reader_next(reader, events, BATCH)) > 0;)
        for (gsize i = 0; i < count; i++)
            follow(&reading, &events[i]);
    if (spans)
        use_processor(spans, dt_timed_reader_stamps(reader), read->gaps);
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
