/* Expanding elements back into symbols. */
#include "nlr/loop_table.h"

enum { BATCH = 4096 };

typedef struct {
    const DtLoopTable *table;
    DtSymbolSink sink;
    gpointer user_data;
    gsize length;
    guint32 batch[BATCH];
} Expansion;

static void flush(Expansion *expansion)
{
    if (expansion->length > 0)
        expansion->sink(expansion->batch, expansion->length, expansion->user_data);
    expansion->length = 0;
}

/* Every loop repeats at least twice, so nesting is at most log2 of the symbols deep. */
static void expand(Expansion *expansion, DtElements elements)
{
    for (gsize i = 0; i < elements.length; i++) {
        DtElement element = elements.elements[i];
        if (dt_element_is_loop(element)) {
            DtElements body = dt_loop_table_body(expansion->table, dt_element_body(element));
            for (guint32 left = dt_element_count(element); left > 0; left--)
                expand(expansion, body);
            continue;
        }
        expansion->batch[expansion->length++] = dt_element_symbol(element);
        if (expansion->length == BATCH)
            flush(expansion);
    }
}

void dt_nlr_expand(const DtLoopTable *table, DtElements elements, DtSymbolSink sink, gpointer user_data)
{
    g_autofree Expansion *expansion = g_new(Expansion, 1);
    expansion->table = table;
    expansion->sink = sink;
    expansion->user_data = user_data;
    expansion->length = 0;
    expand(expansion, elements);
    flush(expansion);
}

guint64 dt_nlr_expanded_length(const DtLoopTable *table, DtElements elements)
{
    guint64 length = 0;
    for (gsize i = 0; i < elements.length; i++) {
        DtElement element = elements.elements[i];
        if (dt_element_is_loop(element))
            length += dt_element_count(element) * dt_loop_table_body_symbols(table, dt_element_body(element));
        else
            length++;
    }
    return length;
}
