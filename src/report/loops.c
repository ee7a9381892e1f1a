/* Elements and loop bodies as text and JSON. */
#include "report/loops.h"

static void reach_element(const DtLoopTable *table, const DtCallTree *tree, DtElement element, GHashTable *bodies,
                          GHashTable *nodes, GArray *pending)
{
    if (dt_element_is_loop(element)) {
        guint32 body = dt_element_body(element);
        DtElements inner = dt_loop_table_body(table, body);
        if (g_hash_table_add(bodies, GUINT_TO_POINTER(body)))
            g_array_append_val(pending, inner);
        return;
    }
    const DtCallNode *node = tree ? dt_call_tree_find(tree, dt_element_symbol(element)) : NULL;
    if (node && g_hash_table_add(nodes, (gpointer)node))
        g_array_append_val(pending, node->children);
}

void dt_reach_gather(const DtLoopTable *table, const DtCallTree *tree, DtElements elements, GHashTable *bodies,
                     GHashTable *nodes)
{
    g_autoptr(GArray) pending = g_array_new(FALSE, FALSE, sizeof(DtElements));
    g_array_append_val(pending, elements);
    while (pending->len > 0) {
        DtElements row = g_array_index(pending, DtElements, pending->len - 1);
        g_array_set_size(pending, pending->len - 1);
        for (gsize i = 0; i < row.length; i++)
            reach_element(table, tree, row.elements[i], bodies, nodes, pending);
    }
}

void dt_bodies_gather(const DtLoopTable *table, DtElements elements, GHashTable *bodies)
{
    dt_reach_gather(table, NULL, elements, bodies, NULL);
}

void dt_nodes_append_text(GString *out, GHashTable *nodes, const DtCallTree *tree, const DtFunctions *functions)
{
    for (guint i = 0; g_hash_table_size(nodes) > 0 && i < dt_call_tree_count(tree); i++) {
        const DtCallNode *node = dt_call_tree_node(tree, i);
        if (!g_hash_table_contains(nodes, node))
            continue;
        g_autofree char *text = dt_elements_shown(node->children, functions);
        g_string_append_printf(out, "%s = [%s]\n", dt_functions_get(functions, node->symbol)->shown, text);
    }
}

void dt_nodes_add_json(JsonBuilder *builder, GHashTable *nodes, const DtCallTree *tree, const DtFunctions *functions)
{
    if (g_hash_table_size(nodes) == 0)
        return;
    dt_json_begin_object(builder, "nodes");
    for (guint i = 0; i < dt_call_tree_count(tree); i++) {
        const DtCallNode *node = dt_call_tree_node(tree, i);
        if (g_hash_table_contains(nodes, node))
            dt_elements_add_json(builder, dt_functions_get(functions, node->symbol)->name, node->children, functions);
    }
    json_builder_end_object(builder);
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

GArray *dt_reach_of_diff(const DtLoopTable *table, const DtCallTree *tree, const DtDiffNlr *diff, GHashTable *nodes)
{
    g_autoptr(GHashTable) bodies = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < diff->blocks->len; i++) {
        const DtDiffBlock *block = &g_array_index(diff->blocks, DtDiffBlock, i);
        const DtCallTree *through = block->common ? NULL : tree;
        dt_reach_gather(table, through, block->normal, bodies, nodes);
        dt_reach_gather(table, through, block->faulty, bodies, nodes);
    }
    return dt_bodies_sorted(bodies);
}

void dt_bodies_append_text(GString *out, const GArray *bodies, const DtLoopTable *table, const DtFunctions *functions)
{
    for (guint i = 0; i < bodies->len; i++) {
        guint32 body = g_array_index(bodies, guint32, i);
        g_autofree char *text = dt_elements_shown(dt_loop_table_body(table, body), functions);
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
