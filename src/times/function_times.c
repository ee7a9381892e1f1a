#include "times/function_times.h"

#include "calls/calls.h"
#include "times/attribution.h"
#include "times/processor_clock.h"

enum { BATCH = 4096 };
/* The processor's clock is read as soon as a call's stamp is made, or had been so shortly before. */
enum { READ_WITHIN_NS = 600000 };

/* A pass in which a function was met: passes are nested, so they are on a stack. */
typedef struct {
    guint64 serial;
    guint32 within;
    guint64 begin_ns, ns, work_ns;
} Pass;

/* A function, while the trace is read. */
typedef struct {
    DtFunctionTime time;
    gboolean known, mpi, library;
    guint open;         /* calls of it that are */
    guint64 since_ns;   /* the outermost of them, by own_clock() */
    guint64 mpi_before; /* Reading.mpi_ns when that was entered */
    GArray *passes;     /* Pass; NULL: none yet */
    gboolean passes_of_several;
    guint64 pass_ns, pass_work_ns; /* in the loop's pass that goes on */
} Tally;

typedef struct {
    guint32 function;
    gboolean stamped;
    guint64 begin_ns;
    guint64 since_ns; /* the same by own_clock() */
    guint64 below_ns; /* in calls that it made */
    guint64 work_ns;  /* on top of the stack, by the processor's clock */
    guint64 serial;   /* of the innermost pass, this call's own if it makes one */
    guint32 within;   /* whose pass that is */
} Frame;

typedef struct {
    const DtFunctions *functions;
    const DtAttribution *attribution;
    DtFunctionTimes *times;
    GArray *tallies; /* Tally by function */
    GArray *frames;  /* Frame */
    guint64 serials; /* passes so far */
    guint mpi_open;
    guint64 mpi_since, mpi_ns; /* all time in MPI so far */
    guint64 last_ns;
    gboolean last_known;
    DtProcessorClock *clock;
    guint64 long_calls, read_calls; /* calls that took long; of these, those at whose end the clock was read */
    const GArray *loop;             /* DtLoopPass; NULL: not asked for */
    guint pass;                     /* index of the one that goes on, or comes next */
    gboolean in_loop;
} Reading;

static Tally *tally_of(Reading *reading, guint32 function)
{
    if (function >= reading->tallies->len)
        g_array_set_size(reading->tallies, function + 1);
    Tally *tally = &g_array_index(reading->tallies, Tally, function);
    if (tally->known)
        return tally;
    guint64 stamped, calls = dt_attribution_calls(reading->attribution, function, &stamped);
    tally->known = TRUE;
    const char *name = dt_functions_get(reading->functions, function)->name;
    tally->mpi = dt_call_class(name) == DT_CALL_MPI;
    tally->library = dt_call_class(name) != DT_CALL_UNKNOWN;
    tally->time.function = function;
    tally->time.of = calls > 0 && stamped >= calls - calls / 10 ? DT_SERIES_OF_CALLS : DT_SERIES_OF_PASSES;
    return tally;
}

static Frame *top_frame(const Reading *reading)
{
    return reading->frames->len > 0 ? &g_array_index(reading->frames, Frame, reading->frames->len - 1) : NULL;
}

/* ---- passes ---------------------------------------------------------------------------------- */

static void end_pass(Tally *tally)
{
    const Pass *pass = &g_array_index(tally->passes, Pass, tally->passes->len - 1);
    if (tally->time.series.count > 0 && tally->time.within != pass->within)
        tally->passes_of_several = TRUE;
    tally->time.within = pass->within;
    dt_call_series_add(&tally->time.series, pass->begin_ns, pass->ns);
    dt_call_series_add(&tally->time.work, pass->begin_ns, pass->work_ns);
    g_array_set_size(tally->passes, tally->passes->len - 1);
}

/* Passes with a higher number than the one that goes on are over: they began in it. */
static void add_to_pass(Tally *tally, const Frame *frame, guint64 from_ns, guint64 ns, guint64 work_ns)
{
    if (!tally->passes)
        tally->passes = g_array_new(FALSE, FALSE, sizeof(Pass));
    while (tally->passes->len > 0 && g_array_index(tally->passes, Pass, tally->passes->len - 1).serial > frame->serial)
        end_pass(tally);
    if (tally->passes->len == 0 || g_array_index(tally->passes, Pass, tally->passes->len - 1).serial < frame->serial) {
        const Pass pass = {frame->serial, frame->within, from_ns, 0, 0};
        g_array_append_val(tally->passes, pass);
    }
    g_array_index(tally->passes, Pass, tally->passes->len - 1).ns += ns;
    g_array_index(tally->passes, Pass, tally->passes->len - 1).work_ns += work_ns;
}

/* ---- passes of the loop ------------------------------------------------------------------------ */

/* A function that is met later has an entry of 0 for each pass before. */
static void end_loop_pass(Reading *reading, const DtLoopPass *pass)
{
    for (guint32 i = 0; i < reading->tallies->len; i++) {
        Tally *tally = &g_array_index(reading->tallies, Tally, i);
        if (!tally->known || (tally->pass_ns == 0 && tally->time.by_pass.count == 0))
            continue;
        while (tally->time.by_pass.count < reading->pass) {
            const guint before = (guint)tally->time.by_pass.count;
            const guint64 begin_ns = g_array_index(reading->loop, DtLoopPass, before).begin_ns;
            dt_call_series_add(&tally->time.by_pass, begin_ns, 0);
            dt_call_series_add(&tally->time.work_by_pass, begin_ns, 0);
        }
        dt_call_series_add(&tally->time.by_pass, pass->begin_ns, tally->pass_ns);
        dt_call_series_add(&tally->time.work_by_pass, pass->begin_ns, tally->pass_work_ns);
        tally->pass_ns = tally->pass_work_ns = 0;
    }
}

/* Passes begin with events, so what passes between two events is in one of them or in none. */
static void go_through_loop(Reading *reading, guint64 ns)
{
    while (reading->loop && reading->pass < reading->loop->len) {
        const DtLoopPass *pass = &g_array_index(reading->loop, DtLoopPass, reading->pass);
        if (!reading->in_loop && ns < pass->begin_ns)
            return;
        reading->in_loop = TRUE;
        if (ns < pass->begin_ns + pass->ns)
            return;
        end_loop_pass(reading, pass);
        reading->pass++;
        reading->in_loop = FALSE;
    }
}

/* ---- events ---------------------------------------------------------------------------------- */

/* What passed since the last event is that of the function on top, but for the tracer's own. */
static void pass_time(Reading *reading, guint64 ns, guint64 tracer_ns, gboolean known)
{
    const guint64 passed = ns - reading->last_ns - tracer_ns;
    Frame *frame = top_frame(reading);
    const guint64 work = dt_processor_clock_used(reading->clock, reading->last_ns, reading->last_ns + passed);
    if (!frame) {
        reading->times->outside_ns += passed;
    } else {
        Tally *tally = tally_of(reading, frame->function);
        tally->time.exclusive_ns += passed;
        if (known && reading->last_known)
            tally->time.told_ns += passed;
        if (reading->in_loop) {
            tally->pass_ns += passed;
            tally->pass_work_ns += work;
        }
        if (tally->time.of == DT_SERIES_OF_PASSES)
            add_to_pass(tally, frame, reading->last_ns, passed, work);
        frame->work_ns += work;
    }
    go_through_loop(reading, ns);
    reading->last_ns = ns;
    reading->last_known = known;
}

/* The time of the last event by a clock that stands while the tracer is at work. */
static guint64 own_clock(const Reading *reading)
{
    return reading->last_ns - reading->times->tracer_ns;
}

static void enter(Reading *reading, const DtPlacedEvent *event)
{
    const guint64 now = own_clock(reading);
    Tally *tally = tally_of(reading, event->event);
    const Frame *caller = top_frame(reading);
    Frame frame = {.function = event->event, .stamped = event->stamped, .begin_ns = event->ns, .since_ns = now};
    if (caller) {
        frame.serial = caller->serial;
        frame.within = caller->within;
    }
    if (tally->time.of == DT_SERIES_OF_CALLS) {
        frame.serial = ++reading->serials;
        frame.within = event->event;
    }
    if (tally->open++ == 0) {
        tally->since_ns = now;
        tally->mpi_before = reading->mpi_ns;
    }
    if (tally->mpi && reading->mpi_open++ == 0)
        reading->mpi_since = now;
    tally->time.calls++;
    g_array_append_val(reading->frames, frame);
}

/* Calls of MPI and of other libraries are not asked: the clock is not read at their ends. */
static void count_long_call(Reading *reading, const Tally *tally, guint64 took)
{
    if (tally->library || took < DT_WORK_NS)
        return;
    reading->long_calls++;
    reading->read_calls += dt_processor_clock_was_read(reading->clock, reading->last_ns, READ_WITHIN_NS) ? 1 : 0;
}

static void leave(Reading *reading, guint64 ns, gboolean stamped)
{
    if (reading->frames->len == 0)
        return;
    const Frame frame = *top_frame(reading);
    Tally *tally = tally_of(reading, frame.function);
    const guint64 took = ns - frame.since_ns;
    g_array_set_size(reading->frames, reading->frames->len - 1);
    if (top_frame(reading))
        top_frame(reading)->below_ns += took;
    if (tally->time.of == DT_SERIES_OF_CALLS && frame.stamped && stamped) {
        dt_call_series_add(&tally->time.series, frame.begin_ns, took - frame.below_ns);
        dt_call_series_add(&tally->time.work, frame.begin_ns, frame.work_ns);
        count_long_call(reading, tally, took);
    }
    const gboolean outermost_mpi = tally->mpi && --reading->mpi_open == 0;
    if (--tally->open == 0) {
        tally->time.inclusive_ns += ns - tally->since_ns;
        tally->time.mpi_ns += reading->mpi_ns - tally->mpi_before;
    }
    if (outermost_mpi)
        reading->mpi_ns += ns - reading->mpi_since;
}

static void take_event(Reading *reading, const DtPlacedEvent *event)
{
    pass_time(reading, event->ns, event->tracer_ns, event->known);
    reading->times->tracer_ns += event->tracer_ns;
    if (event->event != DT_EVENT_RETURN)
        enter(reading, event);
    else
        leave(reading, own_clock(reading), event->stamped);
}

/* ---- a trace --------------------------------------------------------------------------------- */

static void end_reading(Reading *reading)
{
    pass_time(reading, reading->times->last_ns, 0, FALSE);
    while (reading->frames->len > 0)
        leave(reading, own_clock(reading), FALSE);
    go_through_loop(reading, G_MAXUINT64);
    for (guint32 i = 0; i < reading->tallies->len; i++) {
        Tally *tally = &g_array_index(reading->tallies, Tally, i);
        while (tally->passes && tally->passes->len > 0)
            end_pass(tally);
        g_clear_pointer(&tally->passes, g_array_unref);
        if (tally->passes_of_several)
            tally->time.within = 0;
        if (tally->time.calls > 0)
            g_array_append_val(reading->times->functions, tally->time);
    }
}

static gboolean read_events(Reading *reading, GError **error)
{
    g_autoptr(DtPlacedReader) reader = dt_placed_reader_open(reading->attribution, error);
    g_autofree DtPlacedEvent *events = g_new(DtPlacedEvent, BATCH);
    if (!reader)
        return FALSE;
    g_autoptr(DtProcessorClock) clock = dt_processor_clock_new(dt_placed_reader_stamps(reader));
    reading->clock = clock;
    for (gsize count; (count = dt_placed_reader_next(reader, events, BATCH)) > 0;)
        for (gsize i = 0; i < count; i++)
            take_event(reading, &events[i]);
    end_reading(reading);
    return TRUE;
}

static void clear_time(gpointer time)
{
    DtFunctionTime *own = time;
    dt_call_series_clear(&own->series);
    dt_call_series_clear(&own->by_pass);
    dt_call_series_clear(&own->work);
    dt_call_series_clear(&own->work_by_pass);
}

DtFunctionTimes *dt_function_times_new(const DtRun *run, const DtTrace *trace, GError **error)
{
    return dt_function_times_by_pass(run, trace, NULL, error);
}

DtFunctionTimes *dt_function_times_by_pass(const DtRun *run, const DtTrace *trace, const GArray *passes, GError **error)
{
    g_autoptr(DtAttribution) attribution = dt_attribution_new(run, trace, error);
    if (!attribution)
        return NULL;
    g_autoptr(DtFunctionTimes) times = g_new0(DtFunctionTimes, 1);
    times->trace = trace;
    times->first_ns = dt_attribution_first_ns(attribution);
    times->last_ns = dt_attribution_last_ns(attribution);
    times->problem = g_strdup(dt_attribution_problem(attribution));
    times->functions = g_array_new(FALSE, TRUE, sizeof(DtFunctionTime));
    g_array_set_clear_func(times->functions, clear_time);
    Reading reading = {.functions = dt_run_functions(run), .attribution = attribution, .times = times, .loop = passes};
    reading.tallies = g_array_new(FALSE, TRUE, sizeof(Tally));
    reading.frames = g_array_new(FALSE, FALSE, sizeof(Frame));
    reading.last_ns = times->first_ns;
    gboolean read = read_events(&reading, error);
    times->work_known = reading.long_calls > 0 && reading.read_calls >= reading.long_calls - reading.long_calls / 10;
    g_array_unref(reading.frames);
    g_array_unref(reading.tallies);
    return read ? g_steal_pointer(&times) : NULL;
}

void dt_function_times_free(DtFunctionTimes *times)
{
    if (!times)
        return;
    g_array_unref(times->functions);
    g_free(times->problem);
    g_free(times);
}

static gint compare_function(gconstpointer first, gconstpointer second)
{
    const DtFunctionTime *one = first, *two = second;
    return (one->function > two->function) - (one->function < two->function);
}

const DtFunctionTime *dt_function_times_find(const DtFunctionTimes *times, guint32 function)
{
    const DtFunctionTime wanted = {.function = function};
    guint place;
    if (!g_array_binary_search(times->functions, &wanted, compare_function, &place))
        return NULL;
    return &g_array_index(times->functions, DtFunctionTime, place);
}

/* ---- traces ---------------------------------------------------------------------------------- */

static void free_times(gpointer times)
{
    dt_function_times_free(times);
}

GPtrArray *dt_function_times_of_traces(const DtRun *run, const GPtrArray *traces, guint jobs, GError **error)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new_full(traces->len, free_times);
    GError *failure = NULL;
    g_ptr_array_set_size(all, (gint)traces->len);
#pragma omp parallel for schedule(dynamic) num_threads((int)MAX(jobs, 1))
    for (guint i = 0; i < traces->len; i++) {
        GError *cause = NULL;
        all->pdata[i] = dt_function_times_new(run, traces->pdata[i], &cause);
        if (!cause)
            continue;
#pragma omp critical(function_times)
        {
            if (!failure)
                failure = g_steal_pointer(&cause);
        }
        g_clear_error(&cause);
    }
    if (!failure)
        return g_steal_pointer(&all);
    g_propagate_error(error, failure);
    return NULL;
}
