/* Gathering what report.html shows of times. */
#include "report/times/page_times.h"

#include "times/function_times.h"
#include "times/timed_reader.h"

/* ---- rows and classes ------------------------------------------------------------------------- */

static guint64 words_of(const DtRun *run)
{
    guint64 words = 0;
    for (guint i = 0; i < dt_run_trace_count(run); i++)
        words += dt_run_trace(run, i)->words;
    return words;
}

static gboolean is_shown(const DtRun *run)
{
    return run && dt_run_has_times(run) && words_of(run) <= DT_PAGE_TIMES_WORDS &&
           dt_run_trace_count(run) <= DT_PAGE_TIMES_THREADS;
}

/* The run's threads become rows; those that the other run has, too, share one. */
static void add_rows(DtPageTimes *times, DtPageRunTimes *of, GHashTable *rows)
{
    of->row_of = g_new(guint, of->messages->rows->len);
    for (guint i = 0; i < of->messages->rows->len; i++) {
        const DtTrace *trace = g_array_index(of->messages->rows, DtTimedRow, i).trace;
        of->row_of[i] = DT_NO_CALL;
        if (trace->library)
            continue;
        gpointer row;
        if (!g_hash_table_lookup_extended(rows, trace->label, NULL, &row)) {
            row = GUINT_TO_POINTER(times->labels->len);
            g_hash_table_insert(rows, (gpointer)trace->label, row);
            g_ptr_array_add(times->labels, (gpointer)trace->label);
        }
        of->row_of[i] = GPOINTER_TO_UINT(row);
    }
}

typedef struct {
    gconstpointer same[2];
    guint row, rank; /* rank: of the first suspect among them */
    guint size;
} Class;

static guint hash_class(gconstpointer key)
{
    const Class *class = key;
    return g_direct_hash(class->same[0]) * 31 + g_direct_hash(class->same[1]);
}

static gboolean is_class(gconstpointer a, gconstpointer b)
{
    const Class *first = a, *second = b;
    return first->same[0] == second->same[0] && first->same[1] == second->same[1];
}

static gint by_importance(gconstpointer a, gconstpointer b)
{
    const Class *first = *(Class *const *)a, *second = *(Class *const *)b;
    if (first->rank != second->rank)
        return first->rank < second->rank ? -1 : 1;
    if (first->size != second->size)
        return first->size > second->size ? -1 : 1;
    return first->row < second->row ? -1 : first->row > second->row;
}

/* How suspicious each trace is: label -> place + 1. */
static GHashTable *rank_suspects(const GPtrArray *suspects)
{
    GHashTable *ranks = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < suspects->len; i++)
        g_hash_table_insert(ranks, ((const DtSuspectRow *)suspects->pdata[i])->trace, GUINT_TO_POINTER(i + 1));
    return ranks;
}

static gconstpointer same_of(const DtPageWants *wants, DtSide side, const char *label)
{
    const DtRun *run = side == DT_SIDE_NORMAL ? wants->normal : wants->faulty;
    const DtTrace *trace = run ? dt_run_find_trace(run, label) : NULL;
    if (!trace)
        return NULL;
    gconstpointer same = wants->same(side, trace, wants->user_data);
    return same ? same : trace; /* what is not known to be like another is by itself */
}

/* Each row's class; the classes in the order in which they are shown. */
static GPtrArray *find_classes(const DtPageTimes *times, const DtPageWants *wants, Class **of_row)
{
    g_autoptr(GHashTable) ranks = rank_suspects(wants->suspects);
    g_autoptr(GHashTable) known = g_hash_table_new(hash_class, is_class);
    GPtrArray *classes = g_ptr_array_new_with_free_func(g_free);
    for (guint row = 0; row < times->labels->len; row++) {
        const char *label = times->labels->pdata[row];
        const guint suspect = GPOINTER_TO_UINT(g_hash_table_lookup(ranks, label));
        Class key = {.row = row, .rank = G_MAXUINT};
        for (DtSide side = DT_SIDE_NORMAL; side <= DT_SIDE_FAULTY; side++)
            key.same[side] = same_of(wants, side, label);
        Class *class = g_hash_table_lookup(known, &key);
        if (!class) {
            class = g_memdup2(&key, sizeof key);
            g_hash_table_add(known, class);
            g_ptr_array_add(classes, class);
        }
        class->size++;
        class->rank = suspect > 0 ? MIN(class->rank, suspect) : class->rank;
        of_row[row] = class;
    }
    g_ptr_array_sort(classes, by_importance);
    return classes;
}

static void add_classes(DtPageTimes *times, const DtPageWants *wants)
{
    g_autofree Class **of_row = g_new0(Class *, times->labels->len + 1);
    g_autoptr(GPtrArray) classes = find_classes(times, wants, of_row);
    times->classes = MIN(classes->len, (guint)DT_PAGE_CLASSES);
    times->remainder = classes->len > times->classes;
    for (guint i = 0; i < classes->len; i++)
        ((Class *)classes->pdata[i])->row = MIN(i, (guint)DT_PAGE_CLASSES - 1);
    for (guint row = 0; row < times->labels->len; row++)
        g_array_append_val(times->class_of, of_row[row]->row);
}

/* ---- alignment -------------------------------------------------------------------------------- */

typedef struct {
    DtTimedReader *reader;
    DtTimedEvent event;
    guint64 ns; /* of the last event that has a time in both runs */
    gint64 base;
} Walk;

static const DtTimedRow *row_of_trace(const DtPageRunTimes *of, const char *label)
{
    for (guint i = 0; i < of->messages->rows->len; i++) {
        const DtTimedRow *row = &g_array_index(of->messages->rows, DtTimedRow, i);
        if (g_str_equal(row->trace->label, label))
            return row;
    }
    return NULL;
}

static gboolean begin_walk(Walk *walk, const DtPageRunTimes *of, const char *label)
{
    const DtTimedRow *row = row_of_trace(of, label);
    if (!row || row->begin == DT_NO_TIME)
        return FALSE;
    walk->reader = dt_timed_reader_open(of->run, row->trace, DT_NAMES_ALONE, NULL);
    if (!walk->reader)
        return FALSE;
    walk->ns = dt_timed_reader_first_ns(walk->reader);
    walk->base = row->begin - (gint64)walk->ns;
    return TRUE;
}

static gboolean step(Walk *walk)
{
    return dt_timed_reader_next(walk->reader, &walk->event, 1) > 0;
}

/* FALSE: they never depart. */
static gboolean walk_to_departure(Walk walks[2])
{
    for (;;) {
        const gboolean normal = step(&walks[0]), faulty = step(&walks[1]);
        if (!normal && !faulty)
            return FALSE;
        if (normal != faulty || walks[0].event.event != walks[1].event.event)
            return TRUE;
        for (guint i = 0; i < 2; i++)
            walks[i].ns = walks[0].event.ns > 0 && walks[1].event.ns > 0 ? walks[i].event.ns : walks[i].ns;
    }
}

static gboolean align_at_departure_of(DtPageTimes *times, const char *label)
{
    Walk walks[2] = {0};
    gboolean departs = begin_walk(&walks[0], &times->runs[0], label) && begin_walk(&walks[1], &times->runs[1], label) &&
                       walk_to_departure(walks);
    for (guint i = 0; i < 2; i++) {
        if (departs)
            times->runs[i].zero = (gint64)walks[i].ns + walks[i].base;
        dt_timed_reader_free(walks[i].reader);
    }
    if (departs)
        times->departing = g_strdup(label);
    return departs;
}

static gboolean calls_init(const DtPageRunTimes *of)
{
    for (guint i = 0; of->run && i < of->messages->rows->len; i++)
        if (g_array_index(of->messages->rows, DtTimedRow, i).init != DT_NO_CALL)
            return TRUE;
    return FALSE;
}

static void align(DtPageTimes *times, const GPtrArray *suspects)
{
    enum { TRIED = 24 };
    const gboolean both = times->runs[0].run && times->runs[1].run;
    times->alignment = DT_ALIGNED_AT_DEPARTURE;
    for (guint i = 0; both && i < MIN(suspects->len, (guint)TRIED); i++)
        if (align_at_departure_of(times, ((const DtSuspectRow *)suspects->pdata[i])->trace))
            return;
    times->alignment =
        calls_init(&times->runs[0]) || calls_init(&times->runs[1]) ? DT_ALIGNED_AT_INIT : DT_ALIGNED_AT_BEGIN;
    for (guint i = 0; i < 2; i++) {
        DtPageRunTimes *of = &times->runs[i];
        if (of->run)
            of->zero = of->messages->begin != DT_NO_TIME ? of->messages->begin : of->begin;
    }
}

/* ---- functions -------------------------------------------------------------------------------- */

static void add_functions(DtPageRunTimes *of, const DtFunctionTimes *trace, guint row)
{
    for (guint i = 0; i < trace->functions->len; i++) {
        const DtFunctionTime *time = &g_array_index(trace->functions, DtFunctionTime, i);
        DtPageFunction *function = &g_array_index(of->functions, DtPageFunction, time->function);
        if (function->calls == 0 || time->exclusive_ns > function->most_ns) {
            function->most_ns = time->exclusive_ns;
            function->most = row;
        }
        function->calls += time->calls;
        function->exclusive_ns += time->exclusive_ns;
        function->told_ns += time->told_ns;
    }
}

/* Some traces at a time: their series are large, and are not needed here. */
static gboolean read_functions(DtPageRunTimes *of, const DtPageWants *wants)
{
    enum { AT_A_TIME = 64 };
    const GArray *rows = of->messages->rows;
    of->functions = g_array_new(FALSE, TRUE, sizeof(DtPageFunction));
    g_array_set_size(of->functions, dt_functions_count(wants->functions) + 1);
    for (guint first = 0; first < rows->len; first += AT_A_TIME) {
        const guint count = MIN(rows->len - first, (guint)AT_A_TIME);
        g_autoptr(GPtrArray) traces = g_ptr_array_new();
        for (guint i = first; i < first + count; i++)
            g_ptr_array_add(traces, (gpointer)g_array_index(rows, DtTimedRow, i).trace);
        g_autoptr(GPtrArray) each = dt_function_times_of_traces(of->run, traces, wants->jobs, NULL);
        if (!each)
            return FALSE;
        for (guint i = 0; i < count; i++)
            if (of->row_of[first + i] != DT_NO_CALL)
                add_functions(of, each->pdata[i], of->row_of[first + i]);
    }
    return TRUE;
}

/* ---- a run ------------------------------------------------------------------------------------ */

/* As many as there is room for, but a multiple or a part of 480 by a power of two. */
static guint columns_for(guint groups)
{
    guint columns = DT_PAGE_COLUMNS;
    while (columns > 60 && (guint64)columns * groups > DT_PAGE_CELLS)
        columns /= 2;
    return columns;
}

static void draw(DtPageTimes *times, DtPageRunTimes *of)
{
    const guint rows = times->labels->len, count = of->messages->rows->len;
    g_autofree guint *classes = g_new(guint, count);
    for (guint i = 0; i < count; i++)
        classes[i] = of->row_of[i] == DT_NO_CALL ? DT_NO_CALL : g_array_index(times->class_of, guint, of->row_of[i]);
    DtTimelineWants wants = {of->states, of->row_of, rows, columns_for(rows), of->begin, of->end};
    of->rows = dt_timeline_new(&wants);
    wants.group_of = classes;
    wants.groups = times->classes;
    wants.columns = columns_for(times->classes);
    of->classes = dt_timeline_new(&wants);
}

static gboolean read_run(DtPageRunTimes *of, const DtRun *run)
{
    if (!is_shown(run))
        return FALSE;
    of->messages = dt_messages_read(run, NULL);
    if (!of->messages)
        return FALSE;
    of->clocks = dt_clocks_estimate(of->messages);
    dt_clocks_apply(of->clocks, of->messages);
    if (!dt_timeline_span(of->messages, &of->begin, &of->end))
        return FALSE;
    of->states = dt_wait_states_new(of->messages);
    of->links = dt_links_new(of->messages);
    of->run = run;
    return TRUE;
}

static void clear_run(DtPageRunTimes *of)
{
    dt_timeline_free(of->rows);
    dt_timeline_free(of->classes);
    dt_links_free(of->links);
    dt_wait_states_free(of->states);
    dt_clocks_free(of->clocks);
    dt_messages_free(of->messages);
    g_clear_pointer(&of->functions, g_array_unref);
    g_free(of->row_of);
    *of = (DtPageRunTimes){0};
}

static void read_rows(DtPageTimes *times, const DtPageWants *wants)
{
    g_autoptr(GHashTable) rows = g_hash_table_new(g_str_hash, g_str_equal);
    const DtRun *const runs[] = {wants->normal, wants->faulty};
    for (guint i = 2; i-- > 0;) {
        if (!read_run(&times->runs[i], runs[i]))
            clear_run(&times->runs[i]);
        else
            add_rows(times, &times->runs[i], rows);
    }
}

DtPageTimes *dt_page_times_new(const DtPageWants *wants)
{
    g_autoptr(DtPageTimes) times = g_new0(DtPageTimes, 1);
    times->labels = g_ptr_array_new();
    times->class_of = g_array_new(FALSE, FALSE, sizeof(guint));
    read_rows(times, wants);
    if (times->labels->len == 0)
        return NULL;
    add_classes(times, wants);
    align(times, wants->suspects);
    for (guint i = 0; i < 2; i++) {
        if (!times->runs[i].run)
            continue;
        draw(times, &times->runs[i]);
        if (!read_functions(&times->runs[i], wants))
            return NULL;
    }
    return g_steal_pointer(&times);
}

void dt_page_times_free(DtPageTimes *times)
{
    if (!times)
        return;
    for (guint i = 0; i < 2; i++)
        clear_run(&times->runs[i]);
    g_ptr_array_unref(times->labels);
    g_array_unref(times->class_of);
    g_free(times->departing);
    g_free(times);
}
