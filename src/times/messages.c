#include "times/messages.h"

#include <string.h>

#include "payload/call_messages.h"
#include "times/call_times.h"
#include "times/message_reading.h"

/* ---- ranks ----------------------------------------------------------------------------------- */

static guint host_of(DtMessages *messages, const char *host)
{
    for (guint i = 0; i < messages->hosts->len; i++)
        if (g_str_equal(messages->hosts->pdata[i], host))
            return i;
    g_ptr_array_add(messages->hosts, (gpointer)host);
    return messages->hosts->len - 1;
}

/* All of a host have one base: its monotonic clock is one. */
static gint64 base_of(const DtMessages *messages, guint host, const DtProcess *process)
{
    for (guint i = messages->ranks->len; i-- > 0;) {
        const DtTimedRank *rank = &g_array_index(messages->ranks, DtTimedRank, i);
        if (rank->host == host)
            return rank->base;
    }
    if (messages->ranks->len == 0)
        return 0;
    gint64 own = dt_process_clock_offset(process);
    gint64 first = dt_process_clock_offset(g_array_index(messages->ranks, DtTimedRank, 0).process);
    gboolean known = ABS(own / 4) < G_MAXINT64 / 16 && ABS(first / 4) < G_MAXINT64 / 16;
    return known ? own - first : 0;
}

static guint add_rank(DtMessages *messages, const DtProcess *process)
{
    guint host = host_of(messages, process->host ? process->host : "");
    DtTimedRank rank = {process, host, base_of(messages, host, process)};
    g_array_append_val(messages->ranks, rank);
    return messages->ranks->len - 1;
}

static gboolean any_uses_mpi(const DtRun *run)
{
    for (guint i = 0; i < dt_run_process_count(run); i++)
        if (dt_run_process(run, i)->called_mpi_init)
            return TRUE;
    return FALSE;
}

/* Launchers and shells are none of them where there is MPI. */
static void find_rows(DtMessages *messages)
{
    g_autoptr(GHashTable) of_process = g_hash_table_new(NULL, NULL), taken = g_hash_table_new(NULL, NULL);
    gboolean with_mpi = any_uses_mpi(messages->run);
    for (guint t = 0; t < dt_run_trace_count(messages->run); t++) {
        const DtTrace *trace = dt_run_trace(messages->run, t);
        const DtProcess *process = trace->process;
        if (trace->library || (with_mpi && (!process->called_mpi_init || process->rank < 0)))
            continue;
        gpointer known = g_hash_table_lookup(of_process, process);
        if (!known && with_mpi && !g_hash_table_add(taken, GINT_TO_POINTER(process->rank))) {
            messages->unmatched.left_out += trace->thread == 0;
            continue;
        }
        guint rank = known ? GPOINTER_TO_UINT(known) - 1 : add_rank(messages, process);
        g_hash_table_insert(of_process, (gpointer)process, GUINT_TO_POINTER(rank + 1));
        DtTimedRow row = {.trace = trace, .rank = rank, .begin = DT_NO_TIME, .end = DT_NO_TIME};
        g_array_append_val(messages->rows, row);
    }
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Threads of a rank that both communicate: what they begin is in the order of time. */
static gboolean is_mixed(const DtMessages *messages)
{
    for (guint i = 1; i < messages->rows->len; i++)
        if (g_array_index(messages->rows, DtTimedRow, i).rank == g_array_index(messages->rows, DtTimedRow, i - 1).rank)
            return TRUE;
    return FALSE;
}

typedef struct {
    const DtMessages *messages;
    const char *items;
    gsize bytes, part;
} Order;

static gint64 beginning_of(const Order *order, guint item)
{
    const DtPart *part = (gconstpointer)(order->items + order->bytes * item + order->part);
    return dt_messages_call(order->messages, part->call)->begin;
}

static gint compare_beginnings(gconstpointer a, gconstpointer b, gpointer user_data)
{
    const Order *order = user_data;
    guint first = *(const guint *)a, second = *(const guint *)b;
    gint64 difference = beginning_of(order, first) - beginning_of(order, second);
    return difference < 0 ? -1 : difference > 0 ? 1 : first < second ? -1 : first > second;
}

/* Indices of the items, sides or attendances, in the order in which their ranks began them; (element-type guint). */
static GArray *order_of(const DtMessages *messages, const GArray *items, gsize part)
{
    Order order = {messages, items->data, g_array_get_element_size((GArray *)items), part};
    GArray *indices = g_array_sized_new(FALSE, FALSE, sizeof(guint), items->len);
    for (guint i = 0; i < items->len; i++)
        g_array_append_val(indices, i);
    if (is_mixed(messages))
        g_array_sort_with_data(indices, compare_beginnings, &order);
    return indices;
}

/* ---- messages -------------------------------------------------------------------------------- */

typedef struct {
    guint64 communicator;
    gint64 tag;
    gint from, to; /* ranks in the world */
} Channel;

typedef struct {
    Channel channel;
    guint next; /* send, 1-based; 0: none */
    guint last;
} Sends;

static guint hash_channel(gconstpointer data)
{
    const Channel *channel = data;
    guint64 hash = channel->communicator * 31 + (guint64)channel->tag;
    hash = hash * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) + (guint64)channel->from;
    hash = hash * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) + (guint64)channel->to;
    return (guint)(hash >> 32);
}

static gboolean are_equal_channels(gconstpointer a, gconstpointer b)
{
    const Channel *one = a, *other = b;
    return one->communicator == other->communicator && one->tag == other->tag && one->from == other->from &&
           one->to == other->to;
}

static Channel channel_of(const DtMessages *messages, const DtMessageSide *side, gboolean sends)
{
    gint own = g_array_index(messages->ranks, DtTimedRank, side->rank).process->rank;
    return (Channel){side->communicator, side->tag, sends ? own : side->peer, sends ? side->peer : own};
}

/* The sends of each channel, as lists along `after`. */
static GHashTable *channels_of(DtMessages *messages, const GArray *sends, guint *after)
{
    GHashTable *channels = g_hash_table_new_full(hash_channel, are_equal_channels, NULL, g_free);
    g_autoptr(GArray) order = order_of(messages, sends, offsetof(DtMessageSide, part));
    for (guint i = 0; i < order->len; i++) {
        guint index = g_array_index(order, guint, i);
        const DtMessageSide *side = &g_array_index(sends, DtMessageSide, index);
        if (side->gone)
            continue;
        if (!side->known) {
            messages->unmatched.untold++;
            continue;
        }
        Channel channel = channel_of(messages, side, TRUE);
        Sends *row = g_hash_table_lookup(channels, &channel);
        if (!row) {
            row = g_new0(Sends, 1);
            row->channel = channel;
            g_hash_table_insert(channels, &row->channel, row);
        }
        *(row->next ? &after[row->last - 1] : &row->next) = index + 1;
        row->last = index + 1;
    }
    return channels;
}

static void match(DtMessages *messages, const DtMessageSide *send, const DtMessageSide *receive)
{
    DtMessage message = {.communicator = send->communicator,
                         .tag = send->tag,
                         .bytes = send->bytes,
                         .sent = send->part,
                         .received = receive->part,
                         .probe = receive->probe};
    g_array_append_val(messages->messages, message);
}

static void match_messages(DtMessages *messages, const DtMessageReading *reading)
{
    DtUnmatched *unmatched = &messages->unmatched;
    const GArray *sends = reading->sends, *receives = reading->receives;
    g_autofree guint *after = g_new0(guint, sends->len + 1);
    g_autoptr(GHashTable) channels = channels_of(messages, sends, after);
    g_autoptr(GArray) order = order_of(messages, receives, offsetof(DtMessageSide, part));
    for (guint i = 0; i < order->len; i++) {
        const DtMessageSide *side = &g_array_index(receives, DtMessageSide, g_array_index(order, guint, i));
        if (side->gone)
            continue;
        if (!side->known) {
            *(side->part.done == DT_NO_CALL ? &unmatched->open_receives : &unmatched->untold) += 1;
            continue;
        }
        Channel channel = channel_of(messages, side, FALSE);
        Sends *row = g_hash_table_lookup(channels, &channel);
        if (!row || row->next == 0) {
            *(side->part.done == DT_NO_CALL ? &unmatched->open_receives : &unmatched->receives) += 1;
            continue;
        }
        match(messages, &g_array_index(sends, DtMessageSide, row->next - 1), side);
        row->next = after[row->next - 1];
    }
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, channels);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        for (guint next = ((Sends *)value)->next; next; next = after[next - 1])
            unmatched->sends++;
}

/* ---- collectives ----------------------------------------------------------------------------- */

typedef struct {
    guint64 communicator, number;
    gboolean persistent;
    GArray *attendances; /* guint */
} Meeting;

static guint hash_meeting(gconstpointer data)
{
    const Meeting *meeting = data;
    guint64 hash = (meeting->communicator ^ meeting->number) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    return (guint)(hash >> 32);
}

static gboolean are_equal_meetings(gconstpointer a, gconstpointer b)
{
    const Meeting *one = a, *other = b;
    return one->communicator == other->communicator && one->number == other->number &&
           one->persistent == other->persistent;
}

static void free_meeting(gpointer data)
{
    g_array_unref(((Meeting *)data)->attendances);
    g_free(data);
}

static guint64 next_number(GHashTable *numbers, guint rank, guint64 communicator)
{
    guint64 key = communicator * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) + rank;
    guint64 *number = g_hash_table_lookup(numbers, &key);
    if (!number) {
        number = g_new0(guint64, 2);
        number[1] = key;
        g_hash_table_insert(numbers, &number[1], number);
    }
    return ++number[0];
}

/* In the order in which the first member comes to them; (element-type Meeting). */
static GPtrArray *meetings_of(const DtMessages *messages, const GArray *attendances)
{
    GPtrArray *meetings = g_ptr_array_new_with_free_func(free_meeting);
    g_autoptr(GHashTable) known = g_hash_table_new(hash_meeting, are_equal_meetings);
    g_autoptr(GHashTable) numbers = g_hash_table_new_full(dt_hash_pair, g_int64_equal, NULL, g_free);
    g_autoptr(GArray) order = order_of(messages, attendances, offsetof(DtAttendance, part));
    for (guint i = 0; i < order->len; i++) {
        guint index = g_array_index(order, guint, i);
        const DtAttendance *attendance = &g_array_index(attendances, DtAttendance, index);
        if (attendance->gone)
            continue;
        guint64 key = attendance->communicator->key;
        Meeting wanted = {key, attendance->persistent, attendance->persistent != 0, NULL};
        if (!wanted.persistent)
            wanted.number = next_number(numbers, attendance->rank, key);
        Meeting *meeting = g_hash_table_lookup(known, &wanted);
        if (!meeting) {
            meeting = g_memdup2(&wanted, sizeof wanted);
            meeting->attendances = g_array_new(FALSE, FALSE, sizeof(guint));
            g_hash_table_add(known, meeting);
            g_ptr_array_add(meetings, meeting);
        }
        g_array_append_val(meeting->attendances, index);
    }
    return meetings;
}

static guint place_of(const DtAttendance *attendance)
{
    return (guint)attendance->communicator->rank;
}

static gint compare_places(gconstpointer a, gconstpointer b, gpointer user_data)
{
    const GArray *attendances = user_data;
    guint first = place_of(&g_array_index(attendances, DtAttendance, *(const guint *)a));
    guint second = place_of(&g_array_index(attendances, DtAttendance, *(const guint *)b));
    return first < second ? -1 : first > second;
}

static gboolean is_same_name(const DtMessages *messages, guint32 a, guint32 b)
{
    const DtFunctions *functions = dt_run_functions(messages->run);
    const struct dt_call *one = dt_call_find(dt_functions_get(functions, a)->name);
    return a == b || one == dt_call_find(dt_functions_get(functions, b)->name);
}

static void meet(DtMessages *messages, const Meeting *meeting, const GArray *attendances)
{
    GArray *come = meeting->attendances;
    g_array_sort_with_data(come, compare_places, (gpointer)attendances);
    const DtAttendance *first = &g_array_index(attendances, DtAttendance, g_array_index(come, guint, 0));
    const DtCommunicator *communicator = first->communicator;
    const char *name = dt_functions_get(dt_run_functions(messages->run), first->function)->name;
    const struct dt_call *row = dt_call_find(name);
    gboolean between = communicator->remote_size >= 0;
    DtCollective collective = {
        .communicator = communicator->key,
        .function = first->function,
        .direction = dt_direction_of(name),
        .is_barrier = g_str_has_suffix(row->name, "arrier") || g_str_has_suffix(row->name, "arrier_init"),
        .root = DT_NO_CALL,
        .first_part = messages->parts->len,
        .parts = come->len,
        .members = (guint)MAX(communicator->size, 0) + (guint)MAX(communicator->remote_size, 0),
    };
    for (guint i = 0; i < come->len; i++) {
        const DtAttendance *one = &g_array_index(attendances, DtAttendance, g_array_index(come, guint, i));
        gint rank = g_array_index(messages->ranks, DtTimedRank, one->rank).process->rank;
        g_array_append_val(messages->parts, one->part);
        collective.differs |= !is_same_name(messages, one->function, first->function) || one->root != first->root;
        if (one->root >= 0 && one->root == rank && !between)
            collective.root = i;
    }
    /* Who gives and who gets is another question between two groups. */
    collective.differs |= between && collective.direction != DT_FROM_ALL;
    messages->unmatched.differing_collectives += collective.differs && !between;
    messages->unmatched.partial_collectives += collective.parts != collective.members;
    g_array_append_val(messages->collectives, collective);
}

static void match_collectives(DtMessages *messages, const DtMessageReading *reading)
{
    g_autoptr(GPtrArray) meetings = meetings_of(messages, reading->attendances);
    for (guint i = 0; i < meetings->len; i++)
        meet(messages, meetings->pdata[i], reading->attendances);
}

/* ---- all ------------------------------------------------------------------------------------- */

static gint64 begin_of_call(const DtMessages *messages, guint call)
{
    return call == DT_NO_CALL ? DT_NO_TIME : dt_messages_call(messages, call)->begin;
}

static gint64 end_of_call(const DtMessages *messages, guint call)
{
    return call == DT_NO_CALL ? DT_NO_TIME : dt_messages_call(messages, call)->end;
}

static gint64 earlier(gint64 a, gint64 b)
{
    return a == DT_NO_TIME ? b : b == DT_NO_TIME ? a : MIN(a, b);
}

void dt_messages_set_span(DtMessages *messages)
{
    gint64 first = DT_NO_TIME, last = DT_NO_TIME, left = DT_NO_TIME, began = DT_NO_TIME;
    guint last_row = 0, last_finalize = 0;
    for (guint i = 0; i < messages->rows->len; i++) {
        const DtTimedRow *row = &g_array_index(messages->rows, DtTimedRow, i);
        first = earlier(first, row->begin);
        left = earlier(left, end_of_call(messages, row->init));
        if (row->end > last) {
            last = row->end;
            last_row = i;
        }
        if (begin_of_call(messages, row->finalize) > began) {
            began = begin_of_call(messages, row->finalize);
            last_finalize = i;
        }
    }
    messages->begin = left != DT_NO_TIME ? left : first;
    gboolean finalized = began > messages->begin;
    messages->end = finalized ? began : last;
    messages->last_row = finalized ? last_finalize : last_row;
}

DtMessages *dt_messages_read(const DtRun *run, GError **error)
{
    g_autoptr(DtMessages) messages = g_new0(DtMessages, 1);
    messages->run = run;
    messages->ranks = g_array_new(FALSE, FALSE, sizeof(DtTimedRank));
    messages->rows = g_array_new(FALSE, FALSE, sizeof(DtTimedRow));
    messages->calls = g_array_new(FALSE, FALSE, sizeof(DtTimedCall));
    messages->messages = g_array_new(FALSE, FALSE, sizeof(DtMessage));
    messages->collectives = g_array_new(FALSE, FALSE, sizeof(DtCollective));
    messages->parts = g_array_new(FALSE, FALSE, sizeof(DtPart));
    messages->hosts = g_ptr_array_new();
    find_rows(messages);
    g_autoptr(GArray) sends = g_array_new(FALSE, FALSE, sizeof(DtMessageSide));
    g_autoptr(GArray) receives = g_array_new(FALSE, FALSE, sizeof(DtMessageSide));
    g_autoptr(GArray) attendances = g_array_new(FALSE, FALSE, sizeof(DtAttendance));
    DtMessageReading reading = {messages, messages->calls, sends, receives, attendances};
    for (guint row = 0; row < messages->rows->len; row++)
        if (!dt_message_reading_add(&reading, row, error))
            return NULL;
    match_messages(messages, &reading);
    match_collectives(messages, &reading);
    dt_messages_set_span(messages);
    return g_steal_pointer(&messages);
}

void dt_messages_free(DtMessages *messages)
{
    if (!messages)
        return;
    g_array_unref(messages->ranks);
    g_array_unref(messages->rows);
    g_array_unref(messages->calls);
    g_array_unref(messages->messages);
    g_array_unref(messages->collectives);
    g_array_unref(messages->parts);
    g_ptr_array_unref(messages->hosts);
    g_free(messages);
}

static void tell(GString *text, guint64 count, const char *one, const char *several)
{
    if (count > 0)
        g_string_append_printf(text, "%s%" G_GUINT64_FORMAT " %s", text->len > 0 ? ", " : "", count,
                               count == 1 ? one : several);
}

char *dt_messages_unmatched_text(const DtMessages *messages)
{
    const DtUnmatched *unmatched = &messages->unmatched;
    GString *text = g_string_new(NULL);
    tell(text, unmatched->sends, "send without a receive", "sends without a receive");
    tell(text, unmatched->receives, "receive without a send", "receives without a send");
    tell(text, unmatched->open_receives, "receive that did not complete", "receives that did not complete");
    tell(text, unmatched->untold, "message whose peer or tag is not known", "messages whose peer or tag is not known");
    tell(text, unmatched->partial_collectives, "collective call that not all members made",
         "collective calls that not all members made");
    tell(text, unmatched->differing_collectives, "collective call in which members differ",
         "collective calls in which members differ");
    tell(text, unmatched->untimed, "call without times", "calls without times");
    tell(text, unmatched->left_out, "process that has the rank of another", "processes that have the rank of another");
    char *line = g_string_free(text, FALSE);
    if (*line)
        return line;
    g_free(line);
    return NULL;
}
