#include "export/order.h"

/* A receive that has an end. */
typedef struct {
    guint64 at;      /* number of the event at which its call ends */
    guint64 sent_at; /* of that at which its sender's call begins */
    guint sender;    /* row of it */
} Received;

/* From this event on a row's numbers are moved. */
typedef struct {
    guint64 from, by;
} Step;

/* A thread. */
typedef struct {
    const DtTrace *trace;
    GArray *received; /* Received, by `at` */
    GArray *steps;    /* Step, ascending */
    guint next;       /* of `received`: the steps before it are there */
} Row;

struct DtExportOrder {
    GArray *rows;          /* Row */
    GHashTable *rows_of;   /* trace -> index + 1 */
    GArray *begins, *ends; /* guint64, by call: numbers of events; NEVER */
};
#define NEVER G_MAXUINT64

static void clear_row(gpointer data)
{
    Row *row = data;
    g_array_unref(row->received);
    g_array_unref(row->steps);
}

/* ---- numbers of calls --------------------------------------------------------------------------- */

typedef struct {
    DtExportOrder *order;
    const DtTimedRow *row;
} Numbering;

static gboolean number_call(const DtExportEvent *event, gpointer user_data)
{
    const Numbering *numbering = user_data;
    GArray *numbers = event->entry ? numbering->order->begins : numbering->order->ends;
    if (event->call != DT_EXPORT_NO_CALL && event->call < numbering->row->calls)
        g_array_index(numbers, guint64, numbering->row->first_call + event->call) = event->number;
    return TRUE;
}

static GArray *never(guint count)
{
    const guint64 number = NEVER;
    GArray *numbers = g_array_sized_new(FALSE, FALSE, sizeof(guint64), count);
    for (guint i = 0; i < count; i++)
        g_array_append_val(numbers, number);
    return numbers;
}

/* All events, whatever is exported of them: numbers do not depend on filters. */
static gboolean number_calls(DtExportOrder *order, const DtExportWriter *writer, const DtMessages *messages,
                             GError **error)
{
    const DtExportWants wants = {.run = writer->wants->run, .traces = writer->wants->traces};
    const DtExportWriter all = {.wants = &wants};
    order->begins = never(messages->calls->len);
    order->ends = never(messages->calls->len);
    for (guint i = 0; i < messages->rows->len; i++) {
        const DtTimedRow *row = &g_array_index(messages->rows, DtTimedRow, i);
        Numbering numbering = {order, row};
        if (!dt_export_walk(&all, row->trace, number_call, &numbering, NULL, error))
            return FALSE;
    }
    return TRUE;
}

/* ---- steps ---------------------------------------------------------------------------------------- */

static guint64 moved_by(const Row *row, guint64 number)
{
    guint at = 0;
    for (guint high = row->steps->len; at < high;) {
        guint middle = at + (high - at) / 2;
        if (g_array_index(row->steps, Step, middle).from <= number)
            at = middle + 1;
        else
            high = middle;
    }
    return at > 0 ? g_array_index(row->steps, Step, at - 1).by : 0;
}

static const Received *next_of(const Row *row)
{
    return row->next < row->received->len ? &g_array_index(row->received, Received, row->next) : NULL;
}

static void take(const DtExportOrder *order, Row *row)
{
    const Received *received = next_of(row);
    const Row *sender = &g_array_index(order->rows, Row, received->sender);
    const guint64 least = received->sent_at + moved_by(sender, received->sent_at) + 1;
    const guint64 own = received->at + moved_by(row, received->at);
    const Step step = {received->at, least > received->at ? least - received->at : 0};
    if (least > own)
        g_array_append_val(row->steps, step);
    row->next++;
}

/* The number of the send is known once all receives before it are done. */
static gboolean is_ready(const DtExportOrder *order, const Received *received)
{
    const Received *before = next_of(&g_array_index(order->rows, Row, received->sender));
    return !before || before->at > received->sent_at;
}

static gboolean advance(DtExportOrder *order)
{
    gboolean done = FALSE;
    for (guint i = 0; i < order->rows->len; i++) {
        Row *row = &g_array_index(order->rows, Row, i);
        for (const Received *next = next_of(row); next && is_ready(order, next); next = next_of(row)) {
            take(order, row);
            done = TRUE;
        }
    }
    return done;
}

/* Messages that are received before they were sent are none, but damage: the first of them is left out. */
static gboolean leave_out(DtExportOrder *order)
{
    for (guint i = 0; i < order->rows->len; i++) {
        Row *row = &g_array_index(order->rows, Row, i);
        if (next_of(row)) {
            row->next++;
            return TRUE;
        }
    }
    return FALSE;
}

/* ---- all ------------------------------------------------------------------------------------------ */

static gint by_number(gconstpointer a, gconstpointer b)
{
    const Received *first = a, *second = b;
    return (first->at > second->at) - (first->at < second->at);
}

static void make_rows(DtExportOrder *order, const DtMessages *messages)
{
    for (guint i = 0; i < messages->rows->len; i++) {
        const DtTimedRow *timed = &g_array_index(messages->rows, DtTimedRow, i);
        const Row row = {.trace = timed->trace,
                         .received = g_array_new(FALSE, FALSE, sizeof(Received)),
                         .steps = g_array_new(FALSE, FALSE, sizeof(Step))};
        g_array_append_val(order->rows, row);
        g_hash_table_insert(order->rows_of, (gpointer)row.trace, GUINT_TO_POINTER(i + 1));
    }
    for (guint i = 0; i < messages->messages->len; i++) {
        const DtMessage *message = &g_array_index(messages->messages, DtMessage, i);
        if (message->sent.call == DT_NO_CALL || message->received.done == DT_NO_CALL)
            continue;
        const Received received = {g_array_index(order->ends, guint64, message->received.done),
                                   g_array_index(order->begins, guint64, message->sent.call),
                                   dt_messages_call(messages, message->sent.call)->row};
        const guint receiver = dt_messages_call(messages, message->received.done)->row;
        if (received.at != NEVER && received.sent_at != NEVER)
            g_array_append_val(g_array_index(order->rows, Row, receiver).received, received);
    }
    for (guint i = 0; i < order->rows->len; i++)
        g_array_sort(g_array_index(order->rows, Row, i).received, by_number);
}

DtExportOrder *dt_export_order_new(const DtExportWriter *writer, const DtMessages *messages, GError **error)
{
    g_autoptr(DtExportOrder) order = g_new0(DtExportOrder, 1);
    order->rows = g_array_new(FALSE, FALSE, sizeof(Row));
    g_array_set_clear_func(order->rows, clear_row);
    order->rows_of = g_hash_table_new(NULL, NULL);
    if (!number_calls(order, writer, messages, error))
        return NULL;
    make_rows(order, messages);
    while (advance(order) || leave_out(order))
        ;
    return g_steal_pointer(&order);
}

void dt_export_order_free(DtExportOrder *order)
{
    if (!order)
        return;
    g_array_unref(order->rows);
    g_hash_table_unref(order->rows_of);
    g_clear_pointer(&order->begins, g_array_unref);
    g_clear_pointer(&order->ends, g_array_unref);
    g_free(order);
}

guint64 dt_export_order_number(const DtExportOrder *order, const DtTrace *trace, guint64 number)
{
    const guint row = GPOINTER_TO_UINT(g_hash_table_lookup(order->rows_of, trace));
    return number + (row > 0 ? moved_by(&g_array_index(order->rows, Row, row - 1), number) : 0);
}
