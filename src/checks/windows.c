/* One-sided communication: epochs of each window, as the process itself begins and ends them. */
#include "checks/checking.h"
#include "format/arguments.h"

/* An epoch that is open. */
typedef struct {
    gboolean is_open;
    DtKeptCall call; /* that began it */
} Epoch;

typedef struct {
    Epoch fence;          /* begun by a fence, as far as it was used: a fence begins one only if another one ends it */
    gboolean after_fence; /* the last fence may have begun one */
    DtKeptCall last_fence;
    Epoch started, posted, all; /* MPI_Win_start, MPI_Win_post, MPI_Win_lock_all */
    GHashTable *locks;          /* distance of the target, as a pointer -> DtKeptCall */
    const DtTrace *trace;
    gboolean is_unsure; /* several threads use it */
    gboolean is_free;
} Window;

typedef struct {
    DtChecking *checking;
    GPtrArray *windows; /* Window, by number in the process that is being read */
} Windows;

static void free_window(gpointer data)
{
    Window *window = data;
    g_hash_table_unref(window->locks);
    g_free(window);
}

static gpointer start(DtChecking *checking)
{
    Windows *own = g_new0(Windows, 1);
    own->checking = checking;
    own->windows = g_ptr_array_new_with_free_func(free_window);
    return own;
}

static void add_window(Windows *own)
{
    Window *window = g_new0(Window, 1);
    window->locks = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g_ptr_array_add(own->windows, window);
}

/* ---- findings -------------------------------------------------------------------------------- */

static void tell(Windows *own, const DtCheckedTrace *trace, const DtCheckedCall *call, DtCheckRule rule,
                 const DtKeptCall *other, const char *expected, const char *evidence)
{
    DtCheckFinding *finding;
    const DtCheckReport report = {rule, DT_CHECK_ERROR, trace->trace, call, NULL};
    if (!dt_check_report(own->checking, &report, &finding))
        return;
    g_autofree char *text = other ? dt_kept_call_text(own->checking, other) : NULL;
    dt_check_expect(finding, "%s", expected);
    if (text)
        dt_check_add_evidence(finding, "%s: %s", evidence, text);
    else
        dt_check_add_evidence(finding, "%s", evidence);
}

static const DtKeptCall *any_lock(const Window *window)
{
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, window->locks);
    return g_hash_table_iter_next(&iter, NULL, &value) ? value : NULL;
}

/* What began the access epoch that is open; NULL: none is. A fence counts if it was used. */
static const DtKeptCall *open_access(const Window *window)
{
    if (window->started.is_open)
        return &window->started.call;
    if (window->all.is_open)
        return &window->all.call;
    return any_lock(window) ? any_lock(window) : window->fence.is_open ? &window->fence.call : NULL;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static gpointer target_of(const DtCheckedCall *call, gboolean *known)
{
    const DtArgument *target = dt_check_argument(call->signature, DT_ARGUMENT_TARGET);
    *known = target && target->special == DT_SPECIAL_NONE;
    return *known ? GINT_TO_POINTER((gint)target->value + 1) : NULL;
}

static gboolean is_access(const DtCheckedCall *call)
{
    static const char *const names[] = {
        "Put",  "Get",  "Accumulate",  "Get_accumulate", "Fetch_and_op", "Compare_and_swap",
        "Rput", "Rget", "Raccumulate", "Rget_accumulate"};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        if (dt_check_is(call, names[i]))
            return TRUE;
    return FALSE;
}

static void access_window(Windows *own, const DtCheckedTrace *trace, Window *window, const DtCheckedCall *call)
{
    gboolean known;
    gpointer target = target_of(call, &known);
    const gboolean locked = window->all.is_open || (known && g_hash_table_contains(window->locks, target));
    const gboolean with_request = call->row->name[0] == 'R';
    if (!known || locked)
        return;
    if (with_request && (window->started.is_open || window->after_fence))
        tell(own, trace, call, DT_CHECK_RMA_NO_EPOCH, NULL, "MPI_Win_lock or MPI_Win_lock_all around it",
             "calls with a request are for locked targets only");
    else if (window->started.is_open)
        return;
    else if (window->after_fence && !any_lock(window)) {
        if (!window->fence.is_open)
            window->fence = (Epoch){TRUE, window->last_fence};
    } else {
        tell(own, trace, call, DT_CHECK_RMA_NO_EPOCH, any_lock(window),
             "MPI_Win_fence, MPI_Win_start or MPI_Win_lock of this target before it",
             any_lock(window) ? "another target is locked" : "no access epoch is open");
    }
}

static void begin_epoch(Windows *own, const DtCheckedTrace *trace, const Window *window, const DtCheckedCall *call)
{
    gboolean known;
    gpointer target = target_of(call, &known);
    const gboolean locks_one = dt_check_is(call, "Win_lock"), posts = dt_check_is(call, "Win_post");
    const DtKeptCall *open = posts ? (window->posted.is_open ? &window->posted.call : NULL) : open_access(window);
    if (locks_one && !window->started.is_open && !window->all.is_open && !window->fence.is_open)
        open = known ? g_hash_table_lookup(window->locks, target) : NULL;
    if (!open)
        return;
    tell(own, trace, call, DT_CHECK_RMA_EPOCHS_MIXED, open, "end the other epoch of this window first",
         "an epoch of the window is open");
}

static void end_epoch(Windows *own, const DtCheckedTrace *trace, const Window *window, const DtCheckedCall *call)
{
    gboolean known, is_open;
    gpointer target = target_of(call, &known);
    const char *begins;
    if (dt_check_is(call, "Win_unlock")) {
        is_open = !known || g_hash_table_contains(window->locks, target);
        begins = "MPI_Win_lock of this target before it";
    } else if (dt_check_is(call, "Win_unlock_all")) {
        is_open = window->all.is_open;
        begins = "MPI_Win_lock_all before it";
    } else if (dt_check_is(call, "Win_complete")) {
        is_open = window->started.is_open;
        begins = "MPI_Win_start before it";
    } else {
        is_open = window->posted.is_open;
        begins = "MPI_Win_post before it";
    }
    if (!is_open)
        tell(own, trace, call, DT_CHECK_RMA_NOT_STARTED, NULL, begins, "no such epoch is open");
}

static void free_of_window(Windows *own, const DtCheckedTrace *trace, const Window *window, const DtCheckedCall *call)
{
    const DtKeptCall *open = window->posted.is_open ? &window->posted.call : open_access(window);
    DtCheckFinding *finding;
    if (!open || !dt_check_report_kept(own->checking, DT_CHECK_RMA_EPOCH_OPEN, DT_CHECK_ERROR, open, NULL, &finding))
        return;
    const DtKeptCall kept = dt_check_keep(trace, call);
    g_autofree char *text = dt_kept_call_text(own->checking, &kept);
    dt_check_expect(finding, "end the epoch before the window is freed");
    dt_check_add_evidence(finding, "the epoch that it begins is open when the window is freed: %s", text);
}

static gboolean is_begin(const DtCheckedCall *call)
{
    return dt_check_is(call, "Win_lock") || dt_check_is(call, "Win_lock_all") || dt_check_is(call, "Win_start") ||
           dt_check_is(call, "Win_post");
}

static gboolean is_end(const DtCheckedCall *call)
{
    return dt_check_is(call, "Win_unlock") || dt_check_is(call, "Win_unlock_all") ||
           dt_check_is(call, "Win_complete") || dt_check_is(call, "Win_wait");
}

static Window *window_of(Windows *own, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    if (call->of != DT_CALL_MPI || !dt_check_has(call, DT_CALL_ONE_SIDED) || !call->signature)
        return NULL;
    const DtArgument *number = dt_check_argument(call->signature, DT_ARGUMENT_WINDOW);
    if (!number || number->special != DT_SPECIAL_NONE || number->value < 0 || number->value >= own->windows->len)
        return NULL;
    Window *window = own->windows->pdata[number->value];
    window->is_unsure |= (window->trace && window->trace != trace->trace) || !trace->is_complete;
    window->trace = trace->trace;
    return window->is_unsure || own->checking->processes[trace->process->index].is_shared ? NULL : window;
}

static void enter(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Windows *own = family;
    Window *window = window_of(own, trace, call);
    if (!window)
        return;
    const DtKeptCall *open = window->started.is_open ? &window->started.call
                             : window->all.is_open   ? &window->all.call
                                                     : any_lock(window);
    if (is_access(call))
        access_window(own, trace, window, call);
    else if (is_begin(call))
        begin_epoch(own, trace, window, call);
    else if (is_end(call))
        end_epoch(own, trace, window, call);
    else if (dt_check_is(call, "Win_fence") && open)
        tell(own, trace, call, DT_CHECK_RMA_EPOCHS_MIXED, open, "end the other epoch of this window first",
             "an epoch of the window is open");
    else if (g_str_has_prefix(call->row->name, "Win_flush") && !window->all.is_open && !any_lock(window))
        tell(own, trace, call, DT_CHECK_RMA_NO_EPOCH, NULL, "MPI_Win_lock or MPI_Win_lock_all before it",
             "no target is locked");
    else if (dt_check_is(call, "Win_free"))
        free_of_window(own, trace, window, call);
}

static void pass_fence(Window *window, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    enum { NO_SUCCEED = 16 };
    const DtArgument *assertion = dt_check_argument(call->signature, DT_ARGUMENT_ASSERTION);
    const gboolean last = assertion && assertion->special == DT_SPECIAL_NONE && assertion->value & NO_SUCCEED;
    window->fence.is_open = FALSE;
    window->after_fence = !last;
    window->last_fence = dt_check_keep(trace, call);
}

static void pass(Window *window, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    gboolean known;
    gpointer target = target_of(call, &known);
    const DtKeptCall kept = dt_check_keep(trace, call);
    if (dt_check_is(call, "Win_fence"))
        pass_fence(window, trace, call);
    else if (dt_check_is(call, "Win_lock") && known)
        g_hash_table_insert(window->locks, target, g_memdup2(&kept, sizeof kept));
    else if (dt_check_is(call, "Win_unlock") && known)
        g_hash_table_remove(window->locks, target);
    else if (dt_check_is(call, "Win_lock_all"))
        window->all = (Epoch){TRUE, kept};
    else if (dt_check_is(call, "Win_unlock_all"))
        window->all.is_open = FALSE;
    else if (dt_check_is(call, "Win_start"))
        window->started = (Epoch){TRUE, kept};
    else if (dt_check_is(call, "Win_complete"))
        window->started.is_open = FALSE;
    else if (dt_check_is(call, "Win_post"))
        window->posted = (Epoch){TRUE, kept};
    else if (dt_check_is(call, "Win_wait"))
        window->posted.is_open = FALSE;
    else if (dt_check_is(call, "Win_test"))
        window->is_unsure = TRUE; /* whether it has ended the epoch is not recorded */
    else if (dt_check_is(call, "Win_free"))
        window->is_free = TRUE;
}

static void leave(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Windows *own = family;
    if (call->of != DT_CALL_MPI || !call->row || call->failed)
        return;
    if (dt_call_has(call->row, DT_PARAMETER_WINDOW_MADE)) {
        add_window(own);
        return;
    }
    Window *window = window_of(own, trace, call);
    if (window)
        pass(window, trace, call);
}

/* ---- the end of a process -------------------------------------------------------------------- */

static void tell_left_open(Windows *own, const DtProcess *process, const Window *window)
{
    const DtKeptCall *open = window->posted.is_open ? &window->posted.call : open_access(window);
    DtCheckFinding *finding;
    if (window->is_free || window->is_unsure || own->checking->processes[process->index].is_shared || !open ||
        !dt_check_report_kept(own->checking, DT_CHECK_RMA_EPOCH_OPEN, DT_CHECK_ERROR, open, NULL, &finding))
        return;
    dt_check_expect(finding, "a call that ends this epoch");
    dt_check_add_evidence(finding, "rank %d came to MPI_Finalize and had not ended it", process->rank);
}

static void end_process(gpointer family, const DtProcess *process, gboolean is_complete)
{
    Windows *own = family;
    const gboolean told = is_complete && own->checking->processes[process->index].finalized;
    for (guint i = 0; told && i < own->windows->len; i++)
        tell_left_open(own, process, own->windows->pdata[i]);
    g_ptr_array_set_size(own->windows, 0);
}

static void stop(gpointer family)
{
    Windows *own = family;
    g_ptr_array_unref(own->windows);
    g_free(own);
}

const DtCheckFamily dt_check_windows = {
    .start = start, .enter = enter, .leave = leave, .end_process = end_process, .stop = stop};
