/* What each thread did over time. */
#include "report/common.h"
#include "report/pictures/drawing.h"
#include "report/table.h"
#include "report/times/messages_report.h"
#include "report/times/units.h"
#include "times/timeline.h"

#include <string.h>

/* Threads, or where they are many, blocks of neighbours. */
typedef struct {
    const DtMessagesShown *shown;
    DtTimeline *timeline;
    GPtrArray *labels; /* of each row; owned */
} Report;

static GArray *traces_shown(const DtMessagesShown *shown)
{
    const GArray *rows = shown->messages->rows;
    const guint most = shown->shown->top > 0 ? shown->shown->top : G_MAXUINT;
    GArray *traces = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < rows->len && traces->len < most; i++)
        if (!g_array_index(rows, DtTimedRow, i).trace->library)
            g_array_append_val(traces, i);
    return traces;
}

static const char *trace_label(const DtMessagesShown *shown, const GArray *traces, guint place)
{
    return g_array_index(shown->messages->rows, DtTimedRow, g_array_index(traces, guint, place)).trace->label;
}

static GPtrArray *label_blocks(const DtMessagesShown *shown, const GArray *traces, guint each)
{
    GPtrArray *labels = g_ptr_array_new_with_free_func(g_free);
    for (guint first = 0; first < traces->len; first += each) {
        const guint last = MIN(first + each, traces->len) - 1;
        g_ptr_array_add(labels, first == last ? g_strdup(trace_label(shown, traces, first))
                                              : g_strdup_printf("%s-%s", trace_label(shown, traces, first),
                                                                trace_label(shown, traces, last)));
    }
    return labels;
}

/* At most so many rows; 0: a row a thread. */
static void begin_report(Report *report, const DtWaitStates *states, guint columns, guint most)
{
    g_autoptr(GArray) traces = traces_shown(report->shown);
    const guint each = most > 0 ? MAX((traces->len + most - 1) / most, 1) : 1,
                count = report->shown->messages->rows->len;
    g_autofree guint *group_of = g_new(guint, count + 1);
    for (guint i = 0; i < count; i++)
        group_of[i] = DT_NO_CALL;
    for (guint i = 0; i < traces->len; i++)
        group_of[g_array_index(traces, guint, i)] = i / each;
    report->labels = label_blocks(report->shown, traces, each);
    DtTimelineWants wants = {.states = states, .group_of = group_of, .groups = report->labels->len, .columns = columns};
    if (!dt_timeline_span(report->shown->messages, &wants.begin, &wants.end))
        wants.begin = wants.end = 0;
    report->timeline = dt_timeline_new(&wants);
}

static void end_report(Report *report)
{
    dt_timeline_free(report->timeline);
    g_ptr_array_unref(report->labels);
}

static gdouble width_of(const DtTimeline *timeline)
{
    return (gdouble)(timeline->end - timeline->begin) / timeline->columns;
}

/* FALSE: nobody was there. */
static gboolean shares_at(const Report *report, guint row, guint column, gdouble *in_calls, gdouble *waiting)
{
    const DtTimeline *timeline = report->timeline;
    const gsize place = (gsize)row * timeline->columns + column;
    if (timeline->present[place] <= 0)
        return FALSE;
    *in_calls = CLAMP(timeline->in_calls[place] / timeline->present[place], 0, 1);
    *waiting = CLAMP(timeline->waiting[place] / timeline->present[place], 0, 1 - *in_calls);
    return TRUE;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* What most of the time went to. */
static char mark_at(const Report *report, guint row, guint column)
{
    gdouble in_calls, waiting;
    if (!shares_at(report, row, column, &in_calls, &waiting))
        return ' ';
    const gdouble own = 1 - in_calls - waiting;
    return waiting >= in_calls && waiting >= own ? '#' : in_calls >= own ? '=' : '.';
}

static char *timeline_text(const Report *report)
{
    const DtTimeline *timeline = report->timeline;
    GString *out = g_string_new(NULL);
    guint widest = 0;
    for (guint i = 0; i < report->labels->len; i++)
        widest = MAX(widest, (guint)strlen(report->labels->pdata[i]));
    g_autofree char *span = dt_duration_text((gdouble)(timeline->end - timeline->begin));
    g_autofree char *width = dt_duration_text(width_of(timeline));
    g_string_append_printf(out, ". own code, = in calls, # waiting; %s, %s a column\n", span, width);
    for (guint row = 0; row < report->labels->len; row++) {
        g_string_append_printf(out, "%-*s ", (int)widest, (const char *)report->labels->pdata[row]);
        for (guint column = 0; column < timeline->columns; column++)
            g_string_append_c(out, mark_at(report, row, column));
        g_string_append_c(out, '\n');
    }
    return g_string_free(out, FALSE);
}

static char *timeline_tsv(const Report *report)
{
    g_autoptr(DtTable) table = dt_table_new("trace|>since|>in calls|>waiting");
    GString *out = g_string_new(NULL);
    for (guint row = 0; row < report->labels->len; row++)
        for (guint column = 0; column < report->timeline->columns; column++) {
            gdouble in_calls = 0, waiting = 0;
            const gboolean there = shares_at(report, row, column, &in_calls, &waiting);
            dt_table_add(table, report->labels->pdata[row]);
            dt_table_add_duration(table, TRUE, TRUE, column * width_of(report->timeline));
            dt_table_add_share(table, TRUE, in_calls, there ? 1 : 0);
            dt_table_add_share(table, TRUE, waiting, there ? 1 : 0);
        }
    dt_table_append_tsv(table, out);
    return g_string_free(out, FALSE);
}

/* Shares; null: nobody was there. */
static void add_shares(JsonBuilder *builder, const char *name, const Report *report, guint row, gboolean of_waiting)
{
    dt_json_begin_array(builder, name);
    for (guint column = 0; column < report->timeline->columns; column++) {
        gdouble in_calls, waiting;
        if (shares_at(report, row, column, &in_calls, &waiting))
            dt_json_number(builder, NULL, of_waiting ? waiting : in_calls);
        else
            dt_json_null(builder, NULL);
    }
    json_builder_end_array(builder);
}

static char *timeline_json(const Report *report)
{
    const DtTimeline *timeline = report->timeline;
    JsonBuilder *builder = dt_json_document();
    dt_json_integer(builder, "span_ns", timeline->end - timeline->begin);
    dt_json_integer(builder, "columns", timeline->columns);
    dt_json_begin_array(builder, "traces");
    for (guint row = 0; row < report->labels->len; row++) {
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "trace", report->labels->pdata[row]);
        add_shares(builder, "in_calls", report, row, FALSE);
        add_shares(builder, "waiting", report, row, TRUE);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    return dt_json_finish(builder);
}

/* ---- picture --------------------------------------------------------------------------------- */

static const double margin = 16, label_size = 10, title_size = 13, map_width = 960;

typedef enum { OWN, IN_CALLS, WAITING, STATES } State;
/* They differ in grey, too: 224, 141, 55 of 255. */
static const double colours[STATES][3] = {{0.835, 0.910, 0.812}, {0.298, 0.592, 0.847}, {0.561, 0.114, 0.078}};
static const char *const names[STATES] = {"own code", "in calls of MPI, OpenMP, pthreads",
                                          "waiting for others, or never returned"};

static void fill(cairo_t *cairo, State state, double x, double y, double width, double height)
{
    if (height <= 0)
        return;
    cairo_set_source_rgb(cairo, colours[state][0], colours[state][1], colours[state][2]);
    cairo_rectangle(cairo, x, y, width, height);
    cairo_fill(cairo);
    cairo_set_source_rgb(cairo, 0, 0, 0);
}

/* In fifteenths, which is what the height of a row can show. */
typedef struct {
    gboolean there;
    gint in_calls, waiting;
} Column;
enum { PARTS = 15 };

static Column column_at(const Report *report, guint row, guint column)
{
    gdouble in_calls, waiting;
    if (!shares_at(report, row, column, &in_calls, &waiting))
        return (Column){0};
    const gint waits = (gint)(waiting * PARTS + 0.5);
    return (Column){TRUE, MIN((gint)(in_calls * PARTS + 0.5), PARTS - waits), waits};
}

/* Columns alike are one area: smaller, and without seams. */
static void draw_row(const Report *report, cairo_t *cairo, guint row, double left, double top, double height)
{
    const guint columns = report->timeline->columns;
    const double width = map_width / columns, part = height / PARTS;
    for (guint first = 0, last; first < columns; first = last) {
        const Column column = column_at(report, row, first);
        for (last = first + 1; last < columns; last++) {
            const Column next = column_at(report, row, last);
            if (next.there != column.there || next.in_calls != column.in_calls || next.waiting != column.waiting)
                break;
        }
        if (!column.there)
            continue;
        const double x = left + first * width, across = (last - first) * width;
        const gint own = PARTS - column.in_calls - column.waiting;
        fill(cairo, OWN, x, top, across, own * part);
        fill(cairo, IN_CALLS, x, top + own * part, across, column.in_calls * part);
        fill(cairo, WAITING, x, top + (own + column.in_calls) * part, across, column.waiting * part);
    }
}

static void draw_legend(cairo_t *cairo, double left, double top)
{
    for (State state = OWN; state < STATES; state++) {
        fill(cairo, state, left, top, 24, 10);
        dt_draw_text(cairo, left + 30, top + 5, DT_ALIGN_LEFT, label_size, names[state]);
        left += 30 + dt_text_width(names[state], label_size) + 24;
    }
}

static char *timeline_picture(const Report *report, GError **error)
{
    const guint rows = report->labels->len;
    const double each = rows <= 40 ? 16 : 8, map = rows * each;
    const double left = margin + dt_text_widest((const char *const *)report->labels->pdata, rows, label_size) + 8,
                 top = margin + title_size + 12;
    DtDrawing *drawing = dt_drawing_new(left + map_width + margin, top + map + 56 + margin);
    g_autofree char *span = dt_duration_text((gdouble)(report->timeline->end - report->timeline->begin));
    dt_draw_text(drawing->cairo, left, margin + title_size / 2, DT_ALIGN_LEFT, title_size, "Timeline");
    for (guint row = 0; row < rows; row++) {
        const double y = top + row * each;
        draw_row(report, drawing->cairo, row, left, y, each - 1);
        if (rows <= 40 || row % 2 == 0)
            dt_draw_text(drawing->cairo, left - 6, y + (each - 1) / 2, DT_ALIGN_RIGHT, label_size,
                         report->labels->pdata[row]);
    }
    dt_draw_text(drawing->cairo, left, top + map + 10, DT_ALIGN_LEFT, label_size, "0");
    dt_draw_text(drawing->cairo, left + map_width, top + map + 10, DT_ALIGN_RIGHT, label_size, span);
    draw_legend(drawing->cairo, left, top + map + 32);
    return dt_drawing_finish(drawing, error);
}

/* ---- all of them ------------------------------------------------------------------------------ */

static char *render(const Report *report, DtReportFormat format, GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return timeline_text(report);
    case DT_FORMAT_TSV:
        return timeline_tsv(report);
    case DT_FORMAT_JSON:
        return timeline_json(report);
    case DT_FORMAT_SVG:
        return timeline_picture(report, error);
    default:
        return dt_report_no_format("timeline", format, "text, tsv, json and svg", error);
    }
}

char *dt_report_timeline(const DtMessagesShown *shown, const DtWaitStates *states, guint columns, DtReportFormat format,
                         GError **error)
{
    enum { MOST_DRAWN = 120 };
    Report report = {.shown = shown};
    begin_report(&report, states, columns, format == DT_FORMAT_SVG ? MOST_DRAWN : 0);
    char *out = render(&report, format, error);
    end_report(&report);
    return out;
}
