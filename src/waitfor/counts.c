/* How often each call with each of its arguments was made, the order of collectives, locks held, and the open calls. */
#include "waitfor/counts.h"

enum { MOST_WINDOWS = 1 << 16 /* whatever a damaged trace says */ };

/* ---- counts ------------------------------------------------------------------------------- */

/* And the trace that is read. */
struct DtCounting {
    const DtCallRoles *roles;
    const guint8 *role_of; /* of the roles */
    DtCounts *counts;
    GArray *all_calls; /* by function id (element-type guint64) */
    guint64 *calls;    /* the same */
    guint64 times;     /* that each call of the batch is made */
};

static void clear_collectives(gpointer named)
{
    dt_collectives_clear(&((DtNamedCollectives *)named)->collectives);
}

DtCounts *dt_counts_new(void)
{
    DtCounts *counts = g_new0(DtCounts, 1);
    counts->calls = g_array_new(FALSE, FALSE, sizeof(DtCallCount));
    counts->collectives = g_array_new(FALSE, FALSE, sizeof(DtNamedCollectives));
    g_array_set_clear_func(counts->collectives, clear_collectives);
    counts->windows = g_ptr_array_new();
    counts->locks = g_array_new(FALSE, FALSE, sizeof(DtLockUse));
    counts->open = g_array_new(FALSE, FALSE, sizeof(guint32));
    counts->tests = g_array_new(FALSE, FALSE, sizeof(guint32));
    return counts;
}

void dt_counts_free(DtCounts *counts)
{
    if (!counts)
        return;
    g_array_unref(counts->calls);
    g_array_unref(counts->collectives);
    g_ptr_array_unref(counts->windows);
    g_array_unref(counts->locks);
    g_array_unref(counts->open);
    g_array_unref(counts->tests);
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

DtCollectiveCall dt_collective_call(const DtCallRoles *roles, guint32 id, const DtSignature *signature)
{
    const guint32 function = dt_functions_base(roles->functions, id);
    const DtArgument *root = dt_find_argument(signature, DT_ARGUMENT_ROOT);
    const DtArgument *operation = dt_find_argument(signature, DT_ARGUMENT_OPERATION);
    const DtArgument *data = dt_find_argument(signature, DT_ARGUMENT_DATA);
    gboolean of_equal_counts = data && dt_has_equal_counts(dt_functions_get(roles->functions, function)->name);
    return (DtCollectiveCall){.function = function,
                              .root = root ? (gint32)root->value : DT_NOT_TOLD,
                              /* The program's own are numbered by when a process used them first. */
                              .operation = operation ? (gint32)MIN(operation->value, DT_OPERATION_OWN) : DT_NOT_TOLD,
                              .bytes = of_equal_counts ? data->value * data->size : DT_NOT_TOLD};
}

/* ---- locks and collectives, as they come ------------------------------------------------------ */

static void count_lock(DtCounting *counting, guint32 id, gint64 once)
{
    const gint64 by = once * (gint64)counting->times;
    const DtArgument *lock = dt_find_argument(dt_counted_signature(counting->roles, id), DT_ARGUMENT_LOCK);
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
    /* A release of what the thread is not known to hold: of what it took unseen, or of a spin lock that it makes. */
    DtLockUse use = {lock->value, counting->times > 1 ? by : MAX(by, 0)};
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

static void note_collective(DtCounting *counting, guint32 id)
{
    const DtSignature *signature = dt_counted_signature(counting->roles, id);
    const DtArgument *window = dt_find_argument(signature, DT_ARGUMENT_WINDOW);
    if (!signature || (!signature->communicator && !window))
        return;
    DtNamedCollectives *used = collectives_named(counting->counts->collectives, signature->communicator,
                                                 signature->communicator ? 0 : window->value);
    DtCollectiveCall call = dt_collective_call(counting->roles, id, signature);
    dt_collectives_add(&used->collectives, &call);
}

static void note_window(DtCounting *counting, guint32 id)
{
    const DtSignature *signature = dt_counted_signature(counting->roles, id);
    GPtrArray *windows = counting->counts->windows;
    for (guint64 time = 0; time < counting->times && windows->len < MOST_WINDOWS; time++)
        g_ptr_array_add(windows, signature ? (gpointer)signature->communicator : NULL);
}

/* `id` 0: a call that does more than to ask. */
static void note_test(DtCounts *counts, guint32 id)
{
    const gboolean is_same = id == counts->last_test;
    counts->last_test = id;
    if (id == 0)
        g_array_set_size(counts->tests, 0);
    for (guint i = 0; !is_same && i < counts->tests->len; i++)
        if (g_array_index(counts->tests, guint32, i) == id)
            return;
    if (!is_same && id != 0 && counts->tests->len < DT_MOST_TESTS)
        g_array_append_val(counts->tests, id);
}

static void enter_call(DtCounting *counting, guint32 id)
{
    const DtRole role = (DtRole)counting->role_of[id];
    counting->calls[id] += counting->times;
    if (role != DT_ROLE_NONE)
        note_test(counting->counts, dt_role_asks(role) ? id : 0);
    if (role == DT_ROLE_WINDOW_MADE)
        note_window(counting, id);
    if (role == DT_ROLE_COLLECTIVE || role == DT_ROLE_WINDOW_MADE)
        note_collective(counting, id);
    else if (role == DT_ROLE_RELEASE || role == DT_ROLE_CONDITION)
        count_lock(counting, id, -1);
}

/* `id` 0: a return without a call. */
static void leave_call(DtCounting *counting, guint32 id)
{
    const DtRole role = (DtRole)counting->role_of[id];
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
void dt_counting_follow(DtCounting *counting, const DtCallBatch *batch)
{
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

/* ---- a trace after the other ------------------------------------------------------------------- */

DtCounting *dt_counting_new(const DtCallRoles *roles)
{
    DtCounting *counting = g_new0(DtCounting, 1);
    counting->roles = roles;
    counting->all_calls = g_array_new(FALSE, TRUE, sizeof(guint64));
    return counting;
}

void dt_counting_free(DtCounting *counting)
{
    if (!counting)
        return;
    g_array_unref(counting->all_calls);
    g_free(counting);
}

void dt_counting_begin(DtCounting *counting, DtCounts *counts)
{
    counting->counts = counts;
    g_array_set_size(counting->all_calls, counting->roles->roles->len);
    counting->role_of = (const guint8 *)counting->roles->roles->data;
    counting->calls = (guint64 *)(gpointer)counting->all_calls->data;
}

static guint64 calls_before(const GArray *before, guint *next, guint32 id)
{
    while (*next < before->len && g_array_index(before, DtCallCount, *next).id < id)
        ++*next;
    gboolean is_there = *next < before->len && g_array_index(before, DtCallCount, *next).id == id;
    return is_there ? g_array_index(before, DtCallCount, *next).calls : 0;
}

void dt_counting_end(DtCounting *counting, const guint32 *open, guint depth)
{
    g_autoptr(GArray) before = counting->counts->calls;
    guint next = 0;
    counting->counts->calls = g_array_new(FALSE, FALSE, sizeof(DtCallCount));
    for (guint32 id = 1; id < counting->all_calls->len; id++) {
        DtCallCount count = {id, counting->calls[id] + calls_before(before, &next, id)};
        if (count.calls > 0)
            g_array_append_val(counting->counts->calls, count);
        counting->calls[id] = 0;
    }
    g_array_set_size(counting->counts->open, 0);
    if (depth > 0)
        g_array_append_vals(counting->counts->open, open, depth);
}

guint64 dt_counts_of_role(const DtCounts *counts, const DtCallRoles *roles, DtRole role)
{
    guint64 calls = 0;
    for (guint i = 0; i < counts->calls->len; i++) {
        const DtCallCount *count = &g_array_index(counts->calls, DtCallCount, i);
        calls += dt_role_of_id(roles, count->id) == role ? count->calls : 0;
    }
    return calls;
}

/* ---- roles ------------------------------------------------------------------------------------ */

DtCallRoles *dt_call_roles_new(const DtFunctions *functions)
{
    DtCallRoles *roles = g_new0(DtCallRoles, 1);
    roles->functions = functions;
    roles->roles = g_array_new(FALSE, TRUE, sizeof(guint8));
    roles->pauses = g_array_new(FALSE, TRUE, sizeof(guint8));
    dt_call_roles_update(roles);
    return roles;
}

void dt_call_roles_free(DtCallRoles *roles)
{
    if (!roles)
        return;
    g_array_unref(roles->roles);
    g_array_unref(roles->pauses);
    g_free(roles);
}

void dt_call_roles_update(DtCallRoles *roles)
{
    const guint32 known = roles->roles->len, count = dt_functions_count(roles->functions) + 1;
    g_array_set_size(roles->roles, count);
    g_array_set_size(roles->pauses, count);
    for (guint32 id = MAX(known, 1); id < count; id++) {
        const char *name = dt_functions_get(roles->functions, dt_functions_base(roles->functions, id))->name;
        g_array_index(roles->roles, guint8, id) = (guint8)dt_role_of(name);
        g_array_index(roles->pauses, guint8, id) = (guint8)dt_pause_of(name);
    }
}
