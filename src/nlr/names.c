/* Elements as people read them. */
#include "nlr/nlr.h"

/* `shown`: for people. */
static void append_name(GString *text, DtElement element, const DtFunctions *functions, gboolean shown)
{
    if (dt_element_is_loop(element)) {
        g_string_append_printf(text, "L%u", dt_element_body(element));
        return;
    }
    guint32 symbol = dt_element_symbol(element);
    guint32 function = symbol & ~DT_SYMBOL_RETURN;
    if ((symbol & DT_SYMBOL_RETURN) != 0)
        g_string_append_c(text, '<');
    if (function < 1 || function > dt_functions_count(functions))
        g_string_append_printf(text, "?%u", function);
    else if (shown)
        g_string_append(text, dt_functions_get(functions, function)->shown);
    else
        g_string_append(text, dt_functions_get(functions, function)->name);
}

static void append_text(GString *text, DtElement element, const DtFunctions *functions, gboolean shown)
{
    append_name(text, element, functions, shown);
    if (dt_element_is_loop(element) && dt_element_count(element) == 0)
        g_string_append(text, "^*");
    else if (dt_element_is_loop(element))
        g_string_append_printf(text, "^%u", dt_element_count(element));
}

char *dt_element_name(DtElement element, const DtFunctions *functions)
{
    GString *text = g_string_new(NULL);
    append_name(text, element, functions, FALSE);
    return g_string_free(text, FALSE);
}

char *dt_element_text(DtElement element, const DtFunctions *functions)
{
    GString *text = g_string_new(NULL);
    append_text(text, element, functions, FALSE);
    return g_string_free(text, FALSE);
}

char *dt_element_shown(DtElement element, const DtFunctions *functions)
{
    GString *text = g_string_new(NULL);
    append_text(text, element, functions, TRUE);
    return g_string_free(text, FALSE);
}

static char *elements_text(DtElements elements, const DtFunctions *functions, gboolean shown)
{
    GString *text = g_string_new(NULL);
    for (gsize i = 0; i < elements.length; i++) {
        if (i > 0)
            g_string_append_c(text, ' ');
        append_text(text, elements.elements[i], functions, shown);
    }
    return g_string_free(text, FALSE);
}

char *dt_elements_text(DtElements elements, const DtFunctions *functions)
{
    return elements_text(elements, functions, FALSE);
}

char *dt_elements_shown(DtElements elements, const DtFunctions *functions)
{
    return elements_text(elements, functions, TRUE);
}

static void append_counts(GString *text, const DtLoopTable *table, DtElements counts)
{
    for (gsize i = 0; i < counts.length; i++) {
        DtElement element = counts.elements[i];
        if (i > 0)
            g_string_append_c(text, ' ');
        if (!dt_element_is_loop(element)) {
            g_string_append_printf(text, "%u", dt_element_symbol(element));
            continue;
        }
        DtElements body = dt_loop_table_body(table, dt_element_body(element));
        g_string_append(text, body.length > 1 ? "(" : "");
        append_counts(text, table, body);
        g_string_append_printf(text, "%s^%u", body.length > 1 ? ")" : "", dt_element_count(element));
    }
}

char *dt_counts_text(const DtLoopTable *table, DtElements counts)
{
    GString *text = g_string_new(NULL);
    append_counts(text, table, counts);
    return g_string_free(text, FALSE);
}

static const char *const form_names[DT_NLR_FORMS] = {"plain", "count-blind", "call-tree"};

const char *dt_nlr_form_name(DtNlrForm form)
{
    return form_names[form];
}

gboolean dt_nlr_form_find(const char *name, DtNlrForm *form)
{
    for (*form = DT_NLR_PLAIN; *form < DT_NLR_FORMS; ++*form)
        if (g_str_equal(name, form_names[*form]))
            return TRUE;
    return FALSE;
}
