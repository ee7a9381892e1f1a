/* Events as comma-separated values (RFC 4180, lines end with a line feed). */
#include "export/writer.h"
#include "text/text.h"

static const gint64 NS_A_SECOND = 1000000000;

typedef struct {
    DtExportWriter *writer;
    const DtTrace *trace;
    GPtrArray *names; /* by function id, as fields; made when first met */
} Csv;

static const char *name_of(Csv *csv, guint32 function)
{
    gpointer *name = &csv->names->pdata[function];
    if (!*name)
        *name = dt_text_csv(dt_export_name(csv->writer->wants->run, function));
    return *name;
}

static gboolean add_event(const DtExportEvent *event, gpointer user_data)
{
    Csv *csv = user_data;
    GString *out = csv->writer->text;
    g_string_append_printf(out, "%s,%" G_GUINT64_FORMAT ",%s,%u,%s", csv->trace->label, event->number,
                           event->entry ? "call" : "return", event->depth, name_of(csv, event->function));
    if (csv->writer->timed)
        g_string_append_printf(out, ",%s%" G_GINT64_FORMAT ".%09" G_GINT64_FORMAT, event->ns < 0 ? "-" : "",
                               ABS(event->ns) / NS_A_SECOND, ABS(event->ns) % NS_A_SECOND);
    g_string_append_c(out, '\n');
    return dt_export_flush(csv->writer, FALSE);
}

gboolean dt_export_csv(DtExportWriter *writer, GError **error)
{
    const DtRun *run = writer->wants->run;
    const GPtrArray *traces = writer->wants->traces;
    g_string_append_printf(writer->text, "trace,event,kind,depth,function%s\n", writer->timed ? ",seconds" : "");
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_set_size(names, (gint)dt_functions_count(dt_run_functions(run)) + 1);
    for (guint i = 0; i < traces->len; i++) {
        Csv csv = {writer, traces->pdata[i], names};
        if (!dt_export_walk(writer, csv.trace, add_event, &csv, NULL, error))
            return FALSE;
    }
    return TRUE;
}
