/* Times as the page has them: cells of a byte each, and the messages that took longest. */
#include "report/times/page_times.h"

/* Fifteenths of a cell's time: in calls in the upper half of its byte, waiting in the lower one. */
enum { PARTS = 15, ABSENT = 0xff };

static guchar cell_of(const DtTimeline *timeline, gsize place)
{
    const gdouble width = (gdouble)(timeline->end - timeline->begin) / timeline->columns;
    const gdouble present = timeline->present[place];
    if (present < width / 2)
        return ABSENT;
    const guint waiting = (guint)(PARTS * CLAMP(timeline->waiting[place] / present, 0, 1) + 0.5);
    const guint calls = (guint)(PARTS * CLAMP(timeline->in_calls[place] / present, 0, 1) + 0.5);
    return (guchar)(MIN(calls, PARTS - waiting) << 4 | waiting);
}

static void add_cells(JsonBuilder *builder, const char *name, const DtTimeline *timeline)
{
    const gsize cells = (gsize)timeline->groups * timeline->columns;
    g_autofree guchar *bytes = g_new(guchar, cells + 1);
    for (gsize i = 0; i < cells; i++)
        bytes[i] = cell_of(timeline, i);
    g_autofree char *text = g_base64_encode(bytes, cells);
    dt_json_begin_object(builder, name);
    dt_json_integer(builder, "columns", timeline->columns);
    dt_json_string(builder, "cells", text);
    json_builder_end_object(builder);
}

/* By row, in nanoseconds. */
static void add_sums(JsonBuilder *builder, const char *name, const DtTimeline *timeline, const gfloat *columns)
{
    dt_json_begin_array(builder, name);
    for (guint group = 0; group < timeline->groups; group++) {
        gdouble sum = 0;
        for (guint i = 0; i < timeline->columns; i++)
            sum += columns[(gsize)group * timeline->columns + i];
        dt_json_integer(builder, NULL, (gint64)(sum + 0.5));
    }
    json_builder_end_array(builder);
}

/* ---- messages --------------------------------------------------------------------------------- */

typedef struct {
    guint from, to; /* rows */
    gint64 begin, end;
} Arrow;

static gint longest_first(gconstpointer a, gconstpointer b)
{
    const Arrow *first = a, *second = b;
    const gint64 took[] = {first->end - first->begin, second->end - second->begin};
    if (took[0] != took[1])
        return took[0] > took[1] ? -1 : 1;
    return first->begin < second->begin ? -1 : first->begin > second->begin;
}

static GArray *find_arrows(const DtPageRunTimes *of)
{
    const DtMessages *all = of->messages;
    GArray *arrows = g_array_new(FALSE, FALSE, sizeof(Arrow));
    for (guint i = 0; i < all->messages->len; i++) {
        const DtMessage *message = &g_array_index(all->messages, DtMessage, i);
        const guint sent = message->sent.call, received = message->received.done;
        if (sent == DT_NO_CALL || received == DT_NO_CALL)
            continue;
        const DtTimedCall *from = dt_messages_call(all, sent), *to = dt_messages_call(all, received);
        const Arrow arrow = {of->row_of[from->row], of->row_of[to->row], from->begin, to->end};
        if (arrow.begin != DT_NO_TIME && arrow.end != DT_NO_TIME && arrow.from != DT_NO_CALL && arrow.to != DT_NO_CALL)
            g_array_append_val(arrows, arrow);
    }
    g_array_sort(arrows, longest_first);
    return arrows;
}

/* In parts of the span, which fit into few digits. */
static gint64 ticks(const DtPageRunTimes *of, gint64 ns)
{
    enum { TICKS = 1 << 20 };
    return (gint64)((gdouble)(ns - of->begin) / (gdouble)(of->end - of->begin) * TICKS + 0.5);
}

/* [from, to, begin, end] one behind the other: of each row those that took longest. */
static void add_messages(JsonBuilder *builder, const DtPageRunTimes *of, guint rows)
{
    g_autoptr(GArray) arrows = find_arrows(of);
    g_autofree guint *counts = g_new0(guint, rows);
    const guint most = CLAMP((guint)DT_PAGE_MESSAGES / MAX(rows, 1), 2, 1000);
    dt_json_integer(builder, "messages_of_all", of->messages->messages->len);
    dt_json_begin_array(builder, "messages");
    for (guint i = 0; i < arrows->len; i++) {
        const Arrow *arrow = &g_array_index(arrows, Arrow, i);
        if (counts[arrow->from] >= most && counts[arrow->to] >= most)
            continue;
        counts[arrow->from]++;
        counts[arrow->to]++;
        dt_json_integer(builder, NULL, arrow->from);
        dt_json_integer(builder, NULL, arrow->to);
        dt_json_integer(builder, NULL, ticks(of, arrow->begin));
        dt_json_integer(builder, NULL, ticks(of, arrow->end));
    }
    json_builder_end_array(builder);
}

/* When the last call that returned did: what comes then is a hang, or work without calls. */
static gint64 last_return(const DtPageRunTimes *of)
{
    gint64 last = of->begin;
    for (guint i = 0; i < of->messages->calls->len; i++)
        last = MAX(last, dt_messages_call(of->messages, i)->end);
    return last;
}

/* ---- both runs -------------------------------------------------------------------------------- */

static void add_run(JsonBuilder *builder, const DtPageTimes *times, DtSide side)
{
    const DtPageRunTimes *of = &times->runs[side];
    if (!of->run)
        return;
    dt_json_begin_object(builder, NULL);
    dt_json_string(builder, "of", dt_side_name(side));
    dt_json_integer(builder, "begin", of->begin - of->zero);
    dt_json_integer(builder, "span", of->end - of->begin);
    dt_json_integer(builder, "init", MAX(of->messages->begin, of->begin) - of->zero);
    dt_json_integer(builder, "last_return", last_return(of) - of->zero);
    add_cells(builder, "rows", of->rows);
    add_cells(builder, "classes", of->classes);
    add_sums(builder, "present", of->rows, of->rows->present);
    add_sums(builder, "in_calls", of->rows, of->rows->in_calls);
    add_sums(builder, "waiting", of->rows, of->rows->waiting);
    add_messages(builder, of, times->labels->len);
    json_builder_end_object(builder);
}

void dt_page_add_times(JsonBuilder *builder, const DtPage *page)
{
    static const char *const alignments[] = {"departure", "init", "begin"};
    const DtPageTimes *times = page->times;
    if (!times) {
        dt_json_null(builder, "timelines");
        return;
    }
    dt_json_begin_object(builder, "timelines");
    dt_json_string(builder, "aligned", alignments[times->alignment]);
    dt_json_string(builder, "departing", times->departing);
    dt_json_begin_array(builder, "rows");
    for (guint i = 0; i < times->labels->len; i++)
        dt_json_string(builder, NULL, times->labels->pdata[i]);
    json_builder_end_array(builder);
    dt_json_begin_array(builder, "class_of");
    for (guint i = 0; i < times->class_of->len; i++)
        dt_json_integer(builder, NULL, g_array_index(times->class_of, guint, i));
    json_builder_end_array(builder);
    dt_json_integer(builder, "classes", times->classes);
    dt_json_boolean(builder, "remainder", times->remainder);
    dt_json_begin_array(builder, "runs");
    for (DtSide side = DT_SIDE_NORMAL; side <= DT_SIDE_FAULTY; side++)
        add_run(builder, times, side);
    json_builder_end_array(builder);
    dt_page_add_profile(builder, times);
    dt_page_add_ranks(builder, times);
    json_builder_end_object(builder);
}
