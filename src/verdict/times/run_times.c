#include "verdict/times/run_times.h"

#include "calls/calls.h"
#include "filters/filters.h"
#include "times/function_times.h"
#include "verdict/verdict.h"

/* Of a trace's time: functions of less explain nothing. */
static const gdouble LEAST_SHARE = 0.001;

/* ---- traces --------------------------------------------------------------------------------------- */

static gboolean all_have(const GPtrArray *normals, const char *label)
{
    for (guint i = 0; i < normals->len; i++) {
        const DtTrace *trace = dt_run_find_trace(normals->pdata[i], label);
        if (!trace || !dt_trace_has_times(trace))
            return FALSE;
    }
    return TRUE;
}

static GPtrArray *common_traces(const GPtrArray *normals, const DtRun *faulty)
{
    GPtrArray *traces = g_ptr_array_new();
    for (guint i = 0; i < dt_run_trace_count(faulty); i++) {
        const DtTrace *trace = dt_run_trace(faulty, i);
        if (!trace->library && dt_trace_has_times(trace) && all_have(normals, trace->label))
            g_ptr_array_add(traces, (gpointer)trace);
    }
    return traces;
}

/* Those of a run, in the order of the faulty one's. */
static GPtrArray *traces_of(const DtRun *run, const GPtrArray *traces)
{
    GPtrArray *own = g_ptr_array_new();
    for (guint i = 0; i < traces->len; i++)
        g_ptr_array_add(own, (gpointer)dt_run_find_trace(run, ((const DtTrace *)traces->pdata[i])->label));
    return own;
}

/* ---- the loop ---------------------------------------------------------------------------------------- */

static DtLoopPasses *passes_of(const DtRun *run, const GPtrArray *traces, guint jobs, GError **error)
{
    static const char *const notations[] = {"mpi", "all"};
    DtLoopFilter filters[G_N_ELEMENTS(notations)];
    DtFilterSet *sets[G_N_ELEMENTS(notations)];
    for (guint i = 0; i < G_N_ELEMENTS(notations); i++) {
        g_autoptr(DtFilter) filter = dt_filter_parse(notations[i], NULL);
        sets[i] = dt_filter_compile(filter, dt_run_functions(run), NULL);
        filters[i] = (DtLoopFilter){sets[i], !dt_filter_drops_returns(filter)};
    }
    DtLoopPasses *passes = dt_loop_passes_new(run, traces, filters, G_N_ELEMENTS(filters), jobs, error);
    for (guint i = 0; i < G_N_ELEMENTS(notations); i++)
        dt_filter_set_free(sets[i]);
    return passes;
}

static const GArray *passes_of_trace(const DtLoopPasses *passes, const DtTrace *trace)
{
    for (guint i = 0; i < passes->traces->len; i++) {
        const DtTracePasses *each = passes->traces->pdata[i];
        if (each->trace == trace)
            return each->passes;
    }
    return NULL;
}

/* ---- a trace ----------------------------------------------------------------------------------------- */

/* What is told of a trace beside its functions. */
typedef struct {
    gdouble took_ns, off;
    guint class;
} Told;

static const char *name_of(const DtRun *run, guint32 function)
{
    return dt_functions_get(dt_run_functions(run), function)->name;
}

static gboolean starts_or_ends(const char *call)
{
    return g_str_equal(call, "MPI_Init") || g_str_equal(call, "MPI_Init_thread") || g_str_equal(call, "MPI_Finalize");
}

/* What the thread certainly had to wait for a processor: it polled in MPI, or did not. */
static gdouble off_processor(const DtRun *run, const DtTrace *trace, guint64 mpi_ns)
{
    g_autoptr(DtStamps) stamps = dt_stamps_open(run, trace, NULL);
    gsize count = 0;
    const DtProcessorTime *readings = stamps ? dt_stamps_processor_times(stamps, &count) : NULL;
    if (count < 2)
        return 0;
    const gdouble passed = (gdouble)(readings[count - 1].ns - readings[0].ns);
    const gdouble used = (gdouble)(readings[count - 1].processor_ns - readings[0].processor_ns);
    const gdouble outside = passed - (gdouble)mpi_ns;
    return outside > 0 ? CLAMP((outside - used) / outside, 0, 1) : 0;
}

/* Looks at all functions, before most of them are dropped; (element-type DtWaitedIn). */
static GArray *look_at(const DtRun *run, const DtFunctionTimes *times, Told *told)
{
    GArray *waited = g_array_new(FALSE, FALSE, sizeof(DtWaitedIn));
    guint64 mpi_ns = 0, around_ns = 0;
    told->class = 0;
    for (guint i = 0; i < times->functions->len; i++) {
        const DtFunctionTime *time = &g_array_index(times->functions, DtFunctionTime, i);
        const char *name = name_of(run, time->function);
        told->class = (told->class * 31 + time->function) * 31 + (guint)time->calls;
        if (dt_call_class(name) != DT_CALL_MPI)
            continue;
        mpi_ns += time->exclusive_ns;
        const DtWaitedIn call = {time->function, time->inclusive_ns};
        if (starts_or_ends(name))
            around_ns += time->inclusive_ns;
        else
            g_array_append_val(waited, call);
    }
    told->took_ns = (gdouble)(times->last_ns - times->first_ns - MIN(around_ns, times->last_ns - times->first_ns));
    told->off = off_processor(run, times->trace, mpi_ns);
    return waited;
}

/* Of the faulty run what takes long, of the others the same. */
static gboolean is_kept(const DtRun *run, const DtFunctionTime *time, const Told *told, GHashTable *wanted)
{
    if (dt_is_library_call(name_of(run, time->function)))
        return FALSE;
    if (wanted)
        return g_hash_table_contains(wanted, GUINT_TO_POINTER(time->function));
    return (gdouble)time->exclusive_ns >= LEAST_SHARE * told->took_ns;
}

static void drop_others(const DtRun *run, DtFunctionTimes *times, const Told *told, GHashTable *wanted)
{
    guint kept = 0;
    for (guint i = 0; i < times->functions->len; i++) {
        DtFunctionTime *time = &g_array_index(times->functions, DtFunctionTime, i);
        DtFunctionTime *place = &g_array_index(times->functions, DtFunctionTime, kept);
        if (!is_kept(run, time, told, wanted))
            continue;
        DtFunctionTime other = *place;
        *place = *time;
        *time = other;
        kept++;
    }
    g_array_set_size(times->functions, kept);
}

/* ---- a run -------------------------------------------------------------------------------------------- */

/* Where what is read of a run goes: an entry a trace. */
typedef struct {
    const DtRun *run;
    const GPtrArray *traces;
    const DtLoopPasses *passes;
    GHashTable *wanted; /* NULL: what takes long */
    DtFunctionTimes **times;
    GArray **waited;
    Told *told;
} RunReading;

static gboolean read_trace(const RunReading *reading, guint i, GError **error)
{
    const DtTrace *trace = reading->traces->pdata[i];
    DtFunctionTimes *times =
        dt_function_times_by_pass(reading->run, trace, passes_of_trace(reading->passes, trace), error);
    if (!times)
        return FALSE;
    reading->times[i] = times;
    reading->waited[i] = look_at(reading->run, times, &reading->told[i]);
    drop_others(reading->run, times, &reading->told[i], reading->wanted);
    return TRUE;
}

static gboolean read_run(const RunReading *reading, guint jobs, GError **error)
{
    GError *failure = NULL;
#pragma omp parallel for schedule(dynamic) num_threads((int)jobs)
    for (guint i = 0; i < reading->traces->len; i++) {
        GError *cause = NULL;
        if (read_trace(reading, i, &cause))
            continue;
#pragma omp critical(run_times)
        {
            if (!failure)
                failure = g_steal_pointer(&cause);
        }
        g_clear_error(&cause);
    }
    if (failure)
        g_propagate_error(error, failure);
    return !failure;
}

/* ---- all runs ----------------------------------------------------------------------------------------- */

static void free_function_times(gpointer times)
{
    dt_function_times_free(times);
}

static void unref_array(gpointer array)
{
    if (array)
        g_array_unref(array);
}

/* Adds what is kept of the faulty run. */
static void gather_functions(DtRunTimes *times, GHashTable *wanted)
{
    for (guint trace = 0; trace < times->runs.traces; trace++) {
        const DtFunctionTimes *own = times->times->pdata[trace];
        for (guint i = 0; i < own->functions->len; i++) {
            const guint32 function = g_array_index(own->functions, DtFunctionTime, i).function;
            if (g_hash_table_add(wanted, GUINT_TO_POINTER(function)))
                g_array_append_val(times->functions, function);
        }
    }
}

/* The loop must go round as often in all runs; *passes is 0 if it does not. */
static gboolean read_runs(DtRunTimes *times, const GPtrArray *runs, guint jobs, guint *passes, GError **error)
{
    const guint traces = times->runs.traces;
    g_autoptr(GHashTable) wanted = g_hash_table_new(NULL, NULL);
    g_autofree Told *told = g_new0(Told, traces);
    for (guint run = 0; run < runs->len; run++) {
        g_autoptr(GPtrArray) own = traces_of(runs->pdata[run], times->traces);
        g_autoptr(DtLoopPasses) loop = passes_of(runs->pdata[run], own, jobs, error);
        const RunReading reading = {.run = runs->pdata[run],
                                    .traces = own,
                                    .passes = loop,
                                    .wanted = run > 0 ? wanted : NULL,
                                    .times = (DtFunctionTimes **)&times->times->pdata[run * traces],
                                    .waited = (GArray **)&times->waited->pdata[run * traces],
                                    .told = told};
        if (!loop || !read_run(&reading, jobs, error))
            return FALSE;
        if (run == 0)
            gather_functions(times, wanted);
        *passes = run == 0 || *passes == loop->count ? loop->count : 0;
        gdouble off = 0;
        for (guint i = 0; i < traces; i++) {
            times->took_ns[run] = MAX(times->took_ns[run], told[i].took_ns);
            times->classes[i] = told[i].class;
            off += told[i].off / traces;
        }
        times->off = MAX(times->off, off);
    }
    return TRUE;
}

/* ---- side by side ---------------------------------------------------------------------------------------- */

static const DtFunctionTime *find_time(const DtRunTimes *times, guint function, guint run, guint trace)
{
    return dt_function_times_find(times->times->pdata[run * times->runs.traces + trace],
                                  g_array_index(times->functions, guint32, function));
}

/* Whether the series means the same in all runs: the tracer may have timed the calls of one run only. */
static gboolean is_alike(const DtRunTimes *times, guint function, guint trace)
{
    const DtFunctionTime *first = find_time(times, function, 0, trace);
    for (guint run = 1; run < times->runs.runs; run++) {
        const DtFunctionTime *other = find_time(times, function, run, trace);
        if (!first ||
            (other && (other->of != first->of || (other->of == DT_SERIES_OF_PASSES && other->within != first->within))))
            return FALSE;
    }
    return TRUE;
}

/* Others do not disturb what a thread uses of the processor, but what it waits for is not in that either: it is taken
 * where the machine was busy, if it is known of all. */
static gboolean takes_work(const DtRunTimes *times)
{
    gboolean known = times->off > DT_BUSY_SHARE;
    for (guint i = 0; known && i < times->times->len; i++)
        known = ((const DtFunctionTimes *)times->times->pdata[i])->work_known;
    return known;
}

static void put_side_by_side(DtRunTimes *times, guint passes)
{
    const DtSlowerRuns *runs = &times->runs;
    times->by_work = takes_work(times);
    times->series = g_new0(DtSlowerSeries, (gsize)runs->functions * runs->runs * runs->traces);
    for (guint function = 0; function < runs->functions; function++)
        for (guint trace = 0; trace < runs->traces; trace++) {
            const gboolean alike = is_alike(times, function, trace);
            for (guint run = 0; run < runs->runs; run++) {
                const DtFunctionTime *time = find_time(times, function, run, trace);
                DtSlowerSeries *series = &times->series[((gsize)function * runs->runs + run) * runs->traces + trace];
                if (time && alike)
                    series->calls = times->by_work ? &time->work : &time->series;
                if (time && passes > 0 && time->by_pass.count == passes)
                    series->passes = times->by_work ? &time->work_by_pass : &time->by_pass;
            }
        }
    times->runs.series = times->series;
    times->runs.classes = times->classes;
    times->runs.busy = times->off > DT_BUSY_SHARE && !times->by_work;
}

DtRunTimes *dt_run_times_new(const GPtrArray *normals, const DtRun *faulty, guint jobs, GError **error)
{
    g_autoptr(GPtrArray) traces = common_traces(normals, faulty), runs = g_ptr_array_new();
    if (traces->len == 0)
        return NULL;
    g_autoptr(DtRunTimes) times = g_new0(DtRunTimes, 1);
    g_ptr_array_add(runs, (gpointer)faulty);
    g_ptr_array_extend(runs, (GPtrArray *)normals, NULL, NULL);
    times->runs.runs = runs->len;
    times->runs.traces = traces->len;
    times->traces = g_steal_pointer(&traces);
    times->functions = g_array_new(FALSE, FALSE, sizeof(guint32));
    times->took_ns = g_new0(gdouble, runs->len);
    times->classes = g_new0(guint, times->runs.traces);
    times->times = g_ptr_array_new_full(runs->len * times->runs.traces, free_function_times);
    times->waited = g_ptr_array_new_full(runs->len * times->runs.traces, unref_array);
    g_ptr_array_set_size(times->times, (gint)(runs->len * times->runs.traces));
    g_ptr_array_set_size(times->waited, (gint)(runs->len * times->runs.traces));
    guint passes = 0;
    if (!read_runs(times, runs, MAX(jobs, 1), &passes, error))
        return NULL;
    times->runs.functions = times->functions->len;
    put_side_by_side(times, passes);
    return g_steal_pointer(&times);
}

void dt_run_times_free(DtRunTimes *times)
{
    if (!times)
        return;
    g_ptr_array_unref(times->traces);
    g_array_unref(times->functions);
    g_ptr_array_unref(times->waited);
    g_ptr_array_unref(times->times);
    g_free(times->took_ns);
    g_free(times->series);
    g_free(times->classes);
    g_free(times);
}

const DtSlowerSeries *dt_run_times_series(const DtRunTimes *times, guint function, guint run, guint trace)
{
    return &times->series[((gsize)function * times->runs.runs + run) * times->runs.traces + trace];
}

guint64 dt_run_times_waited(const DtRunTimes *times, guint32 call, guint run, guint trace)
{
    const GArray *waited = times->waited->pdata[run * times->runs.traces + trace];
    for (guint i = 0; i < waited->len; i++)
        if (g_array_index(waited, DtWaitedIn, i).function == call)
            return g_array_index(waited, DtWaitedIn, i).ns;
    return 0;
}
