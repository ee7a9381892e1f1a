/* Burmeister's .cxt format: "B", sizes, names one a line, then the cross table. */
#include "fca/fca.h"

#include "text/text.h"

/* The format has one name a line. */
static void append_name(GString *text, const char *name)
{
    g_autofree char *line = dt_text_line(name);
    g_string_append_printf(text, "%s\n", line);
}

char *dt_context_to_cxt(const DtContext *context)
{
    guint objects = dt_context_objects(context);
    guint attributes = dt_context_attributes(context);
    GString *text = g_string_new(NULL);

    g_string_append_printf(text, "B\n\n%u\n%u\n\n", objects, attributes);
    for (guint i = 0; i < objects; i++) {
        append_name(text, dt_context_object_label(context, i));
    }
    for (guint i = 0; i < attributes; i++) {
        append_name(text, dt_context_attribute_name(context, i));
    }
    for (guint i = 0; i < objects; i++) {
        for (guint j = 0; j < attributes; j++) {
            g_string_append_c(text, dt_context_has(context, i, j) ? 'X' : '.');
        }
        g_string_append_c(text, '\n');
    }
    return g_string_free(text, FALSE);
}
