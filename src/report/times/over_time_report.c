/* The time matrix: traces by columns of equal length, and how much of each was spent in MPI. */
#include <string.h>

#include "report/common.h"
#include "report/json.h"
#include "report/pictures/drawing.h"
#include "report/table.h"
#include "report/times/over_time_rows.h"
#include "report/times/times_report.h"
#include "report/times/units.h"

static gdouble width_of(const DtCallTimes *times)
{
    return (gdouble)(times->last_ns - times->first_ns) / MAX(times->columns, 1);
}

static gdouble share_at(const DtCallTimes *times, guint trace, guint column)
{
    const gdouble width = width_of(times);
    const gdouble ns = g_array_index(times->in_mpi, gdouble, (gsize)trace * times->columns + column);
    return width > 0 ? CLAMP(ns / width, 0, 1) : 0;
}

static guint rows_of(const DtTimesShown *shown, const DtCallTimes *times)
{
    return shown->top > 0 ? MIN(shown->top, times->traces->len) : times->traces->len;
}

static const char *label_of(const DtCallTimes *times, guint trace)
{
    return g_array_index(times->traces, DtTraceTime, trace).trace->label;
}

enum { MOST_ROWS = 60 };

/* ---- text ------------------------------------------------------------------------------------ */

/* A column is one character: a point for nothing, 1..9 for tenths, # from 95 % on. */
static char mark_of(gdouble share)
{
    const int tenths = (int)(share * 10 + 0.5);
    return tenths == 0 ? '.' : tenths >= 10 ? '#' : (char)('0' + tenths);
}

/* What rows are, where they are not traces. */
static void append_alike(GString *out, const DtOverTimeRows *rows)
{
    if (rows->apart > 0)
        g_string_append_printf(out, "%u traces: those that are alike, to %.0f %% on average, are one row\n",
                               rows->traces, 100 * rows->apart);
}

static char *over_time_text(const DtTimesShown *shown, const DtCallTimes *times)
{
    GString *out = g_string_new(NULL);
    glong widest = 0;
    g_autoptr(DtOverTimeRows) rows = dt_over_time_rows_new(times, shown->top, MOST_ROWS);
    for (guint i = 0; i < rows->labels->len; i++)
        widest = MAX(widest, g_utf8_strlen(rows->labels->pdata[i], -1));
    g_autofree char *span = dt_duration_text((gdouble)(times->last_ns - times->first_ns));
    g_autofree char *width = dt_duration_text(width_of(times));
    g_string_append_printf(out, "share of MPI in tenths, # all; %s, %s a column\n", span, width);
    append_alike(out, rows);
    for (guint i = 0; i < rows->labels->len; i++) {
        g_string_append_printf(out, "%-*s ", (int)widest, (const char *)rows->labels->pdata[i]);
        for (guint column = 0; column < rows->columns; column++)
            g_string_append_c(out, mark_of(rows->shares[(gsize)i * rows->columns + column]));
        g_string_append_c(out, '\n');
    }
    return g_string_free(out, FALSE);
}

static char *over_time_tsv(const DtTimesShown *shown, const DtCallTimes *times)
{
    g_autoptr(DtTable) table = dt_table_new("trace|>since|>in MPI");
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < rows_of(shown, times); i++)
        for (guint column = 0; column < times->columns; column++) {
            dt_table_add(table, label_of(times, i));
            dt_table_add_duration(table, TRUE, TRUE, column * width_of(times));
            dt_table_add_share(table, TRUE, share_at(times, i, column), 1);
        }
    dt_table_append_tsv(table, out);
    return g_string_free(out, FALSE);
}

static char *over_time_json(const DtTimesShown *shown, const DtCallTimes *times)
{
    JsonBuilder *builder = dt_json_document();
    dt_json_integer(builder, "span_ns", (gint64)(times->last_ns - times->first_ns));
    dt_json_integer(builder, "columns", times->columns);
    dt_json_begin_array(builder, "traces");
    for (guint i = 0; i < rows_of(shown, times); i++) {
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "trace", label_of(times, i));
        dt_json_begin_array(builder, "in_mpi");
        for (guint column = 0; column < times->columns; column++)
            dt_json_number(builder, NULL, share_at(times, i, column));
        json_builder_end_array(builder);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    return dt_json_finish(builder);
}

/* ---- picture --------------------------------------------------------------------------------- */

static const double margin = 16, label_size = 11, title_size = 13, row_gap = 1;
enum { COLUMN_PIXELS = 2 };

static void draw_row(cairo_t *cairo, const DtOverTimeRows *rows, guint row, double left, double top, double height)
{
    for (guint column = 0; column < rows->columns; column++) {
        double rgb[3];
        dt_scale_colour(rows->shares[(gsize)row * rows->columns + column], rgb);
        cairo_set_source_rgb(cairo, rgb[0], rgb[1], rgb[2]);
        cairo_rectangle(cairo, left + column * COLUMN_PIXELS, top, COLUMN_PIXELS, height);
        cairo_fill(cairo);
    }
    cairo_set_source_rgb(cairo, 0, 0, 0);
}

static void draw_scale(cairo_t *cairo, double left, double top)
{
    enum { STEPS = 50 };
    for (int i = 0; i < STEPS; i++) {
        double rgb[3];
        dt_scale_colour(i / (double)(STEPS - 1), rgb);
        cairo_set_source_rgb(cairo, rgb[0], rgb[1], rgb[2]);
        cairo_rectangle(cairo, left + i * COLUMN_PIXELS, top, COLUMN_PIXELS, 10);
        cairo_fill(cairo);
    }
    cairo_set_source_rgb(cairo, 0, 0, 0);
    dt_draw_text(cairo, left + STEPS * COLUMN_PIXELS + 8, top + 5, DT_ALIGN_LEFT, label_size,
                 "share of MPI: 0 on the left, all on the right");
}

static char *over_time_picture(const DtTimesShown *shown, const DtCallTimes *times, GError **error)
{
    g_autoptr(DtOverTimeRows) rows = dt_over_time_rows_new(times, shown->top, MOST_ROWS);
    const guint count = rows->labels->len;
    const double height = count <= MOST_ROWS ? 14 : 4, map = count * (height + row_gap);
    g_autofree const char **labels = g_new0(const char *, count + 1);
    for (guint i = 0; i < count; i++)
        labels[i] = rows->labels->pdata[i];
    const double left = margin + dt_text_widest(labels, count, label_size) + 8, top = margin + title_size + 12;
    const double width = left + times->columns * COLUMN_PIXELS + margin;
    DtDrawing *drawing = dt_drawing_new(width, top + map + 56 + margin);
    g_autofree char *span = dt_duration_text((gdouble)(times->last_ns - times->first_ns));
    dt_draw_text(drawing->cairo, left, margin + title_size / 2, DT_ALIGN_LEFT, title_size, "MPI over time");
    for (guint i = 0; i < count; i++) {
        const double y = top + i * (height + row_gap);
        draw_row(drawing->cairo, rows, i, left, y, height);
        if (count <= MOST_ROWS || i % 4 == 0)
            dt_draw_text(drawing->cairo, left - 8, y + height / 2, DT_ALIGN_RIGHT, count <= MOST_ROWS ? label_size : 8,
                         labels[i]);
    }
    dt_draw_text(drawing->cairo, left, top + map + 10, DT_ALIGN_LEFT, label_size, "0");
    dt_draw_text(drawing->cairo, left + times->columns * COLUMN_PIXELS, top + map + 10, DT_ALIGN_RIGHT, label_size,
                 span);
    draw_scale(drawing->cairo, left, top + map + 30);
    return dt_drawing_finish(drawing, error);
}

char *dt_report_over_time(const DtTimesShown *shown, const DtCallTimes *times, DtReportFormat format, GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return over_time_text(shown, times);
    case DT_FORMAT_TSV:
        return over_time_tsv(shown, times);
    case DT_FORMAT_JSON:
        return over_time_json(shown, times);
    case DT_FORMAT_SVG:
        return over_time_picture(shown, times, error);
    default:
        return dt_report_no_format("times over time", format, "text, tsv, json and svg", error);
    }
}
