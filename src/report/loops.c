/* Elements and loop bodies as text and JSON. */
#include "report/loops.h"

void dt_bodies_gather(const DtLoopTable *table, DtElements elements, GHashTable *bodies)
{
    g_autoptr(GArray) pending = g_array_new(FALSE, FALSE, sizeof(DtElements));
    g_array_append_val(pending, elements);
    while (pending->len > 0) {
        DtElements row = g_array_index(pending, DtElements, pending->len - 1);
        g_array_set_size(pending, pending->len - 1);
        for (gsize i = 0; i < row.length; i++) {
            if (!dt_element_is_loop(row.elements[i]))
                continue;
            guint32 body = dt_element_body(row.elements[i]);
            if (g_hash_table_add(bodies, GUINT_TO_POINTER(body))) {
                DtElements inner = dt_loop_table_body(table, body);
                g_array_append_val(pending, inner);
            }
        }
    }
}

static gint compare_ids(gconstpointer a, gconstpointer b)
{
    guint32 first = *(const guint32 *)a, second = *(const guint32 *)b;
    return (first > second) - (first < second);
}

GArray *dt_bodies_sorted(GHashTable *bodies)
{
    GArray *sorted = g_array_new(FALSE, FALSE, sizeof(guint32));
    GHashTableIter iterator;
    gpointer key;
    g_hash_table_iter_init(&iterator, bodies);
    while (g_hash_table_iter_next(&iterator, &key, NULL)) {
        guint32 id = GPOINTER_TO_UINT(key);
        g_array_append_val(sorted, id);
    }
    g_array_sort(sorted, compare_ids);
    return sorted;
}

GArray *dt_bodies_of_diff(const DtLoopTable *table, const DtDiffNlr *diff)
{
    g_autoptr(GHashTable) bodies = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < diff->blocks->len; i++) {
        const DtDiffBlock *block = &g_array_index(diff->blocks, DtDiffBlock, i);
        dt_bodies_gather(table, block->normal, bodies);
        dt_bodies_gather(table, block->faulty, bodies);
    }
    return dt_bodies_sorted(bodies);
}

void dt_bodies_append_text(GString *out, const GArray *bodies, const DtLoopTable *table, const DtFunctions *functions)
{
    for (guint i = 0; i < bodies->len; i++) {
        guint32 body = g_array_index(bodies, guint32, i);
        g_autofree char *text = dt_elements_text(dt_loop_table_body(table, body), functions);
        g_string_append_printf(out, "L%u = [%s]\n", body, text);
    }
}

void dt_bodies_add_json(JsonBuilder *builder, const GArray *bodies, const DtLoopTable *table,
                        const DtFunctions *functions)
{
    dt_json_begin_object(builder, "bodies");
    for (guint i = 0; i < bodies->len; i++) {
        guint32 body = g_array_index(bodies, guint32, i);
        g_autofree char *name = g_strdup_printf("L%u", body);
        dt_elements_add_json(builder, name, dt_loop_table_body(table, body), functions);
    }
    json_builder_end_object(builder);
}

void dt_elements_add_json(JsonBuilder *builder, const char *name, DtElements elements, const DtFunctions *functions)
{
    dt_json_begin_array(builder, name);
    for (gsize i = 0; i < elements.length; i++) {
        g_autofree char *text = dt_element_text(elements.elements[i], functions);
        dt_json_string(builder, NULL, text);
    }
    json_builder_end_array(builder);
}
