/* Exporting: the format, whether there are times, and the text's way out. */
#include "export/writer.h"

#include "text/text.h"
#include "times/call_times.h"
#include "times/timed_reader.h"

G_DEFINE_QUARK(dt - export - error - quark, dt_export_error)

enum { FLUSH_BYTES = 1 << 16 };

gboolean dt_export_format_parse(const char *text, DtExportFormat *format, GError **error)
{
    static const char *const names[] = {"chrome", "folded", "folded-time", "callgrind", "csv"};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        if (g_ascii_strcasecmp(text, names[i]) == 0) {
            *format = (DtExportFormat)i;
            return TRUE;
        }
    }
    dt_set_error(error, DT_EXPORT_ERROR, DT_EXPORT_ERROR_FORMAT,
                 "--format '%s': unknown; chrome, folded, folded-time, callgrind, dot or csv", text);
    return FALSE;
}

gboolean dt_export_flush(DtExportWriter *writer, gboolean end)
{
    if (!writer->failed && (end || writer->text->len >= FLUSH_BYTES)) {
        writer->failed = !writer->sink(writer->text->str, writer->text->len, writer->user_data);
        g_string_truncate(writer->text, 0);
    }
    return !writer->failed;
}

/* When the first of the traces began, by the wall clocks of their hosts. */
static gboolean find_start(DtExportWriter *writer, GError **error)
{
    const GPtrArray *traces = writer->wants->traces;
    writer->timed = traces->len > 0;
    for (guint i = 0; i < traces->len; i++)
        writer->timed &= dt_trace_has_times(traces->pdata[i]);
    for (guint i = 0; writer->timed && i < traces->len; i++) {
        const DtTrace *trace = traces->pdata[i];
        g_autoptr(DtTimedReader) reader = dt_timed_reader_open(writer->wants->run, trace, DT_NAMES_ALONE, error);
        if (reader == NULL)
            return FALSE;
        gint64 first = (gint64)dt_timed_reader_first_ns(reader) + dt_process_clock_offset(trace->process);
        if (dt_timed_reader_first_ns(reader) > 0 && (writer->start_ns == 0 || first < writer->start_ns))
            writer->start_ns = first;
    }
    return TRUE;
}

gboolean dt_export(const DtExportWants *wants, DtExportSink sink, gpointer user_data, GError **error)
{
    static gboolean (*const formats[])(DtExportWriter *, GError **) = {
        dt_export_chrome, dt_export_stack_counts, dt_export_stack_counts, dt_export_callgrind, dt_export_csv};
    g_autoptr(GString) text = g_string_new(NULL);
    DtExportWriter writer = {.wants = wants, .text = text, .sink = sink, .user_data = user_data};
    if (!find_start(&writer, error))
        return FALSE;
    if (!writer.timed && (wants->from > 0 || wants->to > 0 || wants->format == DT_EXPORT_STACK_TIMES)) {
        dt_set_error(error, DT_EXPORT_ERROR, DT_EXPORT_ERROR_NO_TIMES,
                     "%s: %s: not all traces have times; record with collect --times=functions",
                     dt_run_path(wants->run),
                     wants->format == DT_EXPORT_STACK_TIMES ? "folded-time" : "--since, --until");
        return FALSE;
    }
    if (!formats[wants->format](&writer, error))
        return FALSE;
    if (dt_export_flush(&writer, TRUE))
        return TRUE;
    g_set_error_literal(error, DT_EXPORT_ERROR, DT_EXPORT_ERROR_WRITE, "not all could be written");
    return FALSE;
}
