/* Events as comma-separated values (RFC 4180, lines end with a line feed). */
#include <string.h>

#include "export/writer.h"

typedef struct {
    DtExportWriter *writer;
    const DtRun *run;
    const DtTrace *trace;
} Csv;

static void append_field(GString *out, const char *text)
{
    if (strpbrk(text, ",\"") == NULL) {
        g_string_append(out, text);
        return;
    }
    g_string_append_c(out, '"');
    for (; *text != '\0'; text++) {
        if (*text == '"')
            g_string_append_c(out, '"');
        g_string_append_c(out, *text);
    }
    g_string_append_c(out, '"');
}

static gboolean add_event(const DtExportEvent *event, gpointer user_data)
{
    Csv *csv = user_data;
    GString *out = csv->writer->text;
    g_autofree char *name = dt_export_name(csv->run, event->function);
    g_string_append_printf(out, "%s,%" G_GUINT64_FORMAT ",%s,%u,", csv->trace->label, event->number,
                           event->entry ? "call" : "return", event->depth);
    append_field(out, name);
    g_string_append_c(out, '\n');
    return dt_export_flush(csv->writer, FALSE);
}

gboolean dt_export_csv(const DtRun *run, const GPtrArray *traces, DtExportWriter *writer, GError **error)
{
    g_string_append(writer->text, "trace,event,kind,depth,function\n");
    for (guint i = 0; i < traces->len; i++) {
        Csv csv = {writer, run, traces->pdata[i]};
        if (!dt_export_walk(run, csv.trace, add_event, &csv, error))
            return FALSE;
    }
    return TRUE;
}
