/* Trace events in JSON (Trace Event Format), for Perfetto and chrome://tracing. */
#include "export/writer.h"
#include "text/text.h"

typedef struct {
    DtExportWriter *writer;
    const DtRun *run;
    const DtTrace *trace;
    GPtrArray *names; /* by function id, quoted; made when first met */
} Chrome;

static const char *name_of(Chrome *chrome, guint32 function)
{
    gpointer *name = &chrome->names->pdata[function];
    if (*name == NULL)
        *name = dt_text_json_quoted(dt_export_name(chrome->run, function));
    return *name;
}

static gboolean add_event(const DtExportEvent *event, gpointer user_data)
{
    Chrome *chrome = user_data;
    g_string_append_printf(chrome->writer->text,
                           ",\n{\"name\":%s,\"ph\":\"%c\",\"ts\":%" G_GUINT64_FORMAT ",\"pid\":%u,\"tid\":%u}",
                           name_of(chrome, event->function), event->entry ? 'B' : 'E', event->number,
                           chrome->trace->process->index, chrome->trace->index);
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

gboolean dt_export_chrome(const DtRun *run, const GPtrArray *traces, DtExportWriter *writer, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_set_size(names, (gint)dt_functions_count(dt_run_functions(run)) + 1);
    Chrome chrome = {writer, run, NULL, names};
    g_string_append(writer->text, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"time\":\"number of the event in its "
                                  "trace\"},\"traceEvents\":[\n");
    for (guint i = 0; i < traces->len; i++) {
        chrome.trace = traces->pdata[i];
        add_names(&chrome, i > 0 ? ",\n" : "");
        if (!dt_export_walk(run, chrome.trace, add_event, &chrome, error))
            return FALSE;
    }
    g_string_append(writer->text, "\n]}\n");
    return TRUE;
}
