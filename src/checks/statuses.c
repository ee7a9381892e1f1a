/* Statuses: how much was received is asked in the datatype that it was received in, and of what was received. */
#include "checks/checking.h"
#include "checks/types.h"
#include "format/arguments.h"

#include <string.h>

typedef struct {
    DtChecking *checking;
    /* Of the thread. */
    GArray *received;        /* DtCheckedData: one of each size that was received */
    gboolean has_received;   /* some call has got something, or may have */
    gboolean is_unsure;      /* there are statuses that receives have not filled in */
    gboolean has_persistent; /* requests that may be live and not active */
    gboolean has_many;       /* or there may be some: null requests in an array are not recorded */
} Statuses;

static gpointer start(DtChecking *checking)
{
    Statuses *own = g_new0(Statuses, 1);
    own->checking = checking;
    own->received = g_array_new(FALSE, FALSE, sizeof(DtCheckedData));
    return own;
}

static void stop(gpointer family)
{
    Statuses *own = family;
    g_array_unref(own->received);
    g_free(own);
}

static void begin(gpointer family, const DtCheckedTrace *trace)
{
    Statuses *own = family;
    g_array_set_size(own->received, 0);
    own->has_received = own->has_many = own->has_persistent = FALSE;
    /* Another thread may have received what this one asks about. */
    own->is_unsure = !trace->is_complete || own->checking->processes[trace->process->index].threads > 1;
}

static void add_received(Statuses *own, const DtCheckedData *data)
{
    enum { MOST = 64 };
    own->is_unsure |= data->count < 0 || own->received->len >= MOST;
    for (guint i = 0; i < own->received->len; i++)
        if (g_array_index(own->received, DtCheckedData, i).size == data->size)
            return;
    if (!own->is_unsure)
        g_array_append_val(own->received, *data);
}

/* Of all that was received nothing can be counted in elements of this size; `odd`: whole elements do not even fit. */
static gboolean is_of_none(const Statuses *own, gint64 size, gboolean whole, gboolean *odd)
{
    *odd = TRUE;
    for (guint i = 0; i < own->received->len; i++) {
        const DtCheckedData *data = &g_array_index(own->received, DtCheckedData, i);
        const gboolean divides = data->size % size == 0;
        if (data->size == size || data->size == 1 || (divides && (data->derived || !whole)))
            return FALSE;
        *odd &= !divides;
    }
    return TRUE;
}

static void look_at_count(Statuses *own, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    const DtArgument *element = dt_check_argument(call->signature, DT_ARGUMENT_ELEMENT);
    const gint64 size = element && element->special == DT_SPECIAL_NONE ? element->value : 0;
    gboolean odd = FALSE;
    DtCheckFinding *finding;
    if (own->is_unsure || size <= 1 || /* bytes count anything */
        (own->has_received && !is_of_none(own, size, dt_check_is(call, "Get_count"), &odd)))
        return;
    const DtCheckReport report = {DT_CHECK_STATUS_COUNT,
                                  odd && own->received->len > 0 && !own->has_many ? DT_CHECK_ERROR : DT_CHECK_WARNING,
                                  trace->trace, call, NULL};
    if (!dt_check_report(own->checking, &report, &finding))
        return;
    dt_check_expect(finding, "the status of a receive that has completed, and the datatype that it had");
    if (own->has_received)
        dt_check_add_evidence(finding, "the thread received no elements of %" G_GINT64_FORMAT " bytes before", size);
    else
        dt_check_add_evidence(finding, "no receive of the thread had completed");
}

static void enter(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Statuses *own = family;
    if (call->of != DT_CALL_MPI || !call->row)
        return;
    if (dt_check_is(call, "Get_count") || dt_check_is(call, "Get_elements")) {
        if (call->signature)
            look_at_count(own, trace, call);
        return;
    }
    own->is_unsure |= dt_check_has(call, DT_CALL_PROBING | DT_CALL_IO) ||
                      g_str_has_prefix(call->row->name, "Status_") || g_str_has_prefix(call->row->name, "Grequest") ||
                      dt_call_has(call->row, DT_PARAMETER_MESSAGE_AT) || dt_check_is(call, "Request_get_status");
    if (!dt_call_has(call->row, DT_PARAMETER_SOURCE))
        return;
    const DtCheckedData unknown = {.count = -1};
    const DtArgument *from = dt_check_argument(call->signature, DT_ARGUMENT_FROM);
    own->is_unsure |= from && from->special == DT_SPECIAL_PROC_NULL; /* gives an empty status */
    gboolean any = FALSE, receives = FALSE;
    for (guint i = 0; call->signature && i < call->signature->argument_count; i++) {
        const DtArgument *argument = &call->signature->arguments[i];
        receives |= argument->kind == DT_ARGUMENT_FROM;
        if (argument->kind != DT_ARGUMENT_DATA || (!receives && !dt_check_is(call, "Sendrecv_replace")))
            continue;
        const DtCheckedData data = dt_checked_data(argument);
        add_received(own, &data);
        any = TRUE;
    }
    if (!any)
        add_received(own, &unknown);
}

/* Waits and tests give an empty status, of which any count may be asked, for a request that is null or not active. */
static void note_empty_status(Statuses *own, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    const gboolean requests =
        dt_call_has(call->row, DT_PARAMETER_REQUEST_AT) || dt_call_has(call->row, DT_PARAMETER_REQUESTS);
    own->has_many |= requests && dt_call_has(call->row, DT_PARAMETER_STATUSES);
    own->is_unsure |= requests && dt_call_has(call->row, DT_PARAMETER_STATUS) && trace->completed_count == 0 &&
                      (trace->named_count == 0 || own->has_persistent);
    own->has_persistent |= call->persistent;
}

static void leave(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Statuses *own = family;
    if (call->of != DT_CALL_MPI || !call->row)
        return;
    note_empty_status(own, trace, call);
    own->has_received |= trace->completed_count > 0 || (dt_call_has(call->row, DT_PARAMETER_SOURCE) && !call->makes) ||
                         g_str_has_prefix(call->row->name, "Wait");
}

const DtCheckFamily dt_check_statuses = {.start = start, .begin = begin, .enter = enter, .leave = leave, .stop = stop};
