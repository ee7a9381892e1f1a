/* The loop table: bodies of loops, hash-consed. */
#include "nlr/loop_table.h"

#include "base/hash_index.h"
#include "nlr/sequence.h"

enum { LEAST_CHUNK = 32 /* elements */ };

/* Elements lie in chunks, so that they keep their place while the table grows. */
struct DtLoopTable {
    GArray *bodies; /* (element-type DtLoopBody) */
    DtHashIndex by_hash;
    GPtrArray *chunks;
    DtElement *free_space;
    gsize free_length;
    DtLoopTable *counts; /* NULL before it is asked for */
};

DtLoopTable *dt_loop_table_new(void)
{
    DtLoopTable *table = g_new0(DtLoopTable, 1);
    table->bodies = g_array_new(FALSE, FALSE, sizeof(DtLoopBody));
    table->chunks = g_ptr_array_new_with_free_func(g_free);
    return table;
}

void dt_loop_table_free(DtLoopTable *table)
{
    if (!table)
        return;
    dt_loop_table_free(table->counts);
    g_array_unref(table->bodies);
    dt_hash_index_clear(&table->by_hash);
    g_ptr_array_unref(table->chunks);
    g_free(table);
}

void dt_loop_table_clear(DtLoopTable *table)
{
    if (table->bodies->len == 0)
        return;
    g_array_set_size(table->bodies, 0);
    dt_hash_index_clear(&table->by_hash);
    g_ptr_array_set_size(table->chunks, 0);
    table->free_length = 0;
}

guint32 dt_loop_table_count(const DtLoopTable *table)
{
    return table->bodies->len;
}

DtLoopTable *dt_loop_table_counts(DtLoopTable *table)
{
    if (!table->counts)
        table->counts = dt_loop_table_new();
    return table->counts;
}

const DtLoopBody *dt_loop_table_get(const DtLoopTable *table, guint32 body)
{
    return &g_array_index(table->bodies, DtLoopBody, body);
}

guint32 dt_loop_table_first_symbol(const DtLoopTable *table, DtElement element)
{
    if (!dt_element_is_loop(element))
        return dt_element_symbol(element);
    return dt_loop_table_get(table, dt_element_body(element))->first_symbol;
}

static void note_large(DtLoopBody *body, guint32 count)
{
    guint at = body->noted_large;
    while (at > 0 && body->noted[at - 1] >= count)
        at--;
    if (at < body->noted_large && body->noted[at] == count)
        return;
    if (body->noted_large == DT_NOTED_LARGE) {
        body->many_noted = TRUE;
        return;
    }
    memmove(body->noted + at + 1, body->noted + at, (body->noted_large - at) * sizeof *body->noted);
    body->noted[at] = count;
    body->noted_large++;
}

void dt_loop_table_note_count(DtLoopTable *table, DtElement loop)
{
    DtLoopBody *body = &g_array_index(table->bodies, DtLoopBody, dt_element_body(loop));
    guint32 count = dt_element_count(loop);
    body->largest_count = MAX(body->largest_count, count);
    if (count < DT_NOTED_SMALL)
        body->noted_small |= (guint64)1 << count;
    else if (!body->many_noted)
        note_large(body, count);
}

guint32 dt_loop_body_next_noted(const DtLoopBody *body, guint32 count)
{
    guint64 small = count + 1 < DT_NOTED_SMALL ? body->noted_small >> (count + 1) << (count + 1) : 0;
    if (small != 0)
        return (guint32)__builtin_ctzll(small);
    if (body->many_noted)
        return count < body->largest_count ? MAX(count + 1, DT_NOTED_SMALL) : 0;
    for (guint i = 0; i < body->noted_large; i++)
        if (body->noted[i] > count)
            return body->noted[i];
    return 0;
}

DtElements dt_loop_table_body(const DtLoopTable *table, guint32 body)
{
    const DtLoopBody *found = dt_loop_table_get(table, body);
    return (DtElements){found->elements, found->length};
}

guint64 dt_loop_table_body_symbols(const DtLoopTable *table, guint32 body)
{
    return dt_loop_table_get(table, body)->symbols;
}

static const DtElement *keep_elements(DtLoopTable *table, const DtElement *elements, gsize length)
{
    if (length > table->free_length) {
        guint doublings = MIN(table->chunks->len, 16);
        gsize chunk = MAX(length, (gsize)LEAST_CHUNK << doublings);
        table->free_space = g_new(DtElement, chunk);
        table->free_length = chunk;
        g_ptr_array_add(table->chunks, table->free_space);
    }
    DtElement *kept = table->free_space;
    memcpy(kept, elements, length * sizeof *elements);
    table->free_space += length;
    table->free_length -= length;
    return kept;
}

guint32 dt_loop_table_intern(DtLoopTable *table, const DtElement *elements, gsize length, guint64 hash)
{
    return dt_loop_table_intern_copy(table, elements, length, hash, 0);
}

static gboolean same_body(gconstpointer table, guint32 number, gconstpointer key)
{
    const DtLoopBody *kept = dt_loop_table_get(table, number), *body = key;
    return kept->hash == body->hash && kept->length == body->length && kept->copy == body->copy &&
           dt_elements_equal(kept->elements, body->elements, body->length);
}

guint32 dt_loop_table_intern_copy(DtLoopTable *table, const DtElement *elements, gsize length, guint64 hash,
                                  guint32 copy)
{
    DtLoopBody body = {.elements = elements, .length = length, .hash = hash, .copy = copy};
    guint32 id = dt_hash_index_find(&table->by_hash, hash, same_body, table, &body);
    if (id != DT_HASH_ABSENT)
        return id;
    id = table->bodies->len;
    body.elements = keep_elements(table, elements, length);
    body.first_symbol = dt_loop_table_first_symbol(table, elements[0]);
    body.symbols = dt_nlr_expanded_length(table, (DtElements){elements, length});
    g_array_append_val(table->bodies, body);
    dt_hash_index_add(&table->by_hash, hash, id);
    return id;
}
