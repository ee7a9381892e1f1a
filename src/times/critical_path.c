#include "times/critical_path.h"

typedef struct {
    DtCriticalPath *path;
    const DtMessages *messages;
    GPtrArray *waits;    /* by thread: GArray of guint, calls that waited, by their ends */
    GHashTable *on_path; /* "rank function" -> DtPathTime */
    GHashTable *all;     /* function -> gint64: over all ranks */
} Walking;

/* ---- the way back ---------------------------------------------------------------------------- */

static GPtrArray *waits_by_row(const DtWaitStates *states)
{
    const DtMessages *messages = states->messages;
    GPtrArray *waits = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    for (guint i = 0; i < messages->rows->len; i++)
        g_ptr_array_add(waits, g_array_new(FALSE, FALSE, sizeof(guint)));
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

typedef void (*AddTime)(Walking *walking, guint row, guint32 function, gint64 ns);

static void add_to_path(Walking *walking, guint row, guint32 function, gint64 ns)
{
    guint rank = g_array_index(walking->messages->rows, DtTimedRow, row).rank;
    guint64 key = (guint64)rank << 32 | function;
    DtPathTime *time = g_hash_table_lookup(walking->on_path, &key);
    walking->path->by_rank[rank] += ns;
    if (!time) {
        struct {
            DtPathTime time;
            guint64 key;
        } *added = g_malloc0(sizeof *added);
        added->time = (DtPathTime){rank, function, 0};
        added->key = key;
        time = &added->time;
        g_hash_table_insert(walking->on_path, &added->key, added);
    }
    time->ns += ns;
}

static void add_to_all(Walking *walking, guint row, guint32 function, gint64 ns)
{
    (void)row;
    gint64 *sum = g_hash_table_lookup(walking->all, GUINT_TO_POINTER(function));
    if (!sum) {
        sum = g_new0(gint64, 1);
        g_hash_table_insert(walking->all, GUINT_TO_POINTER(function), sum);
    }
    *sum += ns;
}

/* Shares by events, in whole nanoseconds whose sum is exact. */
static void share_out(Walking *walking, guint row, const DtInterval *interval, gint64 ns, AddTime add)
{
    const DtShare *shares = &g_array_index(walking->messages->shares, DtShare, interval->first_share);
    guint64 all = 0, so_far = 0;
    gint64 given = 0;
    for (guint i = 0; i < interval->shares; i++)
        all += shares[i].events;
    for (guint i = 0; i < interval->shares; i++) {
        so_far += shares[i].events;
        gint64 until = so_far == all ? ns : (gint64)((gdouble)ns * (gdouble)so_far / (gdouble)all);
        add(walking, row, shares[i].function, until - given);
        given = until;
    }
    if (given < ns)
        add(walking, row, 0, ns - given);
}

/* The first interval that ends behind `from`. */
static guint first_interval(const Walking *walking, const DtTimedRow *row, gint64 from)
{
    guint low = 0, high = row->intervals;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(walking->messages->intervals, DtInterval, row->first_interval + middle).end <= from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_stretch(Walking *walking, guint row_index, gint64 from, gint64 to, AddTime add)
{
    const DtTimedRow *row = &g_array_index(walking->messages->rows, DtTimedRow, row_index);
    gint64 at = from;
    for (guint i = first_interval(walking, row, from); i < row->intervals && at < to; i++) {
        const DtInterval *interval = &g_array_index(walking->messages->intervals, DtInterval, row->first_interval + i);
        gint64 begin = MAX(interval->begin, at), end = MIN(interval->end, to);
        if (begin >= to)
            break;
        if (begin > at)
            add(walking, row_index, 0, begin - at);
        share_out(walking, row_index, interval, end - begin, add);
        at = end;
    }
    if (at < to)
        add(walking, row_index, 0, to - at);
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
            const gint64 *sum = g_hash_table_lookup(walking->all, GUINT_TO_POINTER(time->function));
            DtPathFunction added = {.function = time->function, .rank = time->rank, .rank_ns = time->ns};
            added.mean_ns = sum ? *sum / (gint64)walking->messages->ranks->len : 0;
            g_array_append_val(path->functions, added);
            place = GUINT_TO_POINTER(path->functions->len);
            g_hash_table_insert(places, GUINT_TO_POINTER(time->function), place);
        }
        g_array_index(path->functions, DtPathFunction, GPOINTER_TO_UINT(place) - 1).ns += time->ns;
    }
    g_array_sort(path->functions, compare_functions);
}

static void sum_up(Walking *walking)
{
    const DtMessages *messages = walking->messages;
    const GArray *parts = walking->path->parts;
    for (guint i = 0; i < parts->len; i++) {
        const DtPathPart *part = &g_array_index(parts, DtPathPart, i);
        add_stretch(walking, part->row, part->begin, part->end, add_to_path);
    }
    for (guint i = 0; i < messages->rows->len; i++)
        if (g_array_index(messages->rows, DtTimedRow, i).trace->thread == 0)
            add_stretch(walking, i, messages->begin, messages->end, add_to_all);
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, walking->on_path);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        g_array_append_vals(walking->path->times, value, 1);
    g_array_sort(walking->path->times, compare_times);
    sum_up_functions(walking);
}

DtCriticalPath *dt_critical_path_new(const DtWaitStates *states)
{
    DtCriticalPath *path = g_new0(DtCriticalPath, 1);
    const DtMessages *messages = states->messages;
    path->states = states;
    path->parts = g_array_new(FALSE, FALSE, sizeof(DtPathPart));
    path->times = g_array_new(FALSE, FALSE, sizeof(DtPathTime));
    path->functions = g_array_new(FALSE, FALSE, sizeof(DtPathFunction));
    path->by_rank = g_new0(gint64, messages->ranks->len + 1);
    if (messages->rows->len == 0 || messages->begin == DT_NO_TIME)
        return path;
    g_autoptr(GPtrArray) waits = waits_by_row(states);
    g_autoptr(GHashTable) on_path = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
    g_autoptr(GHashTable) all = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    Walking walking = {path, messages, waits, on_path, all};
    walk(&walking);
    sum_up(&walking);
    return path;
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
