#include "nlr_text.h"

void nlr_append_elements(GString *text, const DtLoopTable *table, DtElements elements)
{
    for (gsize i = 0; i < elements.length; i++) {
        DtElement element = elements.elements[i];
        if (i > 0)
            g_string_append_c(text, ' ');
        if (!dt_element_is_loop(element)) {
            g_string_append_printf(text, "%u", dt_element_symbol(element));
            continue;
        }
        g_string_append_c(text, '(');
        nlr_append_elements(text, table, dt_loop_table_body(table, dt_element_body(element)));
        g_string_append_printf(text, ")^%u", dt_element_count(element));
    }
}

char *nlr_text(const DtNlr *nlr, const DtLoopTable *table)
{
    GString *text = g_string_new(NULL);
    nlr_append_elements(text, table, dt_nlr_elements(nlr));
    return g_string_free(text, FALSE);
}
