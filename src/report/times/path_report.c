/* What lies on the critical path. */
#include "report/common.h"
#include "report/table.h"
#include "report/times/messages_report.h"
#include "report/times/timed_places.h"
#include "report/times/units.h"

static const char *shown_name(const DtMessagesShown *shown, guint32 function)
{
    return function != 0 ? dt_function_name(dt_run_functions(shown->messages->run), function) : "(not known)";
}

static guint functions_shown(const DtMessagesShown *shown, const DtCriticalPath *path)
{
    return shown->shown->top > 0 ? MIN(shown->shown->top, path->functions->len) : path->functions->len;
}

static DtTable *functions_table(const DtMessagesShown *shown, const DtCriticalPath *path, gboolean tsv)
{
    DtTable *table = dt_table_new("~function|>on the path|>share|>mean of ranks|>imbalance|>most in|>there");
    for (guint i = 0; i < functions_shown(shown, path); i++) {
        const DtPathFunction *function = &g_array_index(path->functions, DtPathFunction, i);
        gint64 imbalance = function->ns - function->mean_ns;
        dt_table_add(table, shown_name(shown, function->function));
        dt_table_add_duration(table, tsv, TRUE, (gdouble)function->ns);
        dt_table_add_share(table, tsv, (gdouble)function->ns, (gdouble)path->length_ns);
        dt_table_add_duration(table, tsv, TRUE, (gdouble)function->mean_ns);
        if (tsv || imbalance >= 0) {
            dt_table_add_duration(table, tsv, TRUE, (gdouble)imbalance);
        } else {
            g_autofree char *less = dt_duration_text(-(gdouble)imbalance);
            dt_table_add_format(table, "-%s", less);
        }
        dt_table_add(table, dt_rank_label(shown->messages, function->rank));
        dt_table_add_duration(table, tsv, TRUE, (gdouble)function->rank_ns);
    }
    return table;
}

static void append_ranks(GString *out, const DtMessagesShown *shown, const DtCriticalPath *path)
{
    g_autoptr(DtTable) table = dt_table_new(">rank|>on the path|>share");
    for (guint rank = 0; rank < shown->messages->ranks->len; rank++) {
        if (path->by_rank[rank] == 0)
            continue;
        dt_table_add(table, dt_rank_label(shown->messages, rank));
        dt_table_add_duration(table, FALSE, TRUE, (gdouble)path->by_rank[rank]);
        dt_table_add_share(table, FALSE, (gdouble)path->by_rank[rank], (gdouble)path->length_ns);
    }
    g_string_append_c(out, '\n');
    dt_table_append_text(table, out, shown->shown->width);
}

static char *path_text(const DtMessagesShown *shown, const DtCriticalPath *path)
{
    GString *out = g_string_new(NULL);
    g_autofree char *length = dt_duration_text((gdouble)path->length_ns);
    g_string_append_printf(out, "Critical path: %s, %u stretch%s.\n", length, path->parts->len,
                           path->parts->len == 1 ? "" : "es");
    dt_append_matched(out, shown);
    append_ranks(out, shown, path);
    g_autoptr(DtTable) table = functions_table(shown, path, FALSE);
    g_string_append_c(out, '\n');
    dt_table_append_text(table, out, shown->shown->width);
    return g_string_free(out, FALSE);
}

static char *path_tsv(const DtMessagesShown *shown, const DtCriticalPath *path)
{
    GString *out = g_string_new(NULL);
    g_autoptr(DtTable) table = functions_table(shown, path, TRUE);
    dt_table_append_tsv(table, out);
    return g_string_free(out, FALSE);
}

static void add_parts(JsonBuilder *builder, const DtMessagesShown *shown, const DtCriticalPath *path)
{
    g_autoptr(DtTimedPlaces) places = dt_timed_places_new(shown->messages);
    dt_json_begin_array(builder, "parts");
    for (guint i = path->parts->len; i-- > 0;) {
        const DtPathPart *part = &g_array_index(path->parts, DtPathPart, i);
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "trace", g_array_index(shown->messages->rows, DtTimedRow, part->row).trace->label);
        dt_json_integer(builder, "begin_ns", part->begin - shown->messages->begin);
        dt_json_integer(builder, "end_ns", part->end - shown->messages->begin);
        dt_json_string(builder, "waited_in",
                       part->waited != DT_NO_CALL ? dt_timed_place(places, part->waited)->sentence : NULL);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static char *path_json(const DtMessagesShown *shown, const DtCriticalPath *path)
{
    JsonBuilder *builder = dt_json_document();
    dt_json_matched(builder, shown);
    dt_json_integer(builder, "length_ns", path->length_ns);
    dt_json_begin_array(builder, "functions");
    for (guint i = 0; i < functions_shown(shown, path); i++) {
        const DtPathFunction *function = &g_array_index(path->functions, DtPathFunction, i);
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "function", function->function != 0 ? shown_name(shown, function->function) : NULL);
        dt_json_integer(builder, "ns", function->ns);
        dt_json_integer(builder, "mean_ns", function->mean_ns);
        dt_json_integer(builder, "imbalance_ns", function->ns - function->mean_ns);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    dt_json_begin_array(builder, "times");
    for (guint i = 0; i < path->times->len; i++) {
        const DtPathTime *time = &g_array_index(path->times, DtPathTime, i);
        dt_json_begin_object(builder, NULL);
        dt_json_label(builder, "rank", dt_rank_label(shown->messages, time->rank));
        dt_json_string(builder, "function", time->function != 0 ? shown_name(shown, time->function) : NULL);
        dt_json_integer(builder, "ns", time->ns);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    add_parts(builder, shown, path);
    return dt_json_finish(builder);
}

char *dt_report_critical_path(const DtMessagesShown *shown, const DtCriticalPath *path, DtReportFormat format,
                              GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return path_text(shown, path);
    case DT_FORMAT_TSV:
        return path_tsv(shown, path);
    case DT_FORMAT_JSON:
        return path_json(shown, path);
    default:
        return dt_report_no_format("critical path", format, "text, tsv and json", error);
    }
}
