/* Where two runs first part: the events of each trace that both have, side by side. */
#include "export/order.h"

enum { BATCH = 4096 };

/* The kept events of a trace, one after the other. */
typedef struct {
    DtReader *reader;
    DtCallStack *stack;
    DtFilterScope scope;
    guint32 events[BATCH];
    gsize count, next;
    guint64 number; /* of the event given last, from 0; G_MAXUINT64: none was */
} Kept;

static Kept *open_kept(const DtExportWriter *writer, const DtTrace *trace, GError **error)
{
    DtReader *reader = dt_reader_open(writer->wants->run, trace, DT_NAMES_ALONE, error);
    if (!reader)
        return NULL;
    Kept *kept = g_new0(Kept, 1);
    kept->reader = reader;
    kept->stack = dt_call_stack_new();
    kept->scope.set = writer->wants->set;
    kept->number = G_MAXUINT64;
    return kept;
}

static void free_kept(Kept *kept)
{
    if (!kept)
        return;
    dt_reader_free(kept->reader);
    dt_call_stack_free(kept->stack);
    g_free(kept);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Kept, free_kept)

/* FALSE at the end. A return is told with its function. */
static gboolean next_kept(Kept *kept, gboolean *entry, guint32 *function)
{
    for (;;) {
        if (kept->next == kept->count) {
            kept->count = dt_reader_next(kept->reader, kept->events, BATCH);
            kept->next = 0;
            if (kept->count == 0)
                return FALSE;
        }
        guint32 event = kept->events[kept->next++];
        kept->number++;
        *entry = event != DT_EVENT_RETURN;
        *function = dt_call_stack_apply(kept->stack, event);
        if (*function != 0 && (!kept->scope.set || dt_filter_scope_keeps(&kept->scope, kept->stack, event, *function)))
            return TRUE;
    }
}

/* The numbers of the events where they part; FALSE: nowhere. */
static gboolean part(Kept *first, Kept *second, guint64 *first_number, guint64 *second_number)
{
    for (;;) {
        gboolean entry = FALSE, other_entry = FALSE;
        guint32 function = 0, other_function = 0;
        gboolean more = next_kept(first, &entry, &function);
        gboolean other_more = next_kept(second, &other_entry, &other_function);
        if (!more && !other_more)
            return FALSE;
        if (more != other_more || entry != other_entry || function != other_function) {
            *first_number = first->number + !more;
            *second_number = second->number + !other_more;
            return TRUE;
        }
    }
}

/* ---- times ------------------------------------------------------------------------------------ */

typedef struct {
    guint64 wanted;
    gint64 ns;
    gboolean found;
} Search;

static gboolean look_at(const DtExportEvent *event, gpointer user_data)
{
    Search *search = user_data;
    search->found = event->number >= search->wanted;
    if (search->found)
        search->ns = event->ns;
    return !search->found;
}

/* When the event of that number happened, or the trace ended. */
static gboolean find_time(const DtExportWriter *writer, const DtTrace *trace, guint64 number, gint64 *ns,
                          GError **error)
{
    Search search = {.wanted = number};
    DtExportEnd last;
    if (!writer->timed) {
        *ns = (gint64)(writer->order ? dt_export_order_number(writer->order, trace, number) : number);
        return TRUE;
    }
    if (!dt_export_walk(writer, trace, look_at, &search, &last, error))
        return FALSE;
    *ns = search.found ? search.ns : last.ns;
    return TRUE;
}

static const DtTrace *namesake(const GPtrArray *traces, const char *label)
{
    for (guint i = 0; i < traces->len; i++)
        if (g_str_equal(((const DtTrace *)traces->pdata[i])->label, label))
            return traces->pdata[i];
    return NULL;
}

static gboolean compare(const DtExportWriter *writer, const DtTrace *trace, const DtTrace *other, gint64 *earliest,
                        gint64 *shift, GError **error)
{
    g_autoptr(Kept) first = open_kept(writer, trace, error);
    g_autoptr(Kept) second = first ? open_kept(writer->other, other, error) : NULL;
    guint64 first_number = 0, second_number = 0;
    gint64 at = 0, other_at = 0;
    if (!second)
        return FALSE;
    if (!part(first, second, &first_number, &second_number))
        return TRUE;
    if (!find_time(writer, trace, first_number, &at, error) ||
        !find_time(writer->other, other, second_number, &other_at, error))
        return FALSE;
    if (at < *earliest) {
        *earliest = at;
        *shift = at - other_at;
    }
    return TRUE;
}

gboolean dt_export_find_shift(const DtExportWriter *writer, gint64 *shift, GError **error)
{
    const GPtrArray *traces = writer->wants->traces;
    gint64 earliest = G_MAXINT64;
    *shift = 0;
    for (guint i = 0; i < traces->len; i++) {
        const DtTrace *trace = traces->pdata[i];
        const DtTrace *other = namesake(writer->other->wants->traces, trace->label);
        if (other && !compare(writer, trace, other, &earliest, shift, error))
            return FALSE;
    }
    return TRUE;
}
