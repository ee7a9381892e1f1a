/* Traces and how their time divides. */
#include "report/common.h"
#include "report/json.h"
#include "report/table.h"
#include "report/times/times_report.h"
#include "report/times/units.h"

static guint64 span_of(const DtTraceTime *trace)
{
    return trace->last_ns - trace->first_ns;
}

static guint64 elsewhere_of(const DtTraceTime *trace)
{
    guint64 in = trace->tracer_ns;
    for (guint i = 0; i < DT_TIMES_IN; i++)
        in += trace->in_ns[i];
    return span_of(trace) - MIN(in, span_of(trace));
}

static guint rows_of(const DtTimesShown *shown, const DtCallTimes *times)
{
    return shown->top > 0 ? MIN(shown->top, times->traces->len) : times->traces->len;
}

static gboolean any_in(const DtCallTimes *times, DtTimeIn in)
{
    for (guint i = 0; i < times->traces->len; i++)
        if (g_array_index(times->traces, DtTraceTime, i).in_ns[in] > 0)
            return TRUE;
    return FALSE;
}

static void add_row(DtTable *table, const DtTimesShown *shown, const DtCallTimes *times, const DtTraceTime *trace,
                    gboolean tsv)
{
    gboolean timed = trace->first_ns > 0;
    dt_table_add(table, trace->trace->label);
    dt_table_add_duration(table, tsv, timed, (gdouble)span_of(trace));
    for (DtTimeIn in = 0; in < DT_TIMES_IN; in++)
        if (tsv || any_in(times, in))
            dt_table_add_duration(table, tsv, timed, (gdouble)trace->in_ns[in]);
    dt_table_add_duration(table, tsv, timed, (gdouble)elsewhere_of(trace));
    dt_table_add_duration(table, tsv, timed, (gdouble)trace->tracer_ns);
    dt_table_add_share(table, tsv, (gdouble)trace->in_ns[DT_TIME_IN_MPI], (gdouble)span_of(trace));
    dt_table_add_duration(table, tsv, trace->processor_ns > 0, (gdouble)trace->processor_ns);
    dt_table_add_format(table, "%" G_GUINT64_FORMAT, trace->calls);
    dt_table_add_duration(table, tsv, trace->longest_function > 0, (gdouble)trace->longest_ns);
    dt_table_add(table, trace->longest_function > 0
                            ? dt_function_name(dt_run_functions(shown->run), trace->longest_function)
                            : NULL);
}

static char *traces_text(const DtTimesShown *shown, const DtCallTimes *times, gboolean tsv)
{
    static const char *const headings[DT_TIMES_IN] = {">MPI|", ">OpenMP|", ">pthreads|"};
    g_autoptr(GString) heading = g_string_new("trace|>time|");
    for (DtTimeIn in = 0; in < DT_TIMES_IN; in++)
        if (tsv || any_in(times, in))
            g_string_append(heading, headings[in]);
    g_string_append(heading, ">elsewhere|>tracer|>in MPI|>processor|>calls|>longest|~call");
    g_autoptr(DtTable) table = dt_table_new(heading->str);
    for (guint i = 0; i < rows_of(shown, times); i++)
        add_row(table, shown, times, &g_array_index(times->traces, DtTraceTime, i), tsv);
    GString *out = g_string_new(NULL);
    if (tsv)
        dt_table_append_tsv(table, out);
    else
        dt_table_append_text(table, out, shown->width);
    return g_string_free(out, FALSE);
}

static void add_object(JsonBuilder *builder, const DtTimesShown *shown, const DtTraceTime *trace)
{
    static const char *const names[DT_TIMES_IN] = {"mpi_ns", "openmp_ns", "pthreads_ns"};
    dt_json_begin_object(builder, NULL);
    dt_json_string(builder, "trace", trace->trace->label);
    dt_json_integer(builder, "ns", (gint64)span_of(trace));
    for (DtTimeIn in = 0; in < DT_TIMES_IN; in++)
        dt_json_integer(builder, names[in], (gint64)trace->in_ns[in]);
    dt_json_integer(builder, "elsewhere_ns", (gint64)elsewhere_of(trace));
    dt_json_integer(builder, "tracer_ns", (gint64)trace->tracer_ns);
    if (trace->processor_ns > 0)
        dt_json_integer(builder, "processor_ns", (gint64)trace->processor_ns);
    else
        dt_json_null(builder, "processor_ns");
    dt_json_integer(builder, "calls", (gint64)trace->calls);
    dt_json_integer(builder, "longest_ns", (gint64)trace->longest_ns);
    dt_json_string(builder, "longest_call",
                   trace->longest_function > 0 ? dt_function_name(dt_run_functions(shown->run), trace->longest_function)
                                               : NULL);
    json_builder_end_object(builder);
}

static char *traces_json(const DtTimesShown *shown, const DtCallTimes *times)
{
    JsonBuilder *builder = dt_json_document();
    dt_json_integer(builder, "span_ns", (gint64)(times->last_ns - times->first_ns));
    dt_json_begin_array(builder, "traces");
    for (guint i = 0; i < rows_of(shown, times); i++)
        add_object(builder, shown, &g_array_index(times->traces, DtTraceTime, i));
    json_builder_end_array(builder);
    return dt_json_finish(builder);
}

char *dt_report_trace_times(const DtTimesShown *shown, const DtCallTimes *times, DtReportFormat format, GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return traces_text(shown, times, FALSE);
    case DT_FORMAT_TSV:
        return traces_text(shown, times, TRUE);
    case DT_FORMAT_JSON:
        return traces_json(shown, times);
    default:
        return dt_report_no_format("times by rank", format, "text, tsv and json", error);
    }
}
