/* Perfetto's trace packets (protos/perfetto/trace/trace_packet.proto there): a track for each process and thread, a
 * slice for each call, a flow for each message. One run, or two as two groups of processes. */
#include <string.h>

#include "export/protobuf.h"
#include "export/writer.h"
#include "times/messages.h"

/* Numbers of fields. */
enum { TRACE_PACKET = 1 };
enum { PACKET_TIME = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11, PACKET_INTERNED = 12, PACKET_FLAGS = 13 };
enum { PACKET_TRACK = 60, PACKET_FIRST = 87 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { EVENT_TYPE = 9, EVENT_NAME = 10, EVENT_TRACK = 11, EVENT_FLOW = 47, EVENT_FLOW_END = 48 };
enum { INTERNED_NAMES = 2, NAME_ID = 1, NAME_TEXT = 2 };
/* Values. A thread whose number is its process's is that one's first one: no other may have it. */
enum { FIRST_THREAD = 1 << 24 };
enum { SLICE_BEGIN = 1, SLICE_END = 2, STATE_CLEARED = 1, NEEDS_STATE = 2, THE_SEQUENCE = 1 };

/* One end of a message. */
typedef struct {
    guint call;
    gboolean is_receive;
    guint64 flow;
} FlowEnd;

/* A run. */
typedef struct {
    DtExportWriter *writer; /* of its events */
    gint64 shift;           /* added to its times */
    guint first_number;     /* before its processes and traces */
    gboolean named;         /* processes are named after the run, too */
    DtMessages *messages;   /* NULL: it has no times */
    GArray *ends;           /* FlowEnd, by calls */
} Group;

typedef struct {
    DtExportWriter *writer; /* with the text */
    GByteArray *known;      /* by function: its name has been told */
    GString *packet, *part, *inner;
    gboolean begun;
    const Group *group;
    guint64 track;
    guint next_end; /* of the group's, for the trace */
    guint first_call;
} Perfetto;

/* ---- packets ---------------------------------------------------------------------------------- */

static GString *emptied(GString *text)
{
    g_string_truncate(text, 0);
    return text;
}

static gboolean put_packet(Perfetto *perfetto, guint64 flags)
{
    GString *packet = perfetto->packet;
    dt_protobuf_number(packet, PACKET_SEQUENCE, THE_SEQUENCE);
    dt_protobuf_number(packet, PACKET_FLAGS, flags | (perfetto->begun ? 0 : STATE_CLEARED));
    if (!perfetto->begun)
        dt_protobuf_number(packet, PACKET_FIRST, TRUE);
    perfetto->begun = TRUE;
    dt_protobuf_message(perfetto->writer->text, TRACE_PACKET, packet);
    g_string_truncate(packet, 0);
    return dt_export_flush(perfetto->writer, FALSE);
}

static gboolean put_track(Perfetto *perfetto, guint64 uuid, guint kind)
{
    GString *track = emptied(perfetto->part);
    dt_protobuf_number(track, TRACK_UUID, uuid);
    dt_protobuf_message(track, kind, perfetto->inner);
    dt_protobuf_message(perfetto->packet, PACKET_TRACK, track);
    return put_packet(perfetto, 0);
}

/* Numbers of processes and threads are their places: those of the systems would be the same in two runs by chance. */
static guint64 number_of(const Group *group, guint index)
{
    return (guint64)group->first_number + index + 1;
}

static guint64 process_track(const Group *group, guint index)
{
    return number_of(group, index) << 1;
}

static guint64 thread_track(const Group *group, guint index)
{
    return number_of(group, index) << 1 | 1;
}

static gboolean put_process(Perfetto *perfetto, const DtProcess *process)
{
    const Group *group = perfetto->group;
    GString *inner = emptied(perfetto->inner);
    g_autofree char *base = g_path_get_basename(dt_run_path(group->writer->wants->run));
    g_autofree char *run = g_utf8_make_valid(base, -1);
    g_autofree char *name = group->named ? g_strdup_printf("%s: %s", run, process->label) : g_strdup(process->label);
    dt_protobuf_number(inner, PROCESS_PID, number_of(group, process->index));
    dt_protobuf_text(inner, PROCESS_NAME, name);
    return put_track(perfetto, process_track(group, process->index), TRACK_PROCESS);
}

static gboolean put_thread(Perfetto *perfetto, const DtTrace *trace)
{
    const Group *group = perfetto->group;
    GString *inner = emptied(perfetto->inner);
    dt_protobuf_number(inner, THREAD_PID, number_of(group, trace->process->index));
    dt_protobuf_number(inner, THREAD_TID, FIRST_THREAD + number_of(group, trace->index));
    dt_protobuf_text(inner, THREAD_NAME, trace->label);
    return put_track(perfetto, thread_track(group, trace->index), TRACK_THREAD);
}

/* ---- calls ------------------------------------------------------------------------------------ */

static void put_name(Perfetto *perfetto, guint32 function)
{
    GString *names = emptied(perfetto->part), *name = emptied(perfetto->inner);
    if (perfetto->known->data[function])
        return;
    perfetto->known->data[function] = TRUE;
    dt_protobuf_number(name, NAME_ID, function);
    dt_protobuf_text(name, NAME_TEXT, dt_export_name(perfetto->group->writer->wants->run, function));
    dt_protobuf_message(names, INTERNED_NAMES, name);
    dt_protobuf_message(perfetto->packet, PACKET_INTERNED, names);
}

/* Sends at the beginning of their calls, receives at the end of the calls that completed them: there they are after
 * the sends. */
static void put_flows(Perfetto *perfetto, const DtExportEvent *event, GString *out)
{
    const GArray *ends = perfetto->group->ends;
    if (event->call == DT_EXPORT_NO_CALL || ends == NULL)
        return;
    const FlowEnd wanted = {.call = perfetto->first_call + event->call};
    guint at = 0;
    for (guint high = ends->len; at < high;) {
        guint middle = at + (high - at) / 2;
        if (g_array_index(ends, FlowEnd, middle).call < wanted.call)
            at = middle + 1;
        else
            high = middle;
    }
    for (; at < ends->len && g_array_index(ends, FlowEnd, at).call == wanted.call; at++) {
        const FlowEnd *end = &g_array_index(ends, FlowEnd, at);
        if (end->is_receive != event->entry)
            dt_protobuf_fixed(out, end->is_receive ? EVENT_FLOW_END : EVENT_FLOW, end->flow);
    }
}

static gboolean put_event(const DtExportEvent *event, gpointer user_data)
{
    Perfetto *perfetto = user_data;
    GString *packet = perfetto->packet, *out = perfetto->part;
    const Group *group = perfetto->group;
    gint64 at = (group->writer->timed ? event->ns : (gint64)event->number) + group->shift;
    dt_protobuf_number(packet, PACKET_TIME, (guint64)MAX(at, 0));
    if (event->entry)
        put_name(perfetto, event->function);
    g_string_truncate(out, 0);
    dt_protobuf_number(out, EVENT_TYPE, event->entry ? SLICE_BEGIN : SLICE_END);
    if (event->entry)
        dt_protobuf_number(out, EVENT_NAME, event->function);
    dt_protobuf_number(out, EVENT_TRACK, perfetto->track);
    put_flows(perfetto, event, out);
    dt_protobuf_message(packet, PACKET_EVENT, out);
    return put_packet(perfetto, NEEDS_STATE);
}

/* ---- messages --------------------------------------------------------------------------------- */

static gint by_call(gconstpointer a, gconstpointer b)
{
    const FlowEnd *first = a, *second = b;
    if (first->call != second->call)
        return first->call < second->call ? -1 : 1;
    return (first->flow > second->flow) - (first->flow < second->flow);
}

static gboolean is_whole(const DtMessages *messages, const DtMessage *message)
{
    if (message->sent.call == DT_NO_CALL || message->received.done == DT_NO_CALL)
        return FALSE;
    gint64 sent = dt_messages_call(messages, message->sent.call)->begin;
    gint64 received = dt_messages_call(messages, message->received.done)->end;
    return sent != DT_NO_TIME && received != DT_NO_TIME && sent <= received;
}

/* Without times nothing tells that a message is received after it was sent. */
static gboolean find_flows(Group *group, guint64 first_flow, GError **error)
{
    if (!group->writer->timed)
        return TRUE;
    group->messages = dt_messages_read(group->writer->wants->run, error);
    if (group->messages == NULL)
        return FALSE;
    group->ends = g_array_new(FALSE, FALSE, sizeof(FlowEnd));
    for (guint i = 0; i < group->messages->messages->len; i++) {
        const DtMessage *message = &g_array_index(group->messages->messages, DtMessage, i);
        if (!is_whole(group->messages, message))
            continue;
        const FlowEnd ends[] = {{message->sent.call, FALSE, first_flow + i},
                                {message->received.done, TRUE, first_flow + i}};
        g_array_append_vals(group->ends, ends, G_N_ELEMENTS(ends));
    }
    g_array_sort(group->ends, by_call);
    return TRUE;
}

static void clear_group(Group *group)
{
    g_clear_pointer(&group->messages, dt_messages_free);
    g_clear_pointer(&group->ends, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Group, clear_group)

/* The first of a trace's calls among all; those of traces without any are none. */
static guint first_call_of(const Group *group, const DtTrace *trace)
{
    for (guint i = 0; group->messages != NULL && i < group->messages->rows->len; i++) {
        const DtTimedRow *row = &g_array_index(group->messages->rows, DtTimedRow, i);
        if (row->trace == trace)
            return row->first_call;
    }
    return DT_NO_CALL;
}

/* ---- runs ------------------------------------------------------------------------------------- */

static gboolean put_group(Perfetto *perfetto, Group *group, guint64 first_flow, GError **error)
{
    const GPtrArray *traces = group->writer->wants->traces;
    if (!find_flows(group, first_flow, error))
        return FALSE;
    perfetto->group = group;
    for (guint i = 0; i < traces->len; i++) {
        const DtTrace *trace = traces->pdata[i];
        const DtTrace *before = i > 0 ? traces->pdata[i - 1] : NULL;
        if ((!before || trace->process != before->process) && !put_process(perfetto, trace->process))
            return TRUE;
        if (!put_thread(perfetto, trace))
            return TRUE;
        perfetto->track = thread_track(group, trace->index);
        perfetto->first_call = first_call_of(group, trace);
        GArray *ends = group->ends;
        if (perfetto->first_call == DT_NO_CALL)
            group->ends = NULL;
        gboolean walked = dt_export_walk(group->writer, trace, put_event, perfetto, NULL, error);
        group->ends = ends;
        if (!walked)
            return FALSE;
    }
    return TRUE;
}

static guint most_numbers(const DtRun *run)
{
    return MAX(dt_run_process_count(run), dt_run_trace_count(run));
}

/* No time is below 0: the run that would be is not moved, the other one is. */
static gboolean align(const DtExportWriter *writer, Group *first, Group *second, GError **error)
{
    gint64 shift = 0;
    if (!dt_export_find_shift(writer, &shift, error))
        return FALSE;
    first->shift = MAX(-shift, 0);
    second->shift = MAX(shift, 0);
    return TRUE;
}

gboolean dt_export_perfetto(DtExportWriter *writer, GError **error)
{
    static const guint64 FLOWS_A_RUN = G_GUINT64_CONSTANT(1) << 40;
    const DtRun *run = writer->wants->run;
    g_autoptr(GByteArray) known = g_byte_array_new();
    g_autoptr(GString) packet = g_string_new(NULL), part = g_string_new(NULL), inner = g_string_new(NULL);
    Perfetto perfetto = {.writer = writer, .known = known, .packet = packet, .part = part, .inner = inner};
    g_auto(Group) first = {.writer = writer, .named = writer->other != NULL};
    g_auto(Group) second = {.writer = writer->other, .named = TRUE, .first_number = most_numbers(run)};
    g_byte_array_set_size(known, dt_functions_count(dt_run_functions(run)) + 1);
    memset(known->data, 0, known->len);
    if (second.writer != NULL && !align(writer, &first, &second, error))
        return FALSE;
    if (!put_group(&perfetto, &first, 1, error))
        return FALSE;
    return second.writer == NULL || put_group(&perfetto, &second, FLOWS_A_RUN, error);
}
