/* Functions: what they took, and how that is spread over the traces. */
#include <math.h>
#include <string.h>

#include "report/common.h"
#include "report/json.h"
#include "report/table.h"
#include "report/times/times_report.h"
#include "report/times/units.h"

/* A function in all traces. In ns. */
typedef struct {
    guint32 function;
    guint64 calls, exclusive, told, inclusive, mpi;
    guint64 longest;      /* exclusive, of all traces */
    const DtTrace *where; /* that it was on */
    guint traces;         /* that call it, */
    guint main_traces;    /* of them main threads */
    gdouble mean, lost;
} Row;

static guint main_threads(const GPtrArray *times)
{
    guint count = 0;
    for (guint i = 0; i < times->len; i++)
        count += ((const DtFunctionTimes *)times->pdata[i])->trace->thread == 0 ? 1 : 0;
    return count;
}

static void add_time(Row *row, const DtFunctionTimes *times, const DtFunctionTime *time)
{
    row->function = time->function;
    row->calls += time->calls;
    row->exclusive += time->exclusive_ns;
    row->told += time->told_ns;
    row->inclusive += time->inclusive_ns;
    row->mpi += time->mpi_ns;
    row->traces++;
    row->main_traces += times->trace->thread == 0 ? 1 : 0;
    if (!row->where || time->exclusive_ns > row->longest) {
        row->longest = time->exclusive_ns;
        row->where = times->trace;
    }
}

/* Over main threads if only they call it, else over all. */
static void set_mean(Row *row, guint mains, guint all)
{
    row->mean = (gdouble)row->exclusive / MAX(row->main_traces == row->traces ? mains : all, 1);
    row->lost = (gdouble)row->longest - row->mean;
}

static gint compare_times(gconstpointer a, gconstpointer b)
{
    const Row *first = a, *second = b;
    if (first->exclusive != second->exclusive)
        return first->exclusive > second->exclusive ? -1 : 1;
    return (first->function > second->function) - (first->function < second->function);
}

static gint compare_losses(gconstpointer a, gconstpointer b)
{
    const Row *first = a, *second = b;
    if (first->lost != second->lost)
        return first->lost > second->lost ? -1 : 1;
    return (first->function > second->function) - (first->function < second->function);
}

/* (element-type Row); g_array_unref() */
static GArray *rows_of(const DtTimesShown *shown, const GPtrArray *times, GCompareFunc order)
{
    g_autoptr(GArray) all = g_array_new(FALSE, TRUE, sizeof(Row));
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(Row));
    g_array_set_size(all, dt_functions_count(dt_run_functions(shown->run)) + 1);
    for (guint i = 0; i < times->len; i++) {
        const DtFunctionTimes *trace = times->pdata[i];
        for (guint each = 0; each < trace->functions->len; each++) {
            const DtFunctionTime *time = &g_array_index(trace->functions, DtFunctionTime, each);
            add_time(&g_array_index(all, Row, time->function), trace, time);
        }
    }
    for (guint i = 0; i < all->len; i++) {
        Row *row = &g_array_index(all, Row, i);
        set_mean(row, main_threads(times), times->len);
        if (row->traces > 0 && (!shown->set || dt_filter_set_keeps(shown->set, row->function)))
            g_array_append_val(rows, *row);
    }
    g_array_sort(rows, order);
    if (shown->top > 0 && rows->len > shown->top)
        g_array_set_size(rows, shown->top);
    return rows;
}

static guint64 sum_of_spans(const GPtrArray *times)
{
    guint64 sum = 0;
    for (guint i = 0; i < times->len; i++) {
        const DtFunctionTimes *trace = times->pdata[i];
        sum += trace->last_ns - trace->first_ns;
    }
    return sum;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static gdouble ratio_of(const Row *row)
{
    return row->mean > 0 ? (gdouble)row->longest / row->mean : (gdouble)NAN;
}

static void add_ratio(DtTable *table, const Row *row)
{
    if (row->mean > 0)
        dt_table_add_format(table, "%.2f", ratio_of(row));
    else
        dt_table_add(table, NULL);
}

static const char *name_of(const DtTimesShown *shown, const Row *row)
{
    return dt_function_name(dt_run_functions(shown->run), row->function);
}

static char *finish(const DtTimesShown *shown, const DtTable *table, gboolean tsv)
{
    GString *out = g_string_new(NULL);
    if (tsv)
        dt_table_append_tsv(table, out);
    else
        dt_table_append_text(table, out, shown->width);
    return g_string_free(out, FALSE);
}

static char *functions_text(const DtTimesShown *shown, const GPtrArray *times, gboolean tsv)
{
    g_autoptr(DtTable) table =
        dt_table_new("~function|>calls|>exclusive|>share|>told|>inclusive|>of it MPI|>mean|>most|on");
    g_autoptr(GArray) rows = rows_of(shown, times, compare_times);
    const gdouble all = (gdouble)sum_of_spans(times);
    for (guint i = 0; i < rows->len; i++) {
        const Row *row = &g_array_index(rows, Row, i);
        dt_table_add(table, name_of(shown, row));
        dt_table_add_format(table, "%" G_GUINT64_FORMAT, row->calls);
        dt_table_add_duration(table, tsv, TRUE, (gdouble)row->exclusive);
        dt_table_add_share(table, tsv, (gdouble)row->exclusive, all);
        dt_table_add_share(table, tsv, (gdouble)row->told, (gdouble)row->exclusive);
        dt_table_add_duration(table, tsv, TRUE, (gdouble)row->inclusive);
        dt_table_add_duration(table, tsv, TRUE, (gdouble)row->mpi);
        dt_table_add_duration(table, tsv, TRUE, row->mean);
        dt_table_add_duration(table, tsv, TRUE, (gdouble)row->longest);
        dt_table_add(table, row->where->label);
    }
    return finish(shown, table, tsv);
}

static char *balance_text(const DtTimesShown *shown, const GPtrArray *times, gboolean tsv)
{
    g_autoptr(DtTable) table = dt_table_new("~function|>calls|>mean|>most|on|>most/mean|>lost");
    g_autoptr(GArray) rows = rows_of(shown, times, compare_losses);
    for (guint i = 0; i < rows->len; i++) {
        const Row *row = &g_array_index(rows, Row, i);
        dt_table_add(table, name_of(shown, row));
        dt_table_add_format(table, "%" G_GUINT64_FORMAT, row->calls);
        dt_table_add_duration(table, tsv, TRUE, row->mean);
        dt_table_add_duration(table, tsv, TRUE, (gdouble)row->longest);
        dt_table_add(table, row->where->label);
        add_ratio(table, row);
        dt_table_add_duration(table, tsv, TRUE, row->lost);
    }
    return finish(shown, table, tsv);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void add_traces(JsonBuilder *builder, const GPtrArray *times, guint32 function)
{
    dt_json_begin_array(builder, "traces");
    for (guint i = 0; i < times->len; i++) {
        const DtFunctionTimes *trace = times->pdata[i];
        const DtFunctionTime *time = dt_function_times_find(trace, function);
        if (!time)
            continue;
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "trace", trace->trace->label);
        dt_json_integer(builder, "calls", (gint64)time->calls);
        dt_json_integer(builder, "exclusive_ns", (gint64)time->exclusive_ns);
        dt_json_integer(builder, "inclusive_ns", (gint64)time->inclusive_ns);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static void add_object(JsonBuilder *builder, const DtTimesShown *shown, const GPtrArray *times, const Row *row)
{
    dt_json_begin_object(builder, NULL);
    dt_json_string(builder, "function", name_of(shown, row));
    dt_json_integer(builder, "calls", (gint64)row->calls);
    dt_json_integer(builder, "exclusive_ns", (gint64)row->exclusive);
    dt_json_integer(builder, "told_ns", (gint64)row->told);
    dt_json_integer(builder, "inclusive_ns", (gint64)row->inclusive);
    dt_json_integer(builder, "mpi_ns", (gint64)row->mpi);
    dt_json_number(builder, "mean_ns", row->mean);
    dt_json_integer(builder, "most_ns", (gint64)row->longest);
    dt_json_string(builder, "most_on", row->where->label);
    dt_json_number(builder, "lost_ns", row->lost);
    add_traces(builder, times, row->function);
    json_builder_end_object(builder);
}

static char *functions_json(const DtTimesShown *shown, const GPtrArray *times, GCompareFunc order)
{
    JsonBuilder *builder = dt_json_document();
    g_autoptr(GArray) rows = rows_of(shown, times, order);
    guint64 outside = 0, tracer = 0;
    for (guint i = 0; i < times->len; i++) {
        outside += ((const DtFunctionTimes *)times->pdata[i])->outside_ns;
        tracer += ((const DtFunctionTimes *)times->pdata[i])->tracer_ns;
    }
    dt_json_integer(builder, "traces_ns", (gint64)sum_of_spans(times));
    dt_json_integer(builder, "outside_ns", (gint64)outside);
    dt_json_integer(builder, "tracer_ns", (gint64)tracer);
    dt_json_begin_array(builder, "functions");
    for (guint i = 0; i < rows->len; i++)
        add_object(builder, shown, times, &g_array_index(rows, Row, i));
    json_builder_end_array(builder);
    return dt_json_finish(builder);
}

char *dt_report_function_times(const DtTimesShown *shown, const GPtrArray *times, gboolean balance,
                               DtReportFormat format, GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
    case DT_FORMAT_TSV:
        return (balance ? balance_text : functions_text)(shown, times, format == DT_FORMAT_TSV);
    case DT_FORMAT_JSON:
        return functions_json(shown, times, balance ? compare_losses : compare_times);
    default:
        return dt_report_no_format("times by function", format, "text, tsv and json", error);
    }
}
