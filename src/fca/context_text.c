/* The cross table for people: a line per attribute, a column per object. */
#include "fca/fca.h"

#include "text/text.h"

static void append_padded(GString *text, const char *word, glong width)
{
    g_string_append(text, word);
    for (glong i = g_utf8_strlen(word, -1); i < width; i++) {
        g_string_append_c(text, ' ');
    }
}

static void append_row(GString *text, const DtContext *context, guint attribute)
{
    guint objects = dt_context_objects(context);
    for (guint i = 0; i < objects; i++) {
        g_string_append_c(text, ' ');
        const char *cross = dt_context_has(context, i, attribute) ? "x" : ".";
        append_padded(text, cross, i + 1 < objects ? g_utf8_strlen(dt_context_object_label(context, i), -1) : 0);
    }
    g_string_append_c(text, '\n');
}

char *dt_context_to_text(const DtContext *context)
{
    guint attributes = dt_context_attributes(context);
    glong width = 0;
    g_autoptr(GPtrArray) names = g_ptr_array_new_full(attributes, g_free);
    for (guint i = 0; i < attributes; i++) {
        g_ptr_array_add(names, dt_text_shortened(dt_context_attribute_name(context, i), DT_TEXT_NAME_SHOWN));
        width = MAX(width, g_utf8_strlen(names->pdata[i], -1));
    }

    GString *text = g_string_new(NULL);
    append_padded(text, "", width);
    for (guint i = 0; i < dt_context_objects(context); i++) {
        g_string_append_printf(text, " %s", dt_context_object_label(context, i));
    }
    g_string_append_c(text, '\n');
    for (guint i = 0; i < attributes; i++) {
        append_padded(text, names->pdata[i], width);
        append_row(text, context, i);
    }
    return g_string_free(text, FALSE);
}
