/* Perfetto's trace packets (protos/perfetto/trace/trace_packet.proto there): a track for each process and thread, a
 * slice for each call, a flow for each message and wake-up. One run, or two as two groups of processes. */
#include <string.h>

#include "export/flows.h"
#include "export/order.h"
#include "export/protobuf.h"

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

/* A run. */
typedef struct {
    DtExportWriter *writer; /* of its events */
    gint64 shift;           /* added to its times */
    guint first_number;     /* before its processes and traces */
    gboolean named;         /* processes are named after the run, too */
    DtExportFlows *flows;
    DtExportOrder *order; /* of runs without times */
} Group;

typedef struct {
    DtExportWriter *writer; /* with the text */
    GByteArray *known;      /* by function: its name has been told */
    GString *packet, *part, *inner;
    gboolean begun;
    const Group *group;
    guint64 track;
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

static void put_flow(guint64 flow, gboolean is_end, gpointer user_data)
{
    dt_protobuf_fixed(user_data, is_end ? EVENT_FLOW_END : EVENT_FLOW, flow);
}

static gboolean put_event(const DtExportEvent *event, gpointer user_data)
{
    Perfetto *perfetto = user_data;
    GString *packet = perfetto->packet, *out = perfetto->part;
    const Group *group = perfetto->group;
    const gboolean has_numbers = !group->writer->timed && !group->order;
    const gint64 at = (has_numbers ? (gint64)event->number : event->ns) + group->shift;
    dt_protobuf_number(packet, PACKET_TIME, (guint64)MAX(at, 0));
    if (event->entry)
        put_name(perfetto, event->function);
    g_string_truncate(out, 0);
    dt_protobuf_number(out, EVENT_TYPE, event->entry ? SLICE_BEGIN : SLICE_END);
    if (event->entry)
        dt_protobuf_number(out, EVENT_NAME, event->function);
    dt_protobuf_number(out, EVENT_TRACK, perfetto->track);
    dt_export_flows_at(group->flows, event, put_flow, out);
    dt_protobuf_message(packet, PACKET_EVENT, out);
    return put_packet(perfetto, NEEDS_STATE);
}

/* ---- runs ------------------------------------------------------------------------------------- */

static void clear_group(Group *group)
{
    g_clear_pointer(&group->flows, dt_export_flows_free);
    g_clear_pointer(&group->order, dt_export_order_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Group, clear_group)

static gboolean prepare(Group *group, guint64 first_flow, GError **error)
{
    DtExportWriter *writer = group->writer;
    group->flows = dt_export_flows_new(writer, first_flow, error);
    if (!group->flows || writer->timed || !dt_export_flows_messages(group->flows))
        return group->flows != NULL;
    group->order = dt_export_order_new(writer, dt_export_flows_messages(group->flows), error);
    writer->order = group->order;
    return group->order != NULL;
}

static gboolean put_group(Perfetto *perfetto, const Group *group, GError **error)
{
    const GPtrArray *traces = group->writer->wants->traces;
    perfetto->group = group;
    for (guint i = 0; i < traces->len; i++) {
        const DtTrace *trace = traces->pdata[i];
        const DtTrace *before = i > 0 ? traces->pdata[i - 1] : NULL;
        if ((!before || trace->process != before->process) && !put_process(perfetto, trace->process))
            return TRUE;
        if (!put_thread(perfetto, trace))
            return TRUE;
        perfetto->track = thread_track(group, trace->index);
        dt_export_flows_turn(group->flows, trace);
        if (!dt_export_walk(group->writer, trace, put_event, perfetto, NULL, error))
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
    if (!prepare(&first, 1, error) || (second.writer && !prepare(&second, FLOWS_A_RUN, error)))
        return FALSE;
    if (second.writer && !align(writer, &first, &second, error))
        return FALSE;
    if (!put_group(&perfetto, &first, error))
        return FALSE;
    return !second.writer || put_group(&perfetto, &second, error);
}
