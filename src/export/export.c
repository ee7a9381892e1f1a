/* Exporting: the format, the text's way out, and the walk over a trace. */
#include "export/writer.h"

#include "text/text.h"

G_DEFINE_QUARK(dt - export - error - quark, dt_export_error)

enum { BATCH = 4096, FLUSH_BYTES = 1 << 16 };

gboolean dt_export_format_parse(const char *text, DtExportFormat *format, GError **error)
{
    static const char *const names[] = {"chrome", "folded", "callgrind", "csv"};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        if (g_ascii_strcasecmp(text, names[i]) == 0) {
            *format = (DtExportFormat)i;
            return TRUE;
        }
    }
    dt_set_error(error, DT_EXPORT_ERROR, DT_EXPORT_ERROR_FORMAT,
                 "--format '%s': unknown; chrome, folded, callgrind, dot or csv", text);
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

gboolean dt_export_walk(const DtRun *run, const DtTrace *trace, DtExportVisit visit, gpointer user_data, GError **error)
{
    g_autoptr(DtReader) reader = dt_reader_open(run, trace, DT_NAMES_ALONE, error);
    if (reader == NULL)
        return FALSE;
    g_autoptr(DtCallStack) stack = dt_call_stack_new();
    guint32 events[BATCH];
    DtExportEvent event = {0};
    gsize count;
    while ((count = dt_reader_next(reader, events, BATCH)) > 0) {
        for (gsize i = 0; i < count; i++, event.number++) {
            event.entry = events[i] != DT_EVENT_RETURN;
            event.depth = dt_call_stack_depth(stack) + (event.entry ? 1 : 0);
            event.function = dt_call_stack_apply(stack, events[i]);
            event.frames = dt_call_stack_frames(stack);
            if (event.function != 0 && !visit(&event, user_data))
                return TRUE;
        }
    }
    return TRUE;
}

gboolean dt_export(const DtRun *run, const GPtrArray *traces, DtExportFormat format, DtExportSink sink,
                   gpointer user_data, GError **error)
{
    static gboolean (*const formats[])(const DtRun *, const GPtrArray *, DtExportWriter *, GError **) = {
        dt_export_chrome, dt_export_stack_counts, dt_export_callgrind, dt_export_csv};
    g_autoptr(GString) text = g_string_new(NULL);
    DtExportWriter writer = {text, sink, user_data, FALSE};
    if (!formats[format](run, traces, &writer, error))
        return FALSE;
    if (dt_export_flush(&writer, TRUE))
        return TRUE;
    g_set_error_literal(error, DT_EXPORT_ERROR, DT_EXPORT_ERROR_WRITE, "not all could be written");
    return FALSE;
}
