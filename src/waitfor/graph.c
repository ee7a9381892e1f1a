#include "waitfor/graph.h"

DtWaitGraph *dt_wait_graph_new(guint nodes)
{
    DtWaitGraph *graph = g_new0(DtWaitGraph, 1);
    for (guint node = 0; node < nodes; node++)
        dt_wait_graph_add_node(graph);
    return graph;
}

void dt_wait_graph_free(DtWaitGraph *graph)
{
    if (!graph)
        return;
    for (guint node = 0; node < graph->nodes; node++)
        g_array_unref(graph->targets[node]);
    g_free(graph->targets);
    g_free(graph);
}

guint dt_wait_graph_add_node(DtWaitGraph *graph)
{
    if ((graph->nodes & (graph->nodes - 1)) == 0) /* full: the capacity doubles */
        graph->targets = g_renew(GArray *, graph->targets, MAX(1, 2 * (gsize)graph->nodes));
    graph->targets[graph->nodes] = g_array_new(FALSE, FALSE, sizeof(guint));
    return graph->nodes++;
}

void dt_wait_graph_add_edge(DtWaitGraph *graph, guint from, guint to)
{
    g_array_append_val(graph->targets[from], to);
}

/* ---- components ----------------------------------------------------------------------- */

typedef struct {
    const DtWaitGraph *graph;
    guint *order;      /* of first sight, from 1; 0: not seen */
    guint *lowest;     /* order of the earliest node on the path that can be reached */
    guint *next;       /* target to be looked at next */
    guint *components; /* G_MAXUINT: none yet */
    guint seen, count;
    GArray *path; /* nodes being looked at (element-type guint) */
    GArray *open; /* nodes without a component (element-type guint) */
} Search;

static guint last_node(const GArray *nodes)
{
    return g_array_index(nodes, guint, nodes->len - 1);
}

static void visit_node(Search *search, guint node)
{
    search->order[node] = search->lowest[node] = ++search->seen;
    g_array_append_val(search->path, node);
    g_array_append_val(search->open, node);
}

static void close_component(Search *search, guint root)
{
    guint node;
    do {
        node = last_node(search->open);
        g_array_set_size(search->open, search->open->len - 1);
        search->components[node] = search->count;
    } while (node != root);
    search->count++;
}

/* Looks at one more target of the last node of the path, or leaves it. */
static void step_search(Search *search)
{
    guint node = last_node(search->path);
    const GArray *targets = search->graph->targets[node];
    if (search->next[node] < targets->len) {
        guint target = g_array_index(targets, guint, search->next[node]++);
        if (search->order[target] == 0)
            visit_node(search, target);
        else if (search->components[target] == G_MAXUINT)
            search->lowest[node] = MIN(search->lowest[node], search->order[target]);
        return;
    }
    if (search->lowest[node] == search->order[node])
        close_component(search, node);
    g_array_set_size(search->path, search->path->len - 1);
    if (search->path->len > 0) {
        guint parent = last_node(search->path);
        search->lowest[parent] = MIN(search->lowest[parent], search->lowest[node]);
    }
}

guint *dt_wait_graph_components(const DtWaitGraph *graph, guint *count)
{
    g_autofree guint *order = g_new0(guint, graph->nodes + 1);
    g_autofree guint *lowest = g_new0(guint, graph->nodes + 1);
    g_autofree guint *next = g_new0(guint, graph->nodes + 1);
    g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(guint));
    guint *components = g_new(guint, graph->nodes + 1);
    for (guint node = 0; node < graph->nodes; node++)
        components[node] = G_MAXUINT;
    Search search = {graph, order, lowest, next, components, 0, 0, path, open};
    for (guint node = 0; node < graph->nodes; node++) {
        if (order[node] == 0)
            visit_node(&search, node);
        while (path->len > 0)
            step_search(&search);
    }
    *count = search.count;
    return components;
}
