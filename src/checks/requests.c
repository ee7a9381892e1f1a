/*
 * Requests: completed once, started when they are not active, and all completed in the end. Any thread of a process may
 * complete what another one has begun: what is open is known when all of them are read.
 */
#include "checks/checking.h"
#include "format/arguments.h"
#include "store/arguments/thread_index.h"

typedef struct {
    DtKeptCall call; /* that made it */
    gboolean persistent, active, sends, collective;
} Request;

typedef struct {
    DtCheckRule rule;
    DtKeptCall call;
    guint64 request; /* key_of() */
} Pending;

typedef struct {
    DtChecking *checking;
    GHashTable *requests;  /* of the thread: number -> Request */
    GArray *pending;       /* Pending: of the process, told when all its threads are read */
    GHashTable *elsewhere; /* of the process: key_of() what other threads than its maker have named */
    guint threads;         /* of the process that have requests */
    guint64 unnamed;       /* requests named by calls of the thread that are none of its own, */
    guint64 of_others;     /* and such of which it is known whose they are */
    gboolean has_requests, is_unsure;
    gboolean others_unsure; /* a thread names requests that may be any of another one's */
} Requests;

/* A request of a process: index of its thread in the file, and number in the thread. */
static guint64 key_of(guint32 thread, guint32 number)
{
    return (guint64)thread << 32 | number;
}

static gpointer start(DtChecking *checking)
{
    Requests *own = g_new0(Requests, 1);
    own->checking = checking;
    own->requests = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    own->pending = g_array_new(FALSE, FALSE, sizeof(Pending));
    own->elsewhere = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    return own;
}

static void stop(gpointer family)
{
    Requests *own = family;
    g_hash_table_unref(own->requests);
    g_array_unref(own->pending);
    g_hash_table_unref(own->elsewhere);
    g_free(own);
}

/* ---- what is told when the process is over --------------------------------------------------- */

static void tell_pending(Requests *own, const Pending *pending)
{
    const gboolean is_open = pending->rule == DT_CHECK_REQUEST_OPEN;
    DtCheckFinding *finding;
    if (!dt_check_report_kept(own->checking, pending->rule, is_open ? DT_CHECK_ERROR : DT_CHECK_WARNING, &pending->call,
                              NULL, &finding))
        return;
    const char *thread = pending->call.trace->label;
    switch (pending->rule) {
    case DT_CHECK_REQUEST_OPEN:
        dt_check_expect(finding, "complete it with MPI_Wait, MPI_Test or one of their kin before MPI_Finalize");
        dt_check_add_evidence(finding, "no call of thread %s completed this request", thread);
        break;
    case DT_CHECK_LEAKED_REQUEST:
        dt_check_expect(finding, "free it with MPI_Request_free");
        dt_check_add_evidence(finding, "no call of thread %s freed this persistent request", thread);
        break;
    default:
        dt_check_expect(finding, "wait once for each request; MPI_Wait sets the variable to MPI_REQUEST_NULL, a copy "
                                 "of it stays");
        dt_check_add_evidence(finding, "the request is none of those that thread %s has open", thread);
        break;
    }
}

static gboolean is_proved(const Requests *own, const Pending *pending)
{
    if (own->is_unsure)
        return FALSE;
    if (own->threads <= 1)
        return TRUE;
    return pending->rule != DT_CHECK_REQUEST_UNKNOWN && !own->others_unsure &&
           !g_hash_table_contains(own->elsewhere, &pending->request);
}

static void end_process(Requests *own)
{
    for (guint i = 0; i < own->pending->len; i++)
        if (is_proved(own, &g_array_index(own->pending, Pending, i)))
            tell_pending(own, &g_array_index(own->pending, Pending, i));
    g_array_set_size(own->pending, 0);
    g_hash_table_remove_all(own->elsewhere);
    own->threads = 0;
    own->is_unsure = own->others_unsure = FALSE;
}

static void add_pending(Requests *own, DtCheckRule rule, const DtKeptCall *call, guint64 request)
{
    enum { MOST = 1 << 16 };
    Pending pending = {rule, *call, request};
    if (own->pending->len < MOST)
        g_array_append_val(own->pending, pending);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void begin(gpointer family, const DtCheckedTrace *trace)
{
    Requests *own = family;
    if (trace->is_first)
        end_process(own);
    g_hash_table_remove_all(own->requests);
    own->has_requests = FALSE;
    own->unnamed = own->of_others = 0;
}

static void tell_not_persistent(Requests *own, const DtCheckedTrace *trace, const DtCheckedCall *call,
                                const Request *request)
{
    DtCheckFinding *finding;
    const DtCheckReport report = {DT_CHECK_REQUEST_NOT_PERSISTENT, DT_CHECK_ERROR, trace->trace, call, NULL};
    if (!dt_check_report(own->checking, &report, &finding))
        return;
    g_autofree char *made = request ? dt_kept_call_text(own->checking, &request->call) : NULL;
    dt_check_expect(finding, "a request of MPI_Send_init, MPI_Recv_init or one of their kin");
    if (made)
        dt_check_add_evidence(finding, "%s has started this request already, and made it for one time", made);
    else
        dt_check_add_evidence(finding, "the request is MPI_REQUEST_NULL");
}

static void start_request(Requests *own, const DtCheckedTrace *trace, const DtCheckedCall *call, guint32 number)
{
    Request *request = g_hash_table_lookup(own->requests, GUINT_TO_POINTER(number));
    DtCheckFinding *finding;
    if (request && !request->persistent)
        tell_not_persistent(own, trace, call, request);
    if (!request || !request->persistent)
        return;
    const DtCheckReport report = {DT_CHECK_REQUEST_STARTED_TWICE, DT_CHECK_ERROR, trace->trace, call, NULL};
    if (request->active && dt_check_report(own->checking, &report, &finding)) {
        g_autofree char *made = dt_kept_call_text(own->checking, &request->call);
        dt_check_expect(finding, "wait for the request before it is started again");
        dt_check_add_evidence(finding, "the request of %s is active: it was started and not completed", made);
    }
    request->active = TRUE;
}

/* Neither of these is allowed for what MPI_Ibcast and its kin have begun. */
static void look_at_collective(Requests *own, const DtCheckedTrace *trace, const DtCheckedCall *call, guint32 number)
{
    const Request *request = g_hash_table_lookup(own->requests, GUINT_TO_POINTER(number));
    DtCheckFinding *finding;
    const DtCheckReport report = {DT_CHECK_REQUEST_OF_COLLECTIVE, DT_CHECK_ERROR, trace->trace, call, NULL};
    if (!request || !request->collective || request->persistent || !dt_check_report(own->checking, &report, &finding))
        return;
    g_autofree char *made = dt_kept_call_text(own->checking, &request->call);
    dt_check_expect(finding, "complete the request with MPI_Wait or MPI_Test: a collective call cannot be taken back");
    dt_check_add_evidence(finding, "the request is that of %s", made);
}

static void free_request(Requests *own, const DtCheckedTrace *trace, const DtCheckedCall *call, guint32 number)
{
    const Request *request = g_hash_table_lookup(own->requests, GUINT_TO_POINTER(number));
    DtCheckFinding *finding;
    const DtCheckReport report = {DT_CHECK_REQUEST_FREED_ACTIVE, DT_CHECK_WARNING, trace->trace, call, NULL};
    /* That a send has ended may be known by what the receiver answers. */
    if (!request || !request->active || request->sends || request->collective ||
        !dt_check_report(own->checking, &report, &finding))
        return;
    g_autofree char *made = dt_kept_call_text(own->checking, &request->call);
    dt_check_expect(finding, "complete the request with MPI_Wait or MPI_Test");
    dt_check_add_evidence(finding, "the request of %s is active", made);
}

/* Of those that a call names, how many are none of the thread's own. */
static guint missing_of(const DtArgument *live)
{
    guint missing = live && live->special == DT_SPECIAL_UNKNOWN;
    for (guint i = 0; live && live->numbers && i < live->numbers->count; i++)
        missing += live->numbers->values[i] < 0;
    return missing;
}

static void enter(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Requests *own = family;
    if (call->of != DT_CALL_MPI || !call->row)
        return;
    own->is_unsure |= g_str_has_prefix(call->row->name, "Grequest");
    const DtArgument *live = dt_check_argument(call->signature, DT_ARGUMENT_LIVE);
    const gboolean has_requests = call->makes || (live && live->special != DT_SPECIAL_NO_HANDLE);
    own->threads += has_requests && !own->has_requests;
    own->has_requests |= has_requests;
    const guint missing = missing_of(live);
    own->unnamed += missing;
    own->others_unsure |= missing && call->row->properties & DT_CALL_POLLING;
    if (!trace->knows_requests)
        return;
    const gboolean starts = dt_check_is(call, "Start") || dt_check_is(call, "Startall");
    const gboolean is_shared = own->checking->processes[trace->process->index].is_shared;
    for (guint i = 0; i < trace->named_count && !is_shared; i++) {
        if (trace->named[i] == 0)
            continue;
        if (starts)
            start_request(own, trace, call, trace->named[i]);
        else if (call->frees)
            free_request(own, trace, call, trace->named[i]);
        if (call->frees || dt_check_is(call, "Cancel"))
            look_at_collective(own, trace, call, trace->named[i]);
    }
    if (starts && live && live->special == DT_SPECIAL_NO_HANDLE && trace->is_complete)
        tell_not_persistent(own, trace, call, NULL);
    if (missing && trace->is_complete) {
        DtKeptCall kept = dt_check_keep(trace, call);
        add_pending(own, DT_CHECK_REQUEST_UNKNOWN, &kept, 0);
    }
}

static void leave(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Requests *own = family;
    if (call->of != DT_CALL_MPI || !call->row)
        return;
    for (guint i = 0; i < trace->completed_count; i++) {
        gpointer key = GUINT_TO_POINTER(trace->completed[i]);
        Request *request = g_hash_table_lookup(own->requests, key);
        if (request && request->persistent)
            request->active = FALSE;
        else if (request)
            g_hash_table_remove(own->requests, key);
    }
    if (call->made && !call->failed) {
        Request *request = g_new0(Request, 1);
        request->call = dt_check_keep(trace, call);
        request->persistent = call->persistent;
        request->active = !call->persistent;
        request->sends = dt_call_has(call->row, DT_PARAMETER_DESTINATION);
        request->collective = dt_check_has(call, DT_CALL_COLLECTIVE);
        g_hash_table_insert(own->requests, GUINT_TO_POINTER(call->made), request);
    }
}

/* What the thread's calls named of other threads' requests. */
static void look_at_others(Requests *own, const DtCheckedTrace *trace)
{
    for (guint i = 0; i < dt_notes_count(trace->notes); i++) {
        const DtNote *note = dt_notes_get(trace->notes, i);
        const gint64 *values = dt_notes_values(trace->notes, note);
        if (note->kind != DT_NOTE_LIVE || note->count == 0 ||
            (values[0] != DT_LIVE_OTHERS && values[0] != DT_LIVE_OTHERS_COMPLETED))
            continue;
        for (guint k = 1; k + 1 < note->count; k += 2) {
            const guint64 key = key_of((guint32)values[k], (guint32)values[k + 1]);
            g_hash_table_add(own->elsewhere, g_memdup2(&key, sizeof key));
        }
        own->of_others += values[0] == DT_LIVE_OTHERS ? note->count / 2 : 0;
    }
    own->others_unsure |= own->unnamed > own->of_others || !trace->is_complete;
}

static void end(gpointer family, const DtCheckedTrace *trace, const GPtrArray *open)
{
    Requests *own = family;
    guint32 number;
    (void)open;
    look_at_others(own, trace);
    if (!trace->is_complete || !own->checking->processes[trace->process->index].finalized)
        return;
    for (gint64 i = 0; (number = dt_live_requests_at(trace->live, i)) != 0; i++) {
        const Request *request = g_hash_table_lookup(own->requests, GUINT_TO_POINTER(number));
        if (request)
            add_pending(own, request->active ? DT_CHECK_REQUEST_OPEN : DT_CHECK_LEAKED_REQUEST, &request->call,
                        key_of(dt_trace_index_in_file(trace->trace), number));
    }
}

static void finish(gpointer family)
{
    end_process(family);
}

const DtCheckFamily dt_check_requests = {
    .start = start, .begin = begin, .enter = enter, .leave = leave, .end = end, .finish = finish, .stop = stop};
