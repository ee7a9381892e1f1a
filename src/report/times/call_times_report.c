/* Calls and how long they took. */
#include "report/common.h"
#include "report/json.h"
#include "report/table.h"
#include "report/times/times_report.h"
#include "report/times/units.h"

#include <math.h>
#include <string.h>

static gint compare_rows(gconstpointer a, gconstpointer b, gpointer functions)
{
    const DtCallTime *first = *(const DtCallTime *const *)a, *second = *(const DtCallTime *const *)b;
    if (first->durations.sum != second->durations.sum)
        return first->durations.sum > second->durations.sum ? -1 : 1;
    if (first->calls != second->calls)
        return first->calls > second->calls ? -1 : 1;
    return strcmp(dt_function_name(functions, first->function), dt_function_name(functions, second->function));
}

/* Those that took longest first; (element-type DtCallTime), borrowed elements. */
static GPtrArray *sorted_rows(const DtTimesShown *shown, const DtCallTimes *times)
{
    GPtrArray *rows = g_ptr_array_new();
    for (guint i = 0; i < times->calls->len; i++)
        g_ptr_array_add(rows, &g_array_index(times->calls, DtCallTime, i));
    g_ptr_array_sort_with_data(rows, compare_rows, dt_run_functions(shown->run));
    if (shown->top > 0 && rows->len > shown->top)
        g_ptr_array_set_size(rows, (gint)shown->top);
    return rows;
}

static gdouble rate_of(const DtCallTime *row)
{
    return row->ns_of_bytes > 0 ? (gdouble)row->bytes * 1e9 / (gdouble)row->ns_of_bytes : 0;
}

static gdouble mean_of(const DtDurations *durations)
{
    return durations->count > 0 ? (gdouble)durations->sum / (gdouble)durations->count : 0;
}

/* Without a rate where some of the calls have no times. */
static gboolean has_rate(const DtCallTime *row)
{
    return row->bytes > 0 && row->ns_of_bytes > 0 && row->durations.count == row->calls;
}

static void add_row(DtTable *table, const DtTimesShown *shown, const DtCallTimes *times, const DtCallTime *row,
                    gboolean tsv)
{
    const DtDurations *durations = &row->durations;
    gboolean timed = durations->count > 0;
    dt_table_add(table, dt_function_name(dt_run_functions(shown->run), row->function));
    dt_table_add_format(table, "%" G_GUINT64_FORMAT, row->calls);
    dt_table_add_duration(table, tsv, timed, (gdouble)durations->sum);
    dt_table_add_share(table, tsv, (gdouble)durations->sum, timed ? (gdouble)times->of_callers_ns : 0);
    dt_table_add_duration(table, tsv, timed, mean_of(durations));
    dt_table_add_duration(table, tsv, timed, (gdouble)dt_durations_quantile(durations, 0.5));
    dt_table_add_duration(table, tsv, timed, (gdouble)durations->largest);
    dt_table_add(table, timed ? dt_run_trace(shown->run, row->longest_trace)->label : NULL);
    dt_table_add_amount(table, tsv, row->calls_of_bytes > 0, (gdouble)row->bytes, "B");
    dt_table_add_amount(table, tsv, has_rate(row), rate_of(row), "B/s");
}

static char *calls_text(const DtTimesShown *shown, const DtCallTimes *times, gboolean tsv)
{
    g_autoptr(DtTable) table = dt_table_new("~call|>calls|>time|>share|>mean|>median|>longest|on|>bytes|>rate");
    g_autoptr(GPtrArray) rows = sorted_rows(shown, times);
    for (guint i = 0; i < rows->len; i++)
        add_row(table, shown, times, rows->pdata[i], tsv);
    GString *out = g_string_new(NULL);
    if (tsv)
        dt_table_append_tsv(table, out);
    else
        dt_table_append_text(table, out, shown->width);
    return g_string_free(out, FALSE);
}

static void add_durations(JsonBuilder *builder, const DtDurations *durations)
{
    dt_json_integer(builder, "timed", (gint64)durations->count);
    dt_json_integer(builder, "ns", (gint64)durations->sum);
    dt_json_number(builder, "mean_ns", durations->count > 0 ? mean_of(durations) : (gdouble)NAN);
    if (durations->count == 0) {
        dt_json_null(builder, "median_ns");
        dt_json_null(builder, "longest_ns");
        return;
    }
    dt_json_integer(builder, "median_ns", (gint64)dt_durations_quantile(durations, 0.5));
    dt_json_integer(builder, "longest_ns", (gint64)durations->largest);
}

static void add_object(JsonBuilder *builder, const DtTimesShown *shown, const DtCallTimes *times, const DtCallTime *row)
{
    gboolean timed = row->durations.count > 0;
    dt_json_begin_object(builder, NULL);
    dt_json_string(builder, "call", dt_function_name(dt_run_functions(shown->run), row->function));
    dt_json_integer(builder, "calls", (gint64)row->calls);
    add_durations(builder, &row->durations);
    dt_json_number(builder, "share",
                   timed && times->of_callers_ns > 0 ? (gdouble)row->durations.sum / (gdouble)times->of_callers_ns
                                                     : (gdouble)NAN);
    dt_json_string(builder, "longest_on", timed ? dt_run_trace(shown->run, row->longest_trace)->label : NULL);
    if (row->calls_of_bytes > 0)
        dt_json_integer(builder, "bytes", (gint64)row->bytes);
    else
        dt_json_null(builder, "bytes");
    dt_json_number(builder, "bytes_per_second", has_rate(row) ? rate_of(row) : (gdouble)NAN);
    json_builder_end_object(builder);
}

static char *calls_json(const DtTimesShown *shown, const DtCallTimes *times)
{
    JsonBuilder *builder = dt_json_document();
    g_autoptr(GPtrArray) rows = sorted_rows(shown, times);
    dt_json_integer(builder, "span_ns", (gint64)(times->last_ns - times->first_ns));
    dt_json_integer(builder, "callers_ns", (gint64)times->of_callers_ns);
    dt_json_begin_array(builder, "calls");
    for (guint i = 0; i < rows->len; i++)
        add_object(builder, shown, times, rows->pdata[i]);
    json_builder_end_array(builder);
    return dt_json_finish(builder);
}

char *dt_report_call_times(const DtTimesShown *shown, const DtCallTimes *times, DtReportFormat format, GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return calls_text(shown, times, FALSE);
    case DT_FORMAT_TSV:
        return calls_text(shown, times, TRUE);
    case DT_FORMAT_JSON:
        return calls_json(shown, times);
    default:
        return dt_report_no_format("times by call", format, "text, tsv and json", error);
    }
}
