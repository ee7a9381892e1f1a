/*
 * Reads traces: how often each call with each of its arguments was made, the order of collectives, locks held, and the
 * open calls.
 */
#include "waitfor/counts.h"

enum { MOST_WINDOWS = 1 << 16 /* whatever a damaged trace says */ };

/* ---- counts ------------------------------------------------------------------------------- */

/* A thread, and the trace that it reads. */
typedef struct {
    const DtFactsReading *reading;
    DtCounts *counts;
    guint64 *calls; /* by function id */
    guint64 times;  /* that each call of the batch is made */
} Counting;

static void clear_collectives(gpointer named)
{
    dt_collectives_clear(&((DtNamedCollectives *)named)->collectives);
}

static DtCounts *counts_new(void)
{
    DtCounts *counts = g_new0(DtCounts, 1);
    counts->calls = g_array_new(FALSE, FALSE, sizeof(DtCallCount));
    counts->collectives = g_array_new(FALSE, FALSE, sizeof(DtNamedCollectives));
    g_array_set_clear_func(counts->collectives, clear_collectives);
    counts->windows = g_ptr_array_new();
    counts->locks = g_array_new(FALSE, FALSE, sizeof(DtLockUse));
    counts->open = g_array_new(FALSE, FALSE, sizeof(guint32));
    return counts;
}

static void counts_free(DtCounts *counts)
{
    if (!counts)
        return;
    g_array_unref(counts->calls);
    g_array_unref(counts->collectives);
    g_ptr_array_unref(counts->windows);
    g_array_unref(counts->locks);
    g_array_unref(counts->open);
    g_free(counts);
}

/* ---- arguments ---------------------------------------------------------------------------- */

const DtArgument *dt_find_argument(const DtSignature *signature, guint kind)
{
    for (guint i = 0; signature && i < signature->argument_count; i++) {
        if (signature->arguments[i].kind == kind && signature->arguments[i].special == DT_SPECIAL_NONE)
            return &signature->arguments[i];
    }
    return NULL;
}

DtCollectiveCall dt_collective_call(const DtFactsReading *reading, guint32 id, const DtSignature *signature)
{
    const guint32 function = dt_functions_base(reading->functions, id);
    const DtArgument *root = dt_find_argument(signature, DT_ARGUMENT_ROOT);
    const DtArgument *operation = dt_find_argument(signature, DT_ARGUMENT_OPERATION);
    const DtArgument *data = dt_find_argument(signature, DT_ARGUMENT_DATA);
    gboolean of_equal_counts = data && dt_has_equal_counts(dt_functions_get(reading->functions, function)->name);
    return (DtCollectiveCall){.function = function,
                              .root = root ? (gint32)root->value : DT_NOT_TOLD,
                              /* The program's own are numbered by when a process used them first. */
                              .operation = operation ? (gint32)MIN(operation->value, DT_OPERATION_OWN) : DT_NOT_TOLD,
                              .bytes = of_equal_counts ? data->value * data->size : DT_NOT_TOLD};
}

/* ---- locks and collectives, as they come ------------------------------------------------------ */

static void count_lock(Counting *counting, guint32 id, gint64 once)
{
    const gint64 by = once * (gint64)counting->times;
    const DtArgument *lock = dt_find_argument(dt_counted_signature(counting->reading, id), DT_ARGUMENT_LOCK);
    if (!lock)
        return;
    GArray *locks = counting->counts->locks;
    for (guint i = 0; i < locks->len; i++) {
        DtLockUse *use = &g_array_index(locks, DtLockUse, i);
        if (use->lock == lock->value) {
            use->held += by;
            return;
        }
    }
    DtLockUse use = {lock->value, by};
    g_array_append_val(locks, use);
}

static DtNamedCollectives *collectives_named(GArray *all, const char *communicator, gint64 window)
{
    for (guint i = 0; i < all->len; i++) {
        DtNamedCollectives *known = &g_array_index(all, DtNamedCollectives, i);
        if (known->window == window && g_strcmp0(known->communicator, communicator) == 0)
            return known;
    }
    DtNamedCollectives fresh = {communicator, window, dt_collectives_new(0)};
    g_array_append_val(all, fresh);
    return &g_array_index(all, DtNamedCollectives, all->len - 1);
}

static void note_collective(Counting *counting, guint32 id)
{
    const DtSignature *signature = dt_counted_signature(counting->reading, id);
    const DtArgument *window = dt_find_argument(signature, DT_ARGUMENT_WINDOW);
    if (!signature || (!signature->communicator && !window))
        return;
    DtNamedCollectives *used = collectives_named(counting->counts->collectives, signature->communicator,
                                                 signature->communicator ? 0 : window->value);
    DtCollectiveCall call = dt_collective_call(counting->reading, id, signature);
    dt_collectives_add(&used->collectives, &call);
}

static void note_window(Counting *counting, guint32 id)
{
    const DtSignature *signature = dt_counted_signature(counting->reading, id);
    GPtrArray *windows = counting->counts->windows;
    for (guint64 time = 0; time < counting->times && windows->len < MOST_WINDOWS; time++)
        g_ptr_array_add(windows, signature ? (gpointer)signature->communicator : NULL);
}

static gboolean tests(guint role)
{
    return role == DT_ROLE_TEST || role == DT_ROLE_TEST_PROBE;
}

static void enter_call(Counting *counting, guint32 id)
{
    const guint8 role = counting->reading->roles[id];
    counting->calls[id] += counting->times;
    if (role != DT_ROLE_NONE)
        counting->counts->last_test = tests(role) ? id : 0;
    if (role == DT_ROLE_WINDOW_MADE)
        note_window(counting, id);
    if (role == DT_ROLE_COLLECTIVE || role == DT_ROLE_WINDOW_MADE)
        note_collective(counting, id);
    else if (role == DT_ROLE_RELEASE || role == DT_ROLE_CONDITION)
        count_lock(counting, id, -1);
}

/* `id` 0: a return without a call. */
static void leave_call(Counting *counting, guint32 id)
{
    const guint8 role = counting->reading->roles[id];
    if (role == DT_ROLE_ACQUIRE || role == DT_ROLE_CONDITION)
        count_lock(counting, id, 1);
}

/* What of each communicator's collective calls is written down so far (element-type guint). */
static GArray *written_down(const GArray *collectives)
{
    GArray *lengths = g_array_new(FALSE, TRUE, sizeof(guint));
    for (guint i = 0; i < collectives->len; i++)
        g_array_append_val(lengths, g_array_index(collectives, DtNamedCollectives, i).collectives.calls->len);
    return lengths;
}

/* Of calls that are made many times, one time is followed and counts as many. */
static void count_batch(gpointer thread, const DtCallBatch *batch)
{
    Counting *counting = thread;
    GArray *collectives = counting->counts->collectives;
    g_autoptr(GArray) before = batch->times > 1 ? written_down(collectives) : NULL;
    counting->times = batch->times;
    for (gsize i = 0; i < batch->count; i++) {
        if (batch->events[i] == DT_EVENT_RETURN)
            leave_call(counting, batch->callees[i]);
        else
            enter_call(counting, batch->events[i]);
    }
    for (guint i = 0; before && i < collectives->len; i++) {
        guint from = i < before->len ? g_array_index(before, guint, i) : 0;
        dt_collectives_repeat(&g_array_index(collectives, DtNamedCollectives, i).collectives, from, batch->times);
    }
}

/* ---- in the pass ------------------------------------------------------------------------------ */

static gpointer start_counting(gpointer consumer)
{
    Counting *counting = g_new0(Counting, 1);
    counting->reading = consumer;
    counting->calls = g_new0(guint64, (gsize)dt_functions_count(counting->reading->functions) + 1);
    return counting;
}

static void stop_counting(gpointer thread)
{
    g_free(((Counting *)thread)->calls);
    g_free(thread);
}

static gboolean begin_trace(gpointer thread, const DtDistinctTrace *trace)
{
    Counting *counting = thread;
    counting->counts = counting->reading->counts[trace->number];
    return counting->counts != NULL;
}

static void end_trace(gpointer thread, const DtDistinctTrace *trace)
{
    Counting *counting = thread;
    guint32 ids = dt_functions_count(counting->reading->functions);
    for (guint32 id = 1; id <= ids; id++) {
        DtCallCount count = {id, counting->calls[id]};
        if (count.calls > 0)
            g_array_append_val(counting->counts->calls, count);
        counting->calls[id] = 0;
    }
    if (trace->open->len > 0)
        g_array_append_vals(counting->counts->open, trace->open->data, trace->open->len);
}

/* ---- all traces ----------------------------------------------------------------------------------------- */

static guint8 *find_roles(const DtFunctions *functions)
{
    guint32 count = dt_functions_count(functions);
    guint8 *roles = g_new0(guint8, (gsize)count + 1);
    for (guint32 id = 1; id <= count; id++)
        roles[id] = (guint8)dt_role_of(dt_functions_get(functions, dt_functions_base(functions, id))->name);
    return roles;
}

DtFactsReading *dt_facts_reading_new(DtPass *pass, guint run_number)
{
    const DtRun *run = dt_pass_run(pass, run_number);
    DtFactsReading *reading = g_new0(DtFactsReading, 1);
    reading->pass = pass;
    reading->run = run_number;
    reading->functions = dt_run_functions(run);
    reading->roles = find_roles(reading->functions);
    reading->counts = g_new0(DtCounts *, (gsize)dt_pass_count(pass) + 1);
    for (guint t = 0; t < dt_run_trace_count(run); t++) {
        guint number = dt_pass_find(pass, run_number, t)->number;
        if (!dt_run_trace(run, t)->library && !reading->counts[number])
            reading->counts[number] = counts_new();
    }
    dt_pass_add(pass, &(DtEventConsumer){start_counting, begin_trace, count_batch, end_trace, stop_counting, reading});
    return reading;
}

void dt_facts_reading_free(DtFactsReading *reading)
{
    if (!reading)
        return;
    for (guint i = 0; i < dt_pass_count(reading->pass); i++)
        counts_free(reading->counts[i]);
    g_free(reading->counts);
    g_free(reading->roles);
    g_free(reading);
}

DtWaitFor *dt_wait_for_new(const DtRun *run, guint jobs, GError **error)
{
    g_autoptr(DtPass) pass = dt_pass_new(NULL, &run, 1, jobs);
    g_autoptr(DtFactsReading) reading = dt_facts_reading_new(pass, 0);
    dt_pass_read(pass, NULL, NULL);
    return dt_facts_reading_take(reading, error);
}
