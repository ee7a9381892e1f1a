#include "times/call_times.h"

#include <string.h>
#include <unistd.h>

#include "base/running.h"
#include "calls/calls.h"
#include "format/arguments.h"
#include "times/timed_reader.h"

enum { BATCH = 4096 };

/* ---- bytes of a call ------------------------------------------------------------------------- */

static guint64 sum_of(const DtNumbers *numbers)
{
    guint64 sum = 0;
    for (guint i = 0; numbers && i < numbers->count; i++)
        sum += (guint64)MAX(numbers->values[i], 0);
    return sum;
}

/* FALSE: not known. */
static gboolean bytes_of(const DtSignature *signature, guint64 *bytes)
{
    const DtArgument *counts = NULL, *element = NULL;
    for (guint i = 0; i < signature->argument_count; i++) {
        const DtArgument *argument = &signature->arguments[i];
        if (argument->special != DT_SPECIAL_NONE)
            continue;
        if (argument->kind == DT_ARGUMENT_DATA) {
            *bytes = (guint64)MAX(argument->value, 0) * (guint64)MAX(argument->size, 0);
            return argument->value >= 0 && argument->size >= 0;
        }
        if (argument->kind == DT_ARGUMENT_COUNTS)
            counts = argument;
        else if (argument->kind == DT_ARGUMENT_ELEMENT)
            element = argument;
    }
    if (!counts || !element || !counts->numbers || element->value < 0)
        return FALSE;
    *bytes = sum_of(counts->numbers) * (guint64)element->value;
    return TRUE;
}

static gboolean varies(const DtSignature *signature)
{
    for (guint i = 0; i < signature->argument_count; i++)
        if (signature->arguments[i].special == DT_SPECIAL_VARIES)
            return TRUE;
    return FALSE;
}

/* ---- one trace ------------------------------------------------------------------------------- */

/* What is known of a function once it has been met. */
typedef struct {
    gboolean known, api, varies;
    gint in;          /* DtTimeIn; -1: none, or it runs a region of the program's own code */
    guint32 base;     /* whose signature it is */
    gint64 bytes;     /* of each of its calls, -1: not known */
    guint32 row, end; /* of DtCallTime in the trace, if end is not 0 */
} Known;

typedef struct {
    guint32 function;
    gboolean counts;
    guint64 ns;        /* when it was entered; 0: not known */
    guint64 tracer_ns; /* DtTraceTime.tracer_ns then */
    gint64 bytes;      /* -1: not known */
} Frame;

typedef struct {
    const DtCallTimesWants *wants;
    const DtFunctions *functions;
    DtTraceTime *trace;
    GArray *rows;   /* DtCallTime */
    GArray *known;  /* Known by function */
    GArray *frames; /* Frame */
    DtCallStack *stack;
    DtFilterScope scope;
    DtNotes *notes;
    guint next_note;
    guint open[DT_TIMES_IN];
    gdouble *columns; /* NULL: not asked for */
    guint64 from, to; /* what they span, by the trace's own clock */
    GPtrArray *problems;
} Reading;

static gint interface_of(const char *name)
{
    switch (dt_call_class(name)) {
    case DT_CALL_MPI:
        return DT_TIME_IN_MPI;
    case DT_CALL_OPENMP:
        return DT_TIME_IN_OPENMP;
    case DT_CALL_PTHREAD:
        return DT_TIME_IN_PTHREADS;
    default:
        return -1;
    }
}

static Known *known_of(Reading *reading, guint32 function)
{
    if (function >= reading->known->len)
        g_array_set_size(reading->known, function + 1);
    Known *known = &g_array_index(reading->known, Known, function);
    if (known->known)
        return known;
    const DtSignature *signature = dt_functions_get(reading->functions, function)->signature;
    guint64 bytes = 0;
    *known = (Known){.known = TRUE, .bytes = -1, .base = dt_functions_base(reading->functions, function)};
    const char *name = dt_functions_get(reading->functions, known->base)->name;
    known->in = interface_of(name);
    known->api = known->in >= 0;
    if (known->in == DT_TIME_IN_OPENMP && dt_call_properties(name) & DT_CALL_JOINING)
        known->in = -1;
    known->varies = signature && varies(signature);
    if (signature && !known->varies && bytes_of(signature, &bytes))
        known->bytes = (gint64)MIN(bytes, (guint64)G_MAXINT64);
    return known;
}

static gint64 bytes_of_call(Reading *reading, const Known *known, guint32 function, guint64 position)
{
    if (!known->varies)
        return known->bytes;
    DtSignature signature = *dt_functions_get(reading->functions, function)->signature;
    guint64 bytes;
    while (reading->next_note < dt_notes_count(reading->notes)) {
        const DtNote *note = dt_notes_get(reading->notes, reading->next_note);
        if (note->position > position)
            break;
        reading->next_note++;
        if (note->position == position)
            dt_signature_fill(&signature, reading->notes, note);
    }
    return bytes_of(&signature, &bytes) ? (gint64)MIN(bytes, (guint64)G_MAXINT64) : -1;
}

static DtCallTime *row_of(Reading *reading, Known *known, guint32 function)
{
    if (known->end == 0) {
        guint32 shown = reading->wants->projection == DT_NAMES_ALONE ? known->base : function;
        Known *of_shown = known_of(reading, shown);
        known = &g_array_index(reading->known, Known, function);
        if (of_shown->end == 0) {
            DtCallTime row = {.function = shown};
            g_array_append_val(reading->rows, row);
            of_shown->row = reading->rows->len - 1;
            of_shown->end = 1;
        }
        known->row = of_shown->row;
        known->end = 1;
    }
    return &g_array_index(reading->rows, DtCallTime, known->row);
}

static void enter(Reading *reading, const DtTimedEvent *event, gboolean counts)
{
    Known *known = known_of(reading, event->event);
    Frame frame = {.function = event->event,
                   .counts = counts,
                   .ns = event->ns,
                   .tracer_ns = reading->trace->tracer_ns,
                   .bytes = -1};
    if (known->in >= 0)
        reading->open[known->in]++;
    if (counts) {
        frame.bytes = bytes_of_call(reading, known, event->event, event->position);
        DtCallTime *row = row_of(reading, known, event->event);
        row->calls++;
        if (frame.bytes >= 0) {
            row->bytes += (guint64)frame.bytes;
            row->calls_of_bytes++;
        }
        reading->trace->calls++;
    }
    g_array_append_val(reading->frames, frame);
}

/* A call of MPI spread over the columns that it lies in. */
static void add_to_columns(Reading *reading, guint64 from, guint64 to)
{
    guint count = reading->wants->columns;
    gdouble width = (gdouble)(reading->to - reading->from) / count;
    if (!reading->columns || width <= 0 || to <= reading->from)
        return;
    gdouble begin = from > reading->from ? (gdouble)(from - reading->from) : 0;
    gdouble end = (gdouble)(to - reading->from);
    for (guint i = (guint)MIN(begin / width, count - 1); i < count && i * width < end; i++)
        reading->columns[i] += MAX(0, MIN(end, (i + 1) * width) - MAX(begin, i * width));
}

/* MPI counts wherever it is called, the others only outside the interfaces before them. */
static gboolean is_outermost(const Reading *reading, gint in)
{
    for (gint i = 0; i <= in; i++)
        if (reading->open[i] > 0)
            return FALSE;
    return TRUE;
}

static void take_duration(Reading *reading, const Frame *frame, const Known *known, guint64 until)
{
    DtTraceTime *trace = reading->trace;
    guint64 took = until > frame->ns ? until - frame->ns : 0;
    guint64 ns = took - MIN(trace->tracer_ns - frame->tracer_ns, took);
    if (known->in >= 0 && is_outermost(reading, known->in)) {
        trace->in_ns[known->in] += ns;
        if (known->in == DT_TIME_IN_MPI)
            add_to_columns(reading, frame->ns, until);
    }
    if (!frame->counts)
        return;
    DtCallTime *row = row_of(reading, known_of(reading, frame->function), frame->function);
    if (row->durations.count == 0 || ns > row->durations.largest)
        row->longest_trace = trace->trace->index;
    dt_durations_add(&row->durations, ns);
    if (frame->bytes >= 0)
        row->ns_of_bytes += ns;
    if (trace->longest_function == 0 || ns > trace->longest_ns) {
        trace->longest_function = row->function;
        trace->longest_ns = ns;
    }
}

static void leave(Reading *reading, guint64 ns)
{
    if (reading->frames->len == 0)
        return;
    Frame frame = g_array_index(reading->frames, Frame, reading->frames->len - 1);
    g_array_set_size(reading->frames, reading->frames->len - 1);
    const Known *known = known_of(reading, frame.function);
    if (known->in >= 0)
        reading->open[known->in]--;
    if (frame.ns > 0 && ns > 0)
        take_duration(reading, &frame, known, ns);
}

static void take_event(Reading *reading, const DtTimedEvent *event)
{
    gboolean entry = event->event != DT_EVENT_RETURN;
    reading->trace->tracer_ns += event->batch_ns - event->batch_begin_ns;
    if (!reading->scope.set) {
        if (entry)
            enter(reading, event, known_of(reading, event->event)->api);
        else
            leave(reading, event->ns);
        return;
    }
    guint32 name = entry ? known_of(reading, event->event)->base : DT_EVENT_RETURN;
    guint32 function = dt_call_stack_apply(reading->stack, name);
    gboolean kept = dt_filter_scope_keeps(&reading->scope, reading->stack, name, function);
    if (entry)
        enter(reading, event, kept);
    else
        leave(reading, event->ns);
}

/* Calls that are open at the end last until then. */
static void end_reading(Reading *reading, DtTimedReader *reader)
{
    for (guint open = reading->frames->len; open > 0; open--) {
        Frame *frame = &g_array_index(reading->frames, Frame, open - 1);
        frame->counts = FALSE;
        leave(reading, reading->trace->last_ns);
    }
    const char *problem = dt_stamps_problem(dt_timed_reader_stamps(reader));
    if (problem)
        g_ptr_array_add(reading->problems, g_strdup(problem));
    if (dt_timed_reader_problem(reader))
        g_ptr_array_add(reading->problems, g_strdup(dt_timed_reader_problem(reader)));
}

static void read_processor(DtTraceTime *trace, const DtStamps *stamps)
{
    gsize count;
    const DtProcessorTime *times = dt_stamps_processor_times(stamps, &count);
    if (count > 1)
        trace->processor_ns = times[count - 1].processor_ns - MIN(times[0].processor_ns, times[count - 1].processor_ns);
}

/* The kernel counts a process' begin in its ticks, the tracer when it comes to life, somewhat later; a process that has
 * the number of one that is gone began after that. */
static gboolean runs_here(const DtTrace *trace)
{
    const DtProcess *process = trace->process;
    const guint64 ticks = (guint64)sysconf(_SC_CLK_TCK);
    DtRunning running;
    return process->end == DT_END_RUNNING && !trace->returned && g_strcmp0(process->host, g_get_host_name()) == 0 &&
           dt_running_find((pid_t)process->pid, &running) && running.state != 'Z' &&
           running.start / ticks <= process->start_ns / G_GUINT64_CONSTANT(1000000000) + 1;
}

static guint64 last_ns_of(const Reading *reading, const DtTimedReader *reader)
{
    const guint64 last = dt_timed_reader_last_ns(reader), now = 1000 * (guint64)g_get_monotonic_time();
    return reading->wants->until_now && last > 0 && runs_here(reading->trace->trace) ? MAX(last, now) : last;
}

static gboolean read_events(Reading *reading, GError **error)
{
    const DtRun *run = reading->wants->run;
    const DtTrace *trace = reading->trace->trace;
    g_autoptr(DtTimedReader) reader = dt_timed_reader_open(run, trace, DT_NAMES_WITH_ARGUMENTS, error);
    g_autofree DtTimedEvent *events = g_new(DtTimedEvent, BATCH);
    if (!reader)
        return FALSE;
    reading->notes = dt_notes_open(run, trace, error);
    if (!reading->notes)
        return FALSE;
    reading->trace->first_ns = dt_timed_reader_first_ns(reader);
    reading->trace->last_ns = last_ns_of(reading, reader);
    read_processor(reading->trace, dt_timed_reader_stamps(reader));
    for (gsize count; (count = dt_timed_reader_next(reader, events, BATCH)) > 0;)
        for (gsize i = 0; i < count; i++)
            take_event(reading, &events[i]);
    end_reading(reading, reader);
    return TRUE;
}

static gboolean read_trace(Reading *reading, GError **error)
{
    reading->functions = dt_run_functions(reading->wants->run);
    reading->scope = (DtFilterScope){reading->wants->set, 0};
    reading->known = g_array_new(FALSE, TRUE, sizeof(Known));
    reading->frames = g_array_new(FALSE, FALSE, sizeof(Frame));
    reading->stack = dt_call_stack_new();
    gboolean read = read_events(reading, error);
    dt_call_stack_free(reading->stack);
    g_array_unref(reading->frames);
    g_array_unref(reading->known);
    g_clear_pointer(&reading->notes, dt_notes_free);
    return read;
}

/* ---- all traces ------------------------------------------------------------------------------ */

static void clear_row(gpointer row)
{
    dt_durations_clear(&((DtCallTime *)row)->durations);
}

gint64 dt_process_clock_offset(const DtProcess *process)
{
    guint64 seen = process->end_ns > 0 ? process->end_ns : process->last_seen_ns;
    return process->last_realtime_ns > 0 && seen > 0 ? (gint64)(process->last_realtime_ns - seen) : 0;
}

/* How far a trace's clock is moved; on one host not at all. */
static gint64 offset_of(const DtCallTimesWants *wants, const DtTrace *trace)
{
    const DtProcess *first = ((const DtTrace *)wants->traces->pdata[0])->process;
    if (g_strcmp0(first->host, trace->process->host) == 0)
        return 0;
    gint64 own = dt_process_clock_offset(trace->process), of_first = dt_process_clock_offset(first);
    return own != 0 && of_first != 0 ? own - of_first : 0;
}

/* Columns need the span of all before the first event is read. */
static gboolean find_span(const DtCallTimesWants *wants, DtCallTimes *times, GError **error)
{
    for (guint i = 0; i < wants->traces->len; i++) {
        const DtTrace *trace = wants->traces->pdata[i];
        g_autoptr(DtTimedReader) reader = dt_timed_reader_open(wants->run, trace, DT_NAMES_ALONE, error);
        if (!reader)
            return FALSE;
        guint64 offset = (guint64)offset_of(wants, trace), first = dt_timed_reader_first_ns(reader);
        if (first == 0)
            continue;
        times->first_ns = times->first_ns > 0 ? MIN(times->first_ns, first + offset) : first + offset;
        times->last_ns = MAX(times->last_ns, dt_timed_reader_last_ns(reader) + offset);
    }
    return TRUE;
}

static void merge_rows(GArray *by_function, const GArray *rows)
{
    for (guint i = 0; i < rows->len; i++) {
        DtCallTime *row = &g_array_index(rows, DtCallTime, i);
        DtCallTime *all = &g_array_index(by_function, DtCallTime, row->function);
        if (all->calls == 0)
            all->function = row->function;
        if (row->durations.count > 0 && (all->durations.count == 0 || row->durations.largest > all->durations.largest))
            all->longest_trace = row->longest_trace;
        all->calls += row->calls;
        all->bytes += row->bytes;
        all->calls_of_bytes += row->calls_of_bytes;
        all->ns_of_bytes += row->ns_of_bytes;
        dt_durations_merge(&all->durations, &row->durations);
    }
}

static void merge(DtCallTimes *times, const DtCallTimesWants *wants, const Reading *readings)
{
    guint32 functions = dt_functions_count(dt_run_functions(wants->run));
    g_autoptr(GArray) all = g_array_new(FALSE, TRUE, sizeof(DtCallTime));
    g_array_set_size(all, functions + 1);
    for (guint i = 0; i < wants->traces->len; i++) {
        const DtTraceTime *trace = readings[i].trace;
        guint64 offset = (guint64)offset_of(wants, trace->trace);
        merge_rows(all, readings[i].rows);
        for (guint each = 0; each < readings[i].problems->len; each++)
            g_ptr_array_add(times->problems, g_strdup(readings[i].problems->pdata[each]));
        if (trace->calls > 0)
            times->of_callers_ns += trace->last_ns - trace->first_ns;
        if (trace->first_ns == 0)
            continue;
        times->first_ns =
            times->first_ns > 0 ? MIN(times->first_ns, trace->first_ns + offset) : trace->first_ns + offset;
        times->last_ns = MAX(times->last_ns, trace->last_ns + offset);
    }
    for (guint32 id = 0; id < all->len; id++)
        if (g_array_index(all, DtCallTime, id).calls > 0)
            g_array_append_val(times->calls, g_array_index(all, DtCallTime, id));
}

/* NULL, or the first error; g_error_free(). */
static GError *read_all(const DtCallTimesWants *wants, Reading *readings)
{
    GError *failure = NULL;
#pragma omp parallel for schedule(dynamic) num_threads((int)MAX(wants->jobs, 1))
    for (guint i = 0; i < wants->traces->len; i++) {
        GError *error = NULL;
        if (read_trace(&readings[i], &error))
            continue;
#pragma omp critical(call_times)
        {
            if (!failure)
                failure = g_steal_pointer(&error);
        }
        g_clear_error(&error);
    }
    return failure;
}

static void begin_readings(const DtCallTimesWants *wants, DtCallTimes *times, Reading *readings)
{
    for (guint i = 0; i < wants->traces->len; i++) {
        DtTraceTime *trace = &g_array_index(times->traces, DtTraceTime, i);
        trace->trace = wants->traces->pdata[i];
        guint64 offset = (guint64)offset_of(wants, trace->trace);
        readings[i] = (Reading){.wants = wants, .trace = trace};
        readings[i].rows = g_array_new(FALSE, TRUE, sizeof(DtCallTime));
        g_array_set_clear_func(readings[i].rows, clear_row);
        readings[i].problems = g_ptr_array_new_with_free_func(g_free);
        readings[i].from = times->first_ns - offset;
        readings[i].to = times->last_ns - offset;
        if (wants->columns > 0)
            readings[i].columns = &g_array_index(times->in_mpi, gdouble, (gsize)i * wants->columns);
    }
}

DtCallTimes *dt_call_times_new(const DtCallTimesWants *wants, GError **error)
{
    g_autoptr(DtCallTimes) times = g_new0(DtCallTimes, 1);
    times->calls = g_array_new(FALSE, TRUE, sizeof(DtCallTime));
    g_array_set_clear_func(times->calls, clear_row);
    times->traces = g_array_new(FALSE, TRUE, sizeof(DtTraceTime));
    g_array_set_size(times->traces, wants->traces->len);
    times->problems = g_ptr_array_new_with_free_func(g_free);
    times->columns = wants->columns;
    if (wants->columns > 0) {
        if (!find_span(wants, times, error))
            return NULL;
        times->in_mpi = g_array_new(FALSE, TRUE, sizeof(gdouble));
        g_array_set_size(times->in_mpi, wants->traces->len * wants->columns);
    }
    g_autofree Reading *readings = g_new0(Reading, wants->traces->len);
    begin_readings(wants, times, readings);
    GError *failure = read_all(wants, readings);
    if (!failure)
        merge(times, wants, readings);
    for (guint i = 0; i < wants->traces->len; i++) {
        g_array_unref(readings[i].rows);
        g_ptr_array_unref(readings[i].problems);
    }
    if (!failure)
        return g_steal_pointer(&times);
    g_propagate_error(error, failure);
    return NULL;
}

void dt_call_times_free(DtCallTimes *times)
{
    if (!times)
        return;
    g_array_unref(times->calls);
    g_array_unref(times->traces);
    g_clear_pointer(&times->in_mpi, g_array_unref);
    g_ptr_array_unref(times->problems);
    g_free(times);
}
