/* The events of a trace as text. */
#include "event_text.h"

static void append_event(GString *text, const DtRun *run, guint32 event)
{
    if (text->len > 0)
        g_string_append_c(text, ' ');
    if (event == DT_EVENT_RETURN) {
        g_string_append_c(text, '<');
        return;
    }
    const DtFunction *function = dt_functions_get(dt_run_functions(run), event);
    g_string_append(text, function->symbol);
    if (function->flags & DT_FUNCTION_IMPORT)
        g_string_append(text, "@plt");
}

char *dt_event_text(const DtRun *run, const DtTrace *trace, gsize batch, char **problem)
{
    g_autoptr(DtReader) reader = dt_reader_open(run, trace, DT_NAMES_ALONE, NULL);
    g_autofree guint32 *events = g_new(guint32, batch);
    GString *text = g_string_new(NULL);
    gsize count;
    *problem = NULL;
    if (!reader) {
        g_string_free(text, TRUE);
        return NULL;
    }
    while ((count = dt_reader_next(reader, events, batch)) > 0) {
        for (gsize i = 0; i < count; i++)
            append_event(text, run, events[i]);
    }
    *problem = g_strdup(dt_reader_problem(reader));
    return g_string_free(text, FALSE);
}
