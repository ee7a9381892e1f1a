/* Messages by sender and receiver; matrices of ranks. */
#include "report/common.h"
#include "report/report.h"
#include "report/table.h"
#include "report/times/messages_report.h"
#include "report/times/times_pictures.h"
#include "report/times/units.h"

#include <math.h>

static gdouble mean_transfer(const DtLink *link)
{
    return link->transfers.count > 0 ? (gdouble)link->transfers.sum / (gdouble)link->transfers.count : (gdouble)NAN;
}

static gdouble mean_apart(const DtLink *link)
{
    return link->requests > 0 ? (gdouble)link->apart_ns / (gdouble)link->requests : (gdouble)NAN;
}

static gint compare_links(gconstpointer a, gconstpointer b)
{
    const DtLink *one = *(const DtLink *const *)a, *other = *(const DtLink *const *)b;
    if (one->transfers.sum != other->transfers.sum)
        return one->transfers.sum > other->transfers.sum ? -1 : 1;
    if (one->from != other->from)
        return one->from < other->from ? -1 : 1;
    return one->to < other->to ? -1 : one->to > other->to;
}

/* Those whose messages took longest together first. */
static GPtrArray *sorted_links(const DtMessagesShown *shown, const DtLinks *links)
{
    GPtrArray *rows = g_ptr_array_new();
    for (guint i = 0; i < links->links->len; i++)
        g_ptr_array_add(rows, &g_array_index(links->links, DtLink, i));
    g_ptr_array_sort(rows, compare_links);
    if (shown->shown->top > 0 && rows->len > shown->shown->top)
        g_ptr_array_set_size(rows, (gint)shown->shown->top);
    return rows;
}

static void add_link_row(DtTable *table, const DtMessagesShown *shown, const DtLink *link, gboolean tsv)
{
    const DtDurations *transfers = &link->transfers;
    gboolean timed = transfers->count > 0;
    dt_table_add(table, dt_rank_label(shown->messages, link->from));
    dt_table_add(table, dt_rank_label(shown->messages, link->to));
    dt_table_add_format(table, "%" G_GUINT64_FORMAT, link->messages);
    dt_table_add_amount(table, tsv, TRUE, (gdouble)link->bytes, "B");
    dt_table_add_duration(table, tsv, timed, timed ? mean_transfer(link) : 0);
    dt_table_add_duration(table, tsv, timed, (gdouble)transfers->smallest);
    dt_table_add_duration(table, tsv, timed, (gdouble)dt_durations_quantile(transfers, 0.75));
    dt_table_add_duration(table, tsv, timed, (gdouble)transfers->largest);
    dt_table_add_duration(table, tsv, link->requests > 0, link->requests > 0 ? mean_apart(link) : 0);
}

static char *links_text(const DtMessagesShown *shown, const DtLinks *links, gboolean tsv)
{
    g_autoptr(DtTable) table = dt_table_new(">from|>to|>messages|>bytes|>transfer|>floor|>75 %|>longest|>asynchronous");
    g_autoptr(GPtrArray) rows = sorted_links(shown, links);
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < rows->len; i++)
        add_link_row(table, shown, rows->pdata[i], tsv);
    if (tsv) {
        dt_table_append_tsv(table, out);
        return g_string_free(out, FALSE);
    }
    dt_table_append_text(table, out, shown->shown->width);
    g_string_append_c(out, '\n');
    dt_append_matched(out, shown);
    return g_string_free(out, FALSE);
}

static void add_link(JsonBuilder *builder, const DtMessagesShown *shown, const DtLink *link)
{
    const DtDurations *transfers = &link->transfers;
    dt_json_begin_object(builder, NULL);
    dt_json_label(builder, "from", dt_rank_label(shown->messages, link->from));
    dt_json_label(builder, "to", dt_rank_label(shown->messages, link->to));
    dt_json_integer(builder, "messages", (gint64)link->messages);
    dt_json_integer(builder, "bytes", (gint64)link->bytes);
    dt_json_integer(builder, "timed", (gint64)transfers->count);
    dt_json_number(builder, "mean_ns", mean_transfer(link));
    dt_json_integer(builder, "floor_ns", (gint64)transfers->smallest);
    dt_json_integer(builder, "quantile_75_ns", (gint64)dt_durations_quantile(transfers, 0.75));
    dt_json_integer(builder, "longest_ns", (gint64)transfers->largest);
    dt_json_integer(builder, "requests", (gint64)link->requests);
    dt_json_number(builder, "asynchronous_ns", mean_apart(link));
    json_builder_end_object(builder);
}

static char *links_json(const DtMessagesShown *shown, const DtLinks *links)
{
    JsonBuilder *builder = dt_json_document();
    g_autoptr(GPtrArray) rows = sorted_links(shown, links);
    dt_json_matched(builder, shown);
    dt_json_integer(builder, "violations", (gint64)links->violations);
    dt_json_begin_array(builder, "links");
    for (guint i = 0; i < rows->len; i++)
        add_link(builder, shown, rows->pdata[i]);
    json_builder_end_array(builder);
    return dt_json_finish(builder);
}

char *dt_report_links(const DtMessagesShown *shown, const DtLinks *links, DtReportFormat format, GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return links_text(shown, links, FALSE);
    case DT_FORMAT_TSV:
        return links_text(shown, links, TRUE);
    case DT_FORMAT_JSON:
        return links_json(shown, links);
    default:
        return dt_report_no_format("links", format, "text, tsv and json", error);
    }
}

/* ---- matrices -------------------------------------------------------------------------------- */

typedef struct {
    const DtMessagesShown *shown;
    DtMatrixOf of;
    const DtLinks *links;
    const DtWaitStates *states;
} Matrix;

static gint64 cell(const Matrix *matrix, guint row, guint column)
{
    if (matrix->of == DT_MATRIX_WAIT)
        return dt_wait_between(matrix->states, row, column);
    const DtLink *link = dt_links_find(matrix->links, row, column);
    if (!link)
        return 0;
    return (gint64)(matrix->of == DT_MATRIX_BYTES ? link->bytes : link->messages);
}

static void add_cell(DtTable *table, const Matrix *matrix, gint64 value, gboolean tsv)
{
    if (matrix->of == DT_MATRIX_WAIT)
        dt_table_add_duration(table, tsv, tsv || value > 0, (gdouble)value);
    else if (matrix->of == DT_MATRIX_BYTES)
        dt_table_add_amount(table, tsv, tsv || value > 0, (gdouble)value, "B");
    else if (tsv || value > 0)
        dt_table_add_format(table, "%" G_GINT64_FORMAT, value);
    else
        dt_table_add(table, NULL);
}

static char *matrix_text(const Matrix *matrix, gboolean tsv)
{
    const DtMessages *messages = matrix->shown->messages;
    g_autoptr(GString) headings = g_string_new(matrix->of == DT_MATRIX_WAIT ? ">waits \\ for" : ">from \\ to");
    for (guint column = 0; column < messages->ranks->len; column++)
        g_string_append_printf(headings, "|>%s", dt_rank_label(messages, column));
    g_autoptr(DtTable) table = dt_table_new(headings->str);
    for (guint row = 0; row < messages->ranks->len; row++) {
        dt_table_add(table, dt_rank_label(messages, row));
        for (guint column = 0; column < messages->ranks->len; column++)
            add_cell(table, matrix, cell(matrix, row, column), tsv);
    }
    GString *out = g_string_new(NULL);
    if (tsv)
        dt_table_append_tsv(table, out);
    else
        dt_table_append_text(table, out, matrix->shown->shown->width);
    return g_string_free(out, FALSE);
}

static char *matrix_json(const Matrix *matrix)
{
    static const char *const names[] = {"bytes", "messages", "wait"};
    const DtMessages *messages = matrix->shown->messages;
    JsonBuilder *builder = dt_json_document();
    dt_json_matched(builder, matrix->shown);
    dt_json_string(builder, "matrix", names[matrix->of]);
    dt_json_begin_array(builder, "rows");
    for (guint row = 0; row < messages->ranks->len; row++) {
        dt_json_begin_array(builder, NULL);
        for (guint column = 0; column < messages->ranks->len; column++)
            dt_json_integer(builder, NULL, cell(matrix, row, column));
        json_builder_end_array(builder);
    }
    json_builder_end_array(builder);
    return dt_json_finish(builder);
}

/* ---- the picture ----------------------------------------------------------------------------- */

static const char *picture_label(guint rank, gconstpointer matrix)
{
    return dt_rank_label(((const Matrix *)matrix)->shown->messages, rank);
}

static gint64 picture_value(guint row, guint column, gconstpointer matrix)
{
    return cell(matrix, row, column);
}

static char *bytes_text(gdouble value)
{
    return g_strdup_printf("%.0f B", value);
}

static char *count_text(gdouble value)
{
    return g_strdup_printf("%.0f", value);
}

static char *matrix_picture(const Matrix *matrix, GError **error)
{
    static const char *const titles[] = {"Bytes sent", "Messages", "Waits"};
    static char *(*const texts[])(gdouble) = {bytes_text, count_text, dt_duration_text};
    const gboolean waits = matrix->of == DT_MATRIX_WAIT;
    const DtRankMatrix drawn = {.title = titles[matrix->of],
                                .rows = waits ? "who waited" : "from whom",
                                .columns = waits ? "for whom" : "to whom",
                                .ranks = matrix->shown->messages->ranks->len,
                                .label = picture_label,
                                .value = picture_value,
                                .text = texts[matrix->of],
                                .data = matrix};
    return dt_rank_matrix_picture(&drawn, error);
}

char *dt_report_time_matrix(const DtMessagesShown *shown, DtMatrixOf of, const DtLinks *links,
                            const DtWaitStates *states, DtReportFormat format, GError **error)
{
    enum { MOST_IN_TEXT = 32 };
    const Matrix matrix = {shown, of, links, states};
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        if (shown->messages->ranks->len > MOST_IN_TEXT) {
            g_set_error(error, DT_REPORT_ERROR, DT_REPORT_ERROR_TOO_LARGE,
                        "a matrix of %u ranks is too large for a text of at most %d; --tsv and --json have any",
                        shown->messages->ranks->len, MOST_IN_TEXT);
            return NULL;
        }
        return matrix_text(&matrix, FALSE);
    case DT_FORMAT_TSV:
        return matrix_text(&matrix, TRUE);
    case DT_FORMAT_JSON:
        return matrix_json(&matrix);
    case DT_FORMAT_SVG:
        return matrix_picture(&matrix, error);
    default:
        return dt_report_no_format("matrix", format, "text, tsv, json and svg", error);
    }
}
