/* Components against reachability by brute force, on random graphs. */
#include "waitfor/graph.h"

static gboolean *reach(const DtWaitGraph *graph)
{
    guint n = graph->nodes;
    gboolean *reaches = g_new0(gboolean, n * n);
    for (guint i = 0; i < n; i++) {
        reaches[i * n + i] = TRUE;
        for (guint t = 0; t < graph->targets[i]->len; t++)
            reaches[i * n + g_array_index(graph->targets[i], guint, t)] = TRUE;
    }
    for (guint k = 0; k < n; k++)
        for (guint i = 0; i < n; i++)
            for (guint j = 0; j < n; j++)
                reaches[i * n + j] |= reaches[i * n + k] && reaches[k * n + j];
    return reaches;
}

static void check(const DtWaitGraph *graph)
{
    guint count, n = graph->nodes;
    g_autofree guint *components = dt_wait_graph_components(graph, &count);
    g_autofree gboolean *reaches = reach(graph);
    for (guint i = 0; i < n; i++) {
        g_assert_cmpuint(components[i], <, count);
        for (guint j = 0; j < n; j++) {
            gboolean together = reaches[i * n + j] && reaches[j * n + i];
            g_assert_cmpint(components[i] == components[j], ==, together);
            if (reaches[i * n + j])
                g_assert_cmpuint(components[i], >=, components[j]);
        }
    }
}

static void test_random(void)
{
    for (guint round = 0; round < 500; round++) {
        guint nodes = (guint)g_test_rand_int_range(1, 14);
        g_autoptr(DtWaitGraph) graph = dt_wait_graph_new(nodes);
        guint edges = (guint)g_test_rand_int_range(0, (gint)(2 * nodes));
        for (guint e = 0; e < edges; e++)
            dt_wait_graph_add_edge(graph, (guint)g_test_rand_int_range(0, (gint)nodes),
                                   (guint)g_test_rand_int_range(0, (gint)nodes));
        check(graph);
    }
}

static void test_long_path(void)
{
    enum { NODES = 200000 };
    g_autoptr(DtWaitGraph) graph = dt_wait_graph_new(NODES);
    for (guint i = 0; i + 1 < NODES; i++)
        dt_wait_graph_add_edge(graph, i, i + 1);
    guint count;
    g_free(dt_wait_graph_components(graph, &count));
    g_assert_cmpuint(count, ==, NODES);
    dt_wait_graph_add_edge(graph, NODES - 1, 0);
    g_free(dt_wait_graph_components(graph, &count));
    g_assert_cmpuint(count, ==, 1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/waits/graph/random", test_random);
    g_test_add_func("/waits/graph/long-path", test_long_path);
    return g_test_run();
}
