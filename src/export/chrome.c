/* Trace events in JSON (Trace Event Format), for Perfetto and chrome://tracing. */
#include "export/writer.h"
#include "text/text.h"

typedef struct {
    DtExportWriter *writer;
    const DtTrace *trace;
    GPtrArray *names; /* by function id, quoted; made when first met */
} Chrome;

static const char *name_of(Chrome *chrome, guint32 function)
{
    gpointer *name = &chrome->names->pdata[function];
    if (!*name)
        *name = dt_text_json_quoted(dt_export_name(chrome->writer->wants->run, function));
    return *name;
}

static gboolean add_event(const DtExportEvent *event, gpointer user_data)
{
    Chrome *chrome = user_data;
    GString *out = chrome->writer->text;
    g_string_append_printf(out, ",\n{\"name\":%s,\"ph\":\"%c\",\"ts\":", name_of(chrome, event->function),
                           event->entry ? 'B' : 'E');
    if (chrome->writer->timed)
        g_string_append_printf(out, "%s%" G_GINT64_FORMAT ".%03" G_GINT64_FORMAT, event->ns < 0 ? "-" : "",
                               ABS(event->ns) / 1000, ABS(event->ns) % 1000);
    else
        g_string_append_printf(out, "%" G_GUINT64_FORMAT, event->number);
    g_string_append_printf(out, ",\"pid\":%u,\"tid\":%u}", chrome->trace->process->index, chrome->trace->index);
    return dt_export_flush(chrome->writer, FALSE);
}

/* Traces and processes by their names; the numbers are their places in the run. */
static void add_names(Chrome *chrome, const char *before)
{
    const DtTrace *trace = chrome->trace;
    g_autofree char *process = dt_text_json_quoted(trace->process->label), *thread = dt_text_json_quoted(trace->label);
    g_string_append_printf(chrome->writer->text,
                           "%s{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%u,\"args\":{\"name\":%s}},\n"
                           "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":%s}}",
                           before, trace->process->index, process, trace->process->index, trace->index, thread);
}

gboolean dt_export_chrome(DtExportWriter *writer, GError **error)
{
    const DtRun *run = writer->wants->run;
    const GPtrArray *traces = writer->wants->traces;
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_set_size(names, (gint)dt_functions_count(dt_run_functions(run)) + 1);
    Chrome chrome = {writer, NULL, names};
    g_string_append_printf(
        writer->text, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"time\":\"%s\"},\"traceEvents\":[\n",
        writer->timed ? "microseconds since the first trace began" : "number of the event in its trace");
    for (guint i = 0; i < traces->len; i++) {
        chrome.trace = traces->pdata[i];
        add_names(&chrome, i > 0 ? ",\n" : "");
        if (!dt_export_walk(writer, chrome.trace, add_event, &chrome, NULL, error))
            return FALSE;
    }
    g_string_append(writer->text, "\n]}\n");
    return TRUE;
}
