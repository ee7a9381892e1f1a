#include "times/loop_passes.h"

#include "calls/calls.h"
#include "times/attribution.h"

enum { BATCH = 4096 };

/* An outermost loop of a trace. */
typedef struct {
    guint32 body, count;
    guint64 first, period; /* symbols before it, and of a pass */
} Loop;

/* ---- which loop ------------------------------------------------------------------------------ */

/* (element-type Loop), one for each count: that which covers most. */
static GArray *loops_of(const DtLoopTable *table, const DtNlr *nlr)
{
    GArray *loops = g_array_new(FALSE, FALSE, sizeof(Loop));
    const DtElements elements = dt_nlr_elements(nlr);
    guint64 before = 0;
    for (gsize i = 0; i < elements.length; i++) {
        const DtElement element = elements.elements[i];
        if (!dt_element_is_loop(element)) {
            before++;
            continue;
        }
        Loop loop = {dt_element_body(element), dt_element_count(element), before, 0};
        loop.period = dt_loop_table_body_symbols(table, loop.body);
        before += loop.count * loop.period;
        Loop *same = NULL;
        for (guint each = 0; each < loops->len && !same; each++)
            if (g_array_index(loops, Loop, each).count == loop.count)
                same = &g_array_index(loops, Loop, each);
        if (!same)
            g_array_append_val(loops, loop);
        else if (loop.period > same->period)
            *same = loop;
    }
    return loops;
}

static const Loop *find_loop(const GArray *loops, guint32 count)
{
    for (guint i = 0; i < loops->len; i++)
        if (g_array_index(loops, Loop, i).count == count)
            return &g_array_index(loops, Loop, i);
    return NULL;
}

/* What most traces have, and of that what covers most. 0: nobody has a loop. */
static guint32 choose_count(GArray *const *loops, guint traces)
{
    guint32 chosen = 0;
    guint most = 0;
    guint64 covered = 0;
    for (guint i = 0; i < traces; i++)
        for (guint each = 0; each < loops[i]->len; each++) {
            const guint32 count = g_array_index(loops[i], Loop, each).count;
            guint have = 0;
            guint64 cover = 0;
            for (guint other = 0; other < traces; other++) {
                const Loop *loop = find_loop(loops[other], count);
                have += loop ? 1 : 0;
                cover += loop ? loop->count * loop->period : 0;
            }
            if (have > most || (have == most && cover > covered)) {
                chosen = count;
                most = have;
                covered = cover;
            }
        }
    return chosen;
}

/* ---- when ------------------------------------------------------------------------------------ */

typedef struct {
    const DtFunctions *functions;
    const Loop *loop;
    gboolean returns; /* are symbols, too */
    GArray *passes;   /* DtLoopPass */
    DtFilterScope scope;
    DtCallStack *stack;
    guint64 symbols; /* so far */
    GArray *is_mpi;  /* guint8 by function: 0 not known, 1 no, 2 yes */
    guint mpi_open;
    guint64 mpi_since, mpi_ns; /* so far, with the tracer's own time: what is no work */
    guint64 mpi_before;        /* when the pass that goes on began */
    gboolean ended;
} Reading;

static gboolean is_mpi(Reading *reading, guint32 function)
{
    if (function >= reading->is_mpi->len)
        g_array_set_size(reading->is_mpi, function + 1);
    guint8 *known = &g_array_index(reading->is_mpi, guint8, function);
    if (*known == 0)
        *known = dt_call_class(dt_functions_get(reading->functions, function)->name) == DT_CALL_MPI ? 2 : 1;
    return *known == 2;
}

/* The pass that goes on ends, and the next one begins if there is one. */
static void begin_pass(Reading *reading, guint64 ns, gboolean another)
{
    const guint64 mpi = reading->mpi_ns + (reading->mpi_open > 0 ? ns - reading->mpi_since : 0);
    if (reading->passes->len > 0) {
        DtLoopPass *last = &g_array_index(reading->passes, DtLoopPass, reading->passes->len - 1);
        last->ns = ns - last->begin_ns;
        last->work_ns = last->ns - MIN(mpi - reading->mpi_before, last->ns);
    }
    const DtLoopPass pass = {ns, 0, 0};
    if (another)
        g_array_append_val(reading->passes, pass);
    reading->mpi_before = mpi;
    reading->ended = !another;
}

static void count_symbol(Reading *reading, guint64 ns)
{
    const Loop *loop = reading->loop;
    const guint64 symbol = reading->symbols++;
    if (reading->ended || symbol < loop->first || (symbol - loop->first) % loop->period != 0)
        return;
    begin_pass(reading, ns, (symbol - loop->first) / loop->period < loop->count);
}

static void take_event(Reading *reading, const DtPlacedEvent *event)
{
    const gboolean entry = event->event != DT_EVENT_RETURN;
    if (reading->mpi_open == 0)
        reading->mpi_ns += event->tracer_ns;
    const guint32 function = dt_call_stack_apply(reading->stack, event->event);
    const gboolean kept = dt_filter_scope_keeps(&reading->scope, reading->stack, event->event, function);
    if (kept && function != 0 && (entry || reading->returns))
        count_symbol(reading, event->ns);
    if (function == 0 || !is_mpi(reading, function))
        return;
    if (entry && reading->mpi_open++ == 0)
        reading->mpi_since = event->ns;
    else if (!entry && reading->mpi_open > 0 && --reading->mpi_open == 0)
        reading->mpi_ns += event->ns - reading->mpi_since;
}

static gboolean read_passes(Reading *reading, const DtAttribution *attribution, GError **error)
{
    g_autoptr(DtPlacedReader) reader = dt_placed_reader_open(attribution, error);
    g_autofree DtPlacedEvent *events = g_new(DtPlacedEvent, BATCH);
    if (!reader)
        return FALSE;
    reading->stack = dt_call_stack_new();
    reading->is_mpi = g_array_new(FALSE, TRUE, sizeof(guint8));
    for (gsize count; !reading->ended && (count = dt_placed_reader_next(reader, events, BATCH)) > 0;)
        for (gsize i = 0; i < count; i++)
            take_event(reading, &events[i]);
    if (!reading->ended)
        begin_pass(reading, dt_attribution_last_ns(attribution), FALSE);
    dt_call_stack_free(reading->stack);
    g_array_unref(reading->is_mpi);
    return TRUE;
}

static void free_trace(gpointer data)
{
    DtTracePasses *trace = data;
    if (trace)
        g_array_unref(trace->passes);
    g_free(trace);
}

/* NULL if it cannot be read. */
static DtTracePasses *trace_passes_new(const DtRun *run, const DtTrace *trace, const Loop *loop, Reading reading,
                                       char **problem, GError **error)
{
    g_autoptr(DtAttribution) attribution = dt_attribution_new(run, trace, error);
    if (!attribution)
        return NULL;
    DtTracePasses *passes = g_new0(DtTracePasses, 1);
    passes->trace = trace;
    passes->body = loop->body;
    passes->passes = reading.passes = g_array_new(FALSE, FALSE, sizeof(DtLoopPass));
    reading.loop = loop;
    reading.functions = dt_run_functions(run);
    *problem = g_strdup(dt_attribution_problem(attribution));
    if (read_passes(&reading, attribution, error))
        return passes;
    free_trace(passes);
    return NULL;
}

/* ---- all traces ------------------------------------------------------------------------------ */

typedef struct {
    const DtRun *run;
    const GPtrArray *traces;
    GArray **loops;    /* of each trace */
    Reading beginning; /* that of each */
    guint jobs;
} Work;

static gboolean read_traces(const Work *work, DtLoopPasses *passes, GError **error)
{
    GError *failure = NULL;
    const guint count = work->traces->len;
    g_autofree DtTracePasses **found = g_new0(DtTracePasses *, count);
    g_autofree char **problems = g_new0(char *, count);
#pragma omp parallel for schedule(dynamic) num_threads((int)work->jobs)
    for (guint i = 0; i < count; i++) {
        const Loop *loop = find_loop(work->loops[i], passes->count);
        GError *cause = NULL;
        if (loop)
            found[i] = trace_passes_new(work->run, work->traces->pdata[i], loop, work->beginning, &problems[i], &cause);
        if (!cause)
            continue;
#pragma omp critical(loop_passes)
        {
            if (!failure)
                failure = g_steal_pointer(&cause);
        }
        g_clear_error(&cause);
    }
    for (guint i = 0; i < count; i++) {
        if (found[i])
            g_ptr_array_add(passes->traces, found[i]);
        if (problems[i])
            g_ptr_array_add(passes->problems, problems[i]);
    }
    passes->without = count - passes->traces->len;
    if (failure)
        g_propagate_error(error, failure);
    return !failure;
}

static DtLoopPasses *new_passes(void)
{
    DtLoopPasses *passes = g_new0(DtLoopPasses, 1);
    passes->table = dt_loop_table_new();
    passes->traces = g_ptr_array_new_with_free_func(free_trace);
    passes->problems = g_ptr_array_new_with_free_func(g_free);
    return passes;
}

/* The loops of each trace, and how many traces have the one that is chosen: that which goes round `wanted` times if it
 * is not 0; g_ptr_array_unref(). */
static GPtrArray *find_loops(const Work *work, guint wanted, DtLoopPasses *passes, GError **error)
{
    g_autoptr(GPtrArray) folded = dt_nlr_fold_run(work->run, work->beginning.scope.set, DT_NLR_DEFAULT_K,
                                                  DT_NLR_DEFAULT_MIN_REPEAT, work->jobs, passes->table, error);
    if (!folded)
        return NULL;
    GPtrArray *loops = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    for (guint i = 0; i < work->traces->len; i++) {
        const DtFoldedTrace *trace = folded->pdata[((const DtTrace *)work->traces->pdata[i])->index];
        g_ptr_array_add(loops, loops_of(passes->table, trace->nlr));
    }
    passes->count = wanted > 0 ? wanted : choose_count((GArray *const *)loops->pdata, loops->len);
    passes->without = loops->len;
    for (guint i = 0; i < loops->len; i++)
        passes->without -= find_loop(loops->pdata[i], passes->count) ? 1 : 0;
    return loops;
}

static guint32 first_function(const DtLoopTable *table, guint32 body)
{
    DtElement element = dt_loop_table_body(table, body).elements[0];
    while (dt_element_is_loop(element))
        element = dt_loop_table_body(table, dt_element_body(element)).elements[0];
    return dt_element_symbol(element) & ~DT_SYMBOL_RETURN;
}

/* Whether passes begin with a call that has stamps, on the first trace that has the loop. FALSE as well if that trace
 * cannot be read, which is told when all are. */
static gboolean begin_is_known(const Work *work, const DtLoopPasses *passes, const GPtrArray *loops)
{
    for (guint i = 0; i < loops->len; i++) {
        const Loop *loop = find_loop(loops->pdata[i], passes->count);
        if (!loop)
            continue;
        g_autoptr(DtAttribution) attribution = dt_attribution_new(work->run, work->traces->pdata[i], NULL);
        guint64 stamped = 0, calls = 0;
        if (attribution)
            calls = dt_attribution_calls(attribution, first_function(passes->table, loop->body), &stamped);
        return calls > 0 && stamped >= calls - calls / 10;
    }
    return FALSE;
}

DtLoopPasses *dt_loop_passes_new(const DtRun *run, const GPtrArray *traces, const DtLoopFilter *filters, guint count,
                                 guint jobs, GError **error)
{
    g_autoptr(DtLoopPasses) best = new_passes();
    g_autoptr(GPtrArray) loops = NULL;
    Work work = {.run = run, .traces = traces, .jobs = MAX(jobs, 1)};
    for (guint i = 0; i < count; i++) {
        g_autoptr(DtLoopPasses) passes = new_passes();
        work.beginning = (Reading){.returns = filters[i].returns, .scope = {filters[i].set, 0}};
        g_autoptr(GPtrArray) found = find_loops(&work, best->count, passes, error);
        if (!found)
            return NULL;
        passes->filter = i;
        if (best->count > 0 && (passes->without > best->without || !begin_is_known(&work, passes, found)))
            continue;
        DtLoopPasses *other = best;
        best = passes;
        passes = other;
        g_clear_pointer(&loops, g_ptr_array_unref);
        loops = g_steal_pointer(&found);
    }
    if (best->count == 0)
        return g_steal_pointer(&best);
    work.loops = (GArray **)loops->pdata;
    work.beginning = (Reading){.returns = filters[best->filter].returns, .scope = {filters[best->filter].set, 0}};
    return read_traces(&work, best, error) ? g_steal_pointer(&best) : NULL;
}

void dt_loop_passes_free(DtLoopPasses *passes)
{
    if (!passes)
        return;
    dt_loop_table_free(passes->table);
    g_ptr_array_unref(passes->traces);
    g_ptr_array_unref(passes->problems);
    g_free(passes);
}
