#include "export/flows.h"

/* One end of a message. */
typedef struct {
    guint call;
    gboolean is_end;
    guint64 flow;
} MessageEnd;

/* One end of a wake-up, at a note's position. */
typedef struct {
    guint process;
    gint64 from, to; /* threads of it */
    guint trace;
    guint64 position;
    gboolean is_end;
    guint64 flow; /* 0: the other end is not known */
} WakeEnd;

struct DtExportFlows {
    DtMessages *messages;
    GArray *ends;     /* MessageEnd, by calls */
    GArray *wakes;    /* WakeEnd, by traces and positions */
    guint first_call; /* of the trace; DT_NO_CALL: it has none */
    guint trace, next_wake;
};

/* ---- messages --------------------------------------------------------------------------------- */

static gint by_call(gconstpointer a, gconstpointer b)
{
    const MessageEnd *first = a, *second = b;
    if (first->call != second->call)
        return first->call < second->call ? -1 : 1;
    return (first->flow > second->flow) - (first->flow < second->flow);
}

/* Without times the order of events holds it: they are moved behind what they need. */
static gboolean is_whole(const DtExportWriter *writer, const DtMessages *messages, const DtMessage *message)
{
    if (message->sent.call == DT_NO_CALL || message->received.done == DT_NO_CALL)
        return FALSE;
    if (!writer->timed)
        return TRUE;
    gint64 sent = dt_messages_call(messages, message->sent.call)->begin;
    gint64 received = dt_messages_call(messages, message->received.done)->end;
    return sent != DT_NO_TIME && received != DT_NO_TIME && sent <= received;
}

/* Without arguments nobody knows who sends what to whom, and no memory is spent on it. */
static gboolean find_messages(DtExportFlows *flows, const DtExportWriter *writer, guint64 *next, GError **error)
{
    if (!dt_functions_have_signatures(dt_run_functions(writer->wants->run)))
        return TRUE;
    flows->messages = dt_messages_read(writer->wants->run, error);
    if (!flows->messages)
        return FALSE;
    for (guint i = 0; i < flows->messages->messages->len; i++) {
        const DtMessage *message = &g_array_index(flows->messages->messages, DtMessage, i);
        if (!is_whole(writer, flows->messages, message))
            continue;
        const MessageEnd ends[] = {{message->sent.call, FALSE, *next}, {message->received.done, TRUE, *next}};
        g_array_append_vals(flows->ends, ends, G_N_ELEMENTS(ends));
        ++*next;
    }
    g_array_sort(flows->ends, by_call);
    return TRUE;
}

/* Sends at the beginning of their calls, receives at the end of the calls that completed them. */
static void messages_at(const DtExportFlows *flows, const DtExportEvent *event, DtExportFlowVisit visit, gpointer data)
{
    if (event->call == DT_EXPORT_NO_CALL || flows->first_call == DT_NO_CALL)
        return;
    const guint wanted = flows->first_call + event->call;
    guint at = 0;
    for (guint high = flows->ends->len; at < high;) {
        guint middle = at + (high - at) / 2;
        if (g_array_index(flows->ends, MessageEnd, middle).call < wanted)
            at = middle + 1;
        else
            high = middle;
    }
    for (; at < flows->ends->len && g_array_index(flows->ends, MessageEnd, at).call == wanted; at++) {
        const MessageEnd *end = &g_array_index(flows->ends, MessageEnd, at);
        if (end->is_end != event->entry)
            visit(end->flow, end->is_end, data);
    }
}

/* ---- wake-ups --------------------------------------------------------------------------------- */

static gint by_pair(gconstpointer a, gconstpointer b)
{
    const WakeEnd *first = a, *second = b;
    if (first->process != second->process)
        return first->process < second->process ? -1 : 1;
    if (first->from != second->from)
        return first->from < second->from ? -1 : 1;
    if (first->to != second->to)
        return first->to < second->to ? -1 : 1;
    if (first->is_end != second->is_end)
        return first->is_end ? 1 : -1;
    return (first->position > second->position) - (first->position < second->position);
}

static gint by_place(gconstpointer a, gconstpointer b)
{
    const WakeEnd *first = a, *second = b;
    if (first->trace != second->trace)
        return first->trace < second->trace ? -1 : 1;
    if (first->position != second->position)
        return first->position < second->position ? -1 : 1;
    return first->is_end - second->is_end;
}

static gboolean read_wakes(DtExportFlows *flows, const DtRun *run, const DtTrace *trace, GError **error)
{
    g_autoptr(DtNotes) notes = dt_notes_open(run, trace, error);
    if (!notes)
        return FALSE;
    for (guint i = 0; i < dt_notes_count(notes); i++) {
        const DtNote *note = dt_notes_get(notes, i);
        if ((note->kind != DT_NOTE_WOKE && note->kind != DT_NOTE_WOKEN) || note->count == 0)
            continue;
        const gboolean is_end = note->kind == DT_NOTE_WOKEN;
        const gint64 own = trace->thread, other = dt_notes_values(notes, note)[0];
        const WakeEnd end = {.process = trace->process->index,
                             .from = is_end ? other : own,
                             .to = is_end ? own : other,
                             .trace = trace->index,
                             .position = note->position,
                             .is_end = is_end};
        if (other >= 0)
            g_array_append_val(flows->wakes, end);
    }
    return TRUE;
}

static gboolean is_same_pair(const WakeEnd *first, const WakeEnd *second)
{
    return first->process == second->process && first->from == second->from && first->to == second->to;
}

/* Of each two threads the k-th wake-up is the k-th end of a wait. The last one may have had no effect yet; if waits
 * were ended more often than anybody was woken, nothing tells which wake-up is missing. */
static void pair_wakes(GArray *wakes, guint64 *next)
{
    g_array_sort(wakes, by_pair);
    for (guint from = 0, to; from < wakes->len; from = to) {
        guint begins = 0;
        for (to = from;
             to < wakes->len && is_same_pair(&g_array_index(wakes, WakeEnd, from), &g_array_index(wakes, WakeEnd, to));
             to++)
            begins += !g_array_index(wakes, WakeEnd, to).is_end;
        const guint ends = to - from - begins;
        for (guint i = 0; i < ends && ends <= begins; i++) {
            g_array_index(wakes, WakeEnd, from + i).flow = *next;
            g_array_index(wakes, WakeEnd, from + begins + i).flow = *next;
            ++*next;
        }
    }
    g_array_sort(wakes, by_place);
}

/* What wakes is noted at its own event, what ends a wait before the event that does. */
static void wakes_at(DtExportFlows *flows, const DtExportEvent *event, DtExportFlowVisit visit, gpointer user_data)
{
    for (; flows->next_wake < flows->wakes->len; flows->next_wake++) {
        const WakeEnd *end = &g_array_index(flows->wakes, WakeEnd, flows->next_wake);
        const guint64 position = end->position + (end->is_end ? 1 : 0);
        if (end->trace != flows->trace || position > event->position)
            return;
        if (end->flow != 0 && position > event->before)
            visit(end->flow, end->is_end, user_data);
    }
}

/* ---- both --------------------------------------------------------------------------------------- */

DtExportFlows *dt_export_flows_new(const DtExportWriter *writer, guint64 first, GError **error)
{
    const GPtrArray *traces = writer->wants->traces;
    g_autoptr(DtExportFlows) flows = g_new0(DtExportFlows, 1);
    flows->ends = g_array_new(FALSE, FALSE, sizeof(MessageEnd));
    flows->wakes = g_array_new(FALSE, FALSE, sizeof(WakeEnd));
    flows->first_call = DT_NO_CALL;
    if (!find_messages(flows, writer, &first, error))
        return NULL;
    for (guint i = 0; i < traces->len; i++)
        if (!read_wakes(flows, writer->wants->run, traces->pdata[i], error))
            return NULL;
    pair_wakes(flows->wakes, &first);
    return g_steal_pointer(&flows);
}

void dt_export_flows_free(DtExportFlows *flows)
{
    if (!flows)
        return;
    g_clear_pointer(&flows->messages, dt_messages_free);
    g_array_unref(flows->ends);
    g_array_unref(flows->wakes);
    g_free(flows);
}

const DtMessages *dt_export_flows_messages(const DtExportFlows *flows)
{
    return flows->messages;
}

void dt_export_flows_turn(DtExportFlows *flows, const DtTrace *trace)
{
    flows->first_call = DT_NO_CALL;
    for (guint i = 0; flows->messages && i < flows->messages->rows->len; i++) {
        const DtTimedRow *row = &g_array_index(flows->messages->rows, DtTimedRow, i);
        if (row->trace == trace)
            flows->first_call = row->first_call;
    }
    flows->trace = trace->index;
    flows->next_wake = 0;
    for (guint high = flows->wakes->len; flows->next_wake < high;) {
        guint middle = flows->next_wake + (high - flows->next_wake) / 2;
        if (g_array_index(flows->wakes, WakeEnd, middle).trace < trace->index)
            flows->next_wake = middle + 1;
        else
            high = middle;
    }
}

void dt_export_flows_at(DtExportFlows *flows, const DtExportEvent *event, DtExportFlowVisit visit, gpointer user_data)
{
    messages_at(flows, event, visit, user_data);
    wakes_at(flows, event, visit, user_data);
}
