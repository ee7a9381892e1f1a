/* Expanding elements back into symbols. */
#include "nlr/count_record.h"
#include "nlr/loop_table.h"

enum { BATCH = 4096 };

typedef struct {
    const DtLoopTable *table;
    DtSymbolSink sink;
    gpointer user_data;
    GHashTable *counts; /* body -> DtCountCursor; NULL: elements have their counts */
    gsize length;
    guint32 batch[BATCH];
} Expansion;

static void flush_symbols(Expansion *expansion)
{
    if (expansion->length > 0)
        expansion->sink(expansion->batch, expansion->length, expansion->user_data);
    expansion->length = 0;
}

static guint64 count_of(const Expansion *expansion, DtElement loop)
{
    if (!expansion->counts)
        return dt_element_count(loop);
    return dt_count_cursor_advance(g_hash_table_lookup(expansion->counts, GUINT_TO_POINTER(dt_element_body(loop))), 1);
}

/* Every loop repeats at least twice, so nesting is at most log2 of the symbols deep. */
static void expand_elements(Expansion *expansion, DtElements elements)
{
    for (gsize i = 0; i < elements.length; i++) {
        DtElement element = elements.elements[i];
        if (dt_element_is_loop(element)) {
            DtElements body = dt_loop_table_body(expansion->table, dt_element_body(element));
            for (guint64 left = count_of(expansion, element); left > 0; left--)
                expand_elements(expansion, body);
            continue;
        }
        expansion->batch[expansion->length++] = dt_element_symbol(element);
        if (expansion->length == BATCH)
            flush_symbols(expansion);
    }
}

static void expand_all(const DtLoopTable *table, DtElements elements, GHashTable *counts, DtSymbolSink sink,
                       gpointer user_data)
{
    g_autofree Expansion *expansion = g_new(Expansion, 1);
    expansion->table = table;
    expansion->sink = sink;
    expansion->user_data = user_data;
    expansion->counts = counts;
    expansion->length = 0;
    expand_elements(expansion, elements);
    flush_symbols(expansion);
}

void dt_nlr_expand(const DtLoopTable *table, DtElements elements, DtSymbolSink sink, gpointer user_data)
{
    expand_all(table, elements, NULL, sink, user_data);
}

void dt_nlr_expand_all(DtLoopTable *table, const DtNlr *nlr, DtSymbolSink sink, gpointer user_data)
{
    g_autoptr(GHashTable) cursors = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)dt_count_cursor_free);
    for (guint i = 0; i < dt_nlr_counts_length(nlr); i++) {
        guint32 body;
        DtElements counts = dt_nlr_counts(nlr, i, &body);
        g_hash_table_insert(cursors, GUINT_TO_POINTER(body), dt_count_cursor_new(dt_loop_table_counts(table), counts));
    }
    expand_all(table, dt_nlr_elements(nlr), dt_nlr_is_count_blind(nlr) ? cursors : NULL, sink, user_data);
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
