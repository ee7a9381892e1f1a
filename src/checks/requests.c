/* Requests: completed once, started when they are not active, and all completed in the end. */
#include "checks/checking.h"
#include "format/arguments.h"

typedef struct {
    DtKeptCall call; /* that made it */
    gboolean persistent, active, sends, collective;
} Request;

typedef struct {
    DtCheckRule rule;
    DtKeptCall call;
} Pending;

typedef struct {
    DtChecking *checking;
    GHashTable *requests; /* of the thread: number -> Request */
    GArray *pending;      /* Pending: of the process, told if no other thread has to do with requests */
    guint threads;        /* of the process that have requests */
    gboolean has_requests, is_unsure;
} Requests;

static gpointer start(DtChecking *checking)
{
    Requests *own = g_new0(Requests, 1);
    own->checking = checking;
    own->requests = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    own->pending = g_array_new(FALSE, FALSE, sizeof(Pending));
    return own;
}

static void stop(gpointer family)
{
    Requests *own = family;
    g_hash_table_unref(own->requests);
    g_array_unref(own->pending);
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

static void end_process(Requests *own)
{
    for (guint i = 0; own->threads <= 1 && !own->is_unsure && i < own->pending->len; i++)
        tell_pending(own, &g_array_index(own->pending, Pending, i));
    g_array_set_size(own->pending, 0);
    own->threads = 0;
    own->is_unsure = FALSE;
}

static void add_pending(Requests *own, DtCheckRule rule, const DtKeptCall *call)
{
    enum { MOST = 1 << 16 };
    Pending pending = {rule, *call};
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

static void enter(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Requests *own = family;
    if (call->of != DT_CALL_MPI || !call->row)
        return;
    own->is_unsure |= g_str_has_prefix(call->row->name, "Grequest");
    own->threads += (call->makes || trace->named_count > 0) && !own->has_requests;
    own->has_requests |= call->makes || trace->named_count > 0;
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
    const DtArgument *live = dt_check_argument(call->signature, DT_ARGUMENT_LIVE);
    if (starts && live && live->special == DT_SPECIAL_NO_HANDLE && trace->is_complete)
        tell_not_persistent(own, trace, call, NULL);
    gboolean missing = live && live->special == DT_SPECIAL_UNKNOWN;
    for (guint i = 0; live && live->numbers && i < live->numbers->count; i++)
        missing |= live->numbers->values[i] < 0;
    if (missing && trace->is_complete) {
        DtKeptCall kept = dt_check_keep(trace, call);
        add_pending(own, DT_CHECK_REQUEST_UNKNOWN, &kept);
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

static void end(gpointer family, const DtCheckedTrace *trace, const GPtrArray *open)
{
    Requests *own = family;
    guint32 number;
    (void)open;
    if (!trace->is_complete || !own->checking->processes[trace->process->index].finalized)
        return;
    for (gint64 i = 0; (number = dt_live_requests_at(trace->live, i)) != 0; i++) {
        const Request *request = g_hash_table_lookup(own->requests, GUINT_TO_POINTER(number));
        if (request)
            add_pending(own, request->active ? DT_CHECK_REQUEST_OPEN : DT_CHECK_LEAKED_REQUEST, &request->call);
    }
}

static void finish(gpointer family)
{
    end_process(family);
}

const DtCheckFamily dt_check_requests = {
    .start = start, .begin = begin, .enter = enter, .leave = leave, .end = end, .finish = finish, .stop = stop};
