#include "times/critical_path.h"

#include "times/attribution.h"

typedef struct {
    DtCriticalPath *path;
    const DtMessages *messages;
    const DtClocks *clocks;
    GPtrArray *waits; /* by thread: GArray of guint, calls that waited, by their ends */
    GPtrArray *parts; /* by thread: GArray of guint, its parts of the path, by time */
    GArray *all;      /* gint64 by function: of all ranks */
} Walking;

/* ---- the way back ---------------------------------------------------------------------------- */

static GPtrArray *arrays_by_row(const DtMessages *messages)
{
    GPtrArray *arrays = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    for (guint i = 0; i < messages->rows->len; i++)
        g_ptr_array_add(arrays, g_array_new(FALSE, FALSE, sizeof(guint)));
    return arrays;
}

static GPtrArray *waits_by_row(const DtWaitStates *states)
{
    const DtMessages *messages = states->messages;
    GPtrArray *waits = arrays_by_row(messages);
    for (guint call = 0; call < states->of_calls->len; call++) {
        DtWaitKind kind = g_array_index(states->of_calls, DtCallWait, call).kind;
        /* What the threads of a rank do before they meet is not followed: regions have no times where they begin. */
        if (kind != DT_WAIT_NONE && kind != DT_WAIT_AT_THREADS)
            g_array_append_val((GArray *)waits->pdata[dt_messages_call(messages, call)->row], call);
    }
    return waits;
}

static guint calls_ended_by(const DtMessages *messages, const GArray *calls, gint64 now)
{
    guint low = 0, high = calls->len;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (dt_messages_call(messages, g_array_index(calls, guint, middle))->end <= now)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The last call of the thread before `now` in which it waited for somebody; DT_NO_CALL: none. */
static guint last_wait(const Walking *walking, guint row, gint64 now)
{
    const DtMessages *messages = walking->messages;
    const GArray *calls = walking->waits->pdata[row];
    for (guint i = calls_ended_by(messages, calls, now); i-- > 0;) {
        guint call = g_array_index(calls, guint, i);
        gint64 late =
            dt_messages_call(messages, g_array_index(walking->path->states->of_calls, DtCallWait, call).cause)->begin;
        if (late < now && late >= messages->begin && late <= dt_messages_call(messages, call)->end)
            return call;
    }
    return DT_NO_CALL;
}

static void walk(Walking *walking)
{
    const DtMessages *messages = walking->messages;
    DtPathPart part = {.row = messages->last_row, .end = messages->end, .waited = DT_NO_CALL};
    for (;;) {
        guint call = last_wait(walking, part.row, part.end);
        guint cause =
            call == DT_NO_CALL ? DT_NO_CALL : g_array_index(walking->path->states->of_calls, DtCallWait, call).cause;
        part.begin = call == DT_NO_CALL ? messages->begin : dt_messages_call(messages, cause)->begin;
        g_array_append_val(walking->path->parts, part);
        walking->path->length_ns += part.end - part.begin;
        if (call == DT_NO_CALL)
            return;
        part = (DtPathPart){.row = dt_messages_call(messages, cause)->row, .end = part.begin, .waited = call};
    }
}

/* ---- what is on it --------------------------------------------------------------------------- */

/* A thread, while its events go by. */
typedef struct {
    Walking *walking;
    guint row, rank;
    GArray *parts;   /* guint: of the path, in this thread, in the order of time */
    guint next_part; /* that does not end before the time */
    gint64 at;
    gboolean counts; /* towards the mean over ranks */
    GArray *stack;   /* guint32: open calls */
    GArray *on_path; /* gint64 by function */
} Thread;

static void add_at(GArray *sums, guint32 function, gint64 ns)
{
    if (function >= sums->len)
        g_array_set_size(sums, function + 1);
    g_array_index(sums, gint64, function) += ns;
}

/* Until `to`, this function was the innermost one. */
static void go_on(Thread *thread, gint64 to, guint32 function)
{
    const Walking *walking = thread->walking;
    gint64 from = thread->at;
    if (to <= from)
        return;
    thread->at = to;
    gint64 begin = MAX(from, walking->messages->begin), end = MIN(to, walking->messages->end);
    if (thread->counts && end > begin)
        add_at(walking->all, function, end - begin);
    for (; thread->next_part < thread->parts->len; thread->next_part++) {
        const DtPathPart *part =
            &g_array_index(walking->path->parts, DtPathPart, g_array_index(thread->parts, guint, thread->next_part));
        if (MIN(to, part->end) > MAX(from, part->begin))
            add_at(thread->on_path, function, MIN(to, part->end) - MAX(from, part->begin));
        if (part->end > to)
            return;
    }
}

static guint32 innermost(const Thread *thread)
{
    return thread->stack->len > 0 ? g_array_index(thread->stack, guint32, thread->stack->len - 1) : 0;
}

static void take_event(Thread *thread, const DtPlacedEvent *event)
{
    const Walking *walking = thread->walking;
    gint64 base = g_array_index(walking->messages->ranks, DtTimedRank, thread->rank).base;
    if (event->ns > 0 && event->ns < G_MAXINT64 / 4)
        go_on(thread, dt_clocks_correct(walking->clocks, walking->messages, thread->rank, (gint64)event->ns + base),
              innermost(thread));
    if (event->event != DT_EVENT_RETURN)
        g_array_append_val(thread->stack, event->event);
    else if (thread->stack->len > 0)
        g_array_set_size(thread->stack, thread->stack->len - 1);
}

static gboolean read_thread(Thread *thread, GError **error)
{
    enum { BATCH = 4096 };
    const DtMessages *messages = thread->walking->messages;
    const DtTimedRow *row = &g_array_index(messages->rows, DtTimedRow, thread->row);
    DtPlacedEvent events[BATCH];
    g_autoptr(DtAttribution) attribution = dt_attribution_new(messages->run, row->trace, error);
    g_autoptr(DtPlacedReader) reader = attribution ? dt_placed_reader_open(attribution, error) : NULL;
    if (!reader)
        return FALSE;
    for (gsize count; (count = dt_placed_reader_next(reader, events, BATCH)) > 0;)
        for (gsize i = 0; i < count; i++)
            take_event(thread, &events[i]);
    if (row->end != DT_NO_TIME)
        go_on(thread, row->end, innermost(thread));
    go_on(thread, messages->end, 0);
    return TRUE;
}

static void keep(const Thread *thread)
{
    Walking *walking = thread->walking;
    for (guint32 function = 0; function < thread->on_path->len; function++) {
        DtPathTime time = {thread->rank, function, g_array_index(thread->on_path, gint64, function)};
        if (time.ns == 0)
            continue;
        walking->path->by_rank[thread->rank] += time.ns;
        g_array_append_val(walking->path->times, time);
    }
}

static gboolean add_row(Walking *walking, guint row, GError **error)
{
    const DtMessages *messages = walking->messages;
    const DtTimedRow *of_row = &g_array_index(messages->rows, DtTimedRow, row);
    GArray *parts = walking->parts->pdata[row];
    g_autoptr(GArray) stack = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autoptr(GArray) on_path = g_array_new(FALSE, TRUE, sizeof(gint64));
    Thread thread = {.walking = walking,
                     .row = row,
                     .rank = of_row->rank,
                     .parts = parts,
                     .at = messages->begin,
                     .counts = of_row->trace->thread == 0,
                     .stack = stack,
                     .on_path = on_path};
    if (!thread.counts && parts->len == 0)
        return TRUE;
    if (!read_thread(&thread, error))
        return FALSE;
    keep(&thread);
    return TRUE;
}

/* ---- what it comes to ------------------------------------------------------------------------ */

static gint compare_times(gconstpointer a, gconstpointer b)
{
    const DtPathTime *one = a, *other = b;
    if (one->ns != other->ns)
        return one->ns > other->ns ? -1 : 1;
    if (one->rank != other->rank)
        return one->rank < other->rank ? -1 : 1;
    return one->function < other->function ? -1 : one->function > other->function;
}

static gint compare_functions(gconstpointer a, gconstpointer b)
{
    const DtPathFunction *one = a, *other = b;
    if (one->ns != other->ns)
        return one->ns > other->ns ? -1 : 1;
    return one->function < other->function ? -1 : one->function > other->function;
}

static void sum_up_functions(Walking *walking)
{
    DtCriticalPath *path = walking->path;
    g_autoptr(GHashTable) places = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < path->times->len; i++) {
        const DtPathTime *time = &g_array_index(path->times, DtPathTime, i);
        gpointer place = g_hash_table_lookup(places, GUINT_TO_POINTER(time->function));
        if (!place) {
            DtPathFunction added = {.function = time->function, .rank = time->rank, .rank_ns = time->ns};
            gint64 all = time->function < walking->all->len ? g_array_index(walking->all, gint64, time->function) : 0;
            added.mean_ns = all / (gint64)walking->messages->ranks->len;
            g_array_append_val(path->functions, added);
            place = GUINT_TO_POINTER(path->functions->len);
            g_hash_table_insert(places, GUINT_TO_POINTER(time->function), place);
        }
        g_array_index(path->functions, DtPathFunction, GPOINTER_TO_UINT(place) - 1).ns += time->ns;
    }
    g_array_sort(path->functions, compare_functions);
}

static gboolean sum_up(Walking *walking, GError **error)
{
    const GArray *parts = walking->path->parts;
    for (guint i = parts->len; i-- > 0;)
        g_array_append_val((GArray *)walking->parts->pdata[g_array_index(parts, DtPathPart, i).row], i);
    for (guint row = 0; row < walking->messages->rows->len; row++)
        if (!add_row(walking, row, error))
            return FALSE;
    g_array_sort(walking->path->times, compare_times);
    sum_up_functions(walking);
    return TRUE;
}

DtCriticalPath *dt_critical_path_new(const DtWaitStates *states, const DtClocks *clocks, GError **error)
{
    g_autoptr(DtCriticalPath) path = g_new0(DtCriticalPath, 1);
    const DtMessages *messages = states->messages;
    path->states = states;
    path->parts = g_array_new(FALSE, FALSE, sizeof(DtPathPart));
    path->times = g_array_new(FALSE, FALSE, sizeof(DtPathTime));
    path->functions = g_array_new(FALSE, FALSE, sizeof(DtPathFunction));
    path->by_rank = g_new0(gint64, messages->ranks->len + 1);
    if (messages->rows->len == 0 || messages->begin == DT_NO_TIME)
        return g_steal_pointer(&path);
    g_autoptr(GPtrArray) waits = waits_by_row(states);
    g_autoptr(GPtrArray) parts = arrays_by_row(messages);
    g_autoptr(GArray) all = g_array_new(FALSE, TRUE, sizeof(gint64));
    Walking walking = {path, messages, clocks, waits, parts, all};
    walk(&walking);
    return sum_up(&walking, error) ? g_steal_pointer(&path) : NULL;
}

void dt_critical_path_free(DtCriticalPath *path)
{
    if (!path)
        return;
    g_array_unref(path->parts);
    g_array_unref(path->times);
    g_array_unref(path->functions);
    g_free(path->by_rank);
    g_free(path);
}
