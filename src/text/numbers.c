/* Rows of numbers as text. */
#include "text/text.h"

/* How many numbers from `at` on go up by `step`. */
static guint run_length(const gint64 *values, guint count, guint at, gint64 step)
{
    guint length = 1;
    while (at + length < count && values[at + length] == (gint64)((guint64)values[at + length - 1] + (guint64)step))
        length++;
    return length;
}

char *dt_text_numbers(const gint64 *values, guint count)
{
    enum { LEAST_RUN = 3, LEAST_EQUAL = 2 };
    GString *text = g_string_new("[");
    for (guint at = 0; at < count;) {
        guint equal = run_length(values, count, at, 0), run = run_length(values, count, at, 1), length = 1;
        g_string_append_printf(text, "%s%" G_GINT64_FORMAT, at > 0 ? " " : "", values[at]);
        if (equal >= LEAST_EQUAL)
            g_string_append_printf(text, "^%u", length = equal);
        else if (run >= LEAST_RUN && values[at] >= 0)
            g_string_append_printf(text, "-%" G_GINT64_FORMAT, values[at + (length = run) - 1]);
        at += length;
    }
    g_string_append_c(text, ']');
    return g_string_free(text, FALSE);
}
