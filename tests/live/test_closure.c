/* Who waits for ever: graphs by hand, and random ones against the definition. */
#include "live/closure.h"

enum { MOST = 8 };

typedef struct {
    DtProcess processes[MOST];
    DtTrace traces[MOST];
    DtWaiter waiters[MOST];
    DtClosureNode nodes[MOST];
    DtWaitFor waits;
    guint count;
} Graph;

/* Every node a process of its own, in no call. */
static Graph *graph_new(guint count)
{
    Graph *graph = g_new0(Graph, 1);
    graph->count = count;
    graph->waits.waiters = g_ptr_array_new();
    for (guint i = 0; i < count; i++) {
        graph->traces[i].process = &graph->processes[i];
        graph->waiters[i] = (DtWaiter){.trace = &graph->traces[i], .mode = DT_WAIT_RUNS};
        graph->waiters[i].waits_for = g_array_new(FALSE, FALSE, sizeof(guint));
        graph->nodes[i] = (DtClosureNode){.is_free = TRUE, .uses_mpi = TRUE};
        g_ptr_array_add(graph->waits.waiters, &graph->waiters[i]);
    }
    return graph;
}

static void graph_free(Graph *graph)
{
    for (guint i = 0; i < graph->count; i++)
        g_array_unref(graph->waiters[i].waits_for);
    g_ptr_array_unref(graph->waits.waiters);
    g_free(graph);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Graph, graph_free)

static void wait_for(Graph *graph, guint node, DtWaitMode mode, const char *call, guint target)
{
    graph->waiters[node].mode = mode;
    graph->waiters[node].call = call;
    graph->nodes[node].is_free = FALSE;
    if (target < graph->count)
        g_array_append_val(graph->waiters[node].waits_for, target);
}

static void assert_stuck(const Graph *graph, const char *expected)
{
    g_autofree gboolean *found = dt_closure_find(&graph->waits, graph->nodes);
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < graph->count; i++)
        g_string_append_c(text, found[i] ? 'x' : '.');
    g_assert_cmpstr(text->str, ==, expected);
}

static void test_cycle(void)
{
    g_autoptr(Graph) graph = graph_new(4);
    wait_for(graph, 0, DT_WAIT_FOR_ALL, "MPI_Recv", 1);
    wait_for(graph, 1, DT_WAIT_FOR_ALL, "MPI_Recv", 0);
    wait_for(graph, 2, DT_WAIT_FOR_ALL, "MPI_Recv", 1);
    assert_stuck(graph, "xxx.");
    wait_for(graph, 1, DT_WAIT_FOR_ANY, "MPI_Recv", 3);
    assert_stuck(graph, "....");
}

/* The others wait for each other, and for node 0, which runs. */
static void test_what_is_needed(void)
{
    g_autoptr(Graph) graph = graph_new(3);
    g_autoptr(GArray) needs = g_array_new(FALSE, FALSE, sizeof(guint));
    const guint runs = 0, waits = 2;
    for (guint target = 0; target < 3; target++)
        if (target != 1)
            wait_for(graph, 1, DT_WAIT_FOR_ALL, "MPI_Bcast", target);
    wait_for(graph, 2, DT_WAIT_FOR_ALL, "MPI_Recv", 1);
    assert_stuck(graph, ".xx");
    graph->waiters[1].by_some = TRUE;
    assert_stuck(graph, "...");
    graph->waiters[1].needs = needs;
    g_array_append_val(needs, runs);
    assert_stuck(graph, "...");
    g_array_append_val(needs, waits);
    assert_stuck(graph, ".xx");
    graph->waiters[1].may_end = TRUE;
    assert_stuck(graph, "...");
}

static void test_one_who_runs(void)
{
    g_autoptr(Graph) graph = graph_new(3);
    wait_for(graph, 1, DT_WAIT_FOR_ALL, "MPI_Barrier", 0);
    wait_for(graph, 2, DT_WAIT_FOR_ALL, "MPI_Barrier", 0);
    assert_stuck(graph, "...");
    graph->waiters[0].mode = DT_WAIT_ENDED;
    graph->nodes[0].is_free = FALSE;
    assert_stuck(graph, ".xx");
}

static void test_nobody_known(void)
{
    g_autoptr(Graph) graph = graph_new(2);
    wait_for(graph, 0, DT_WAIT_FOR_ALL, "MPI_Wait", MOST);
    wait_for(graph, 1, DT_WAIT_FOR_ANY, "MPI_Waitany", MOST);
    assert_stuck(graph, "..");
}

/* It waits for anybody who can come. */
static void test_unclear(void)
{
    g_autoptr(Graph) graph = graph_new(3);
    wait_for(graph, 0, DT_WAIT_FOR_ALL, "MPI_Waitall", MOST);
    wait_for(graph, 1, DT_WAIT_FOR_ALL, "MPI_Recv", 0);
    graph->nodes[0].is_unclear = TRUE;
    assert_stuck(graph, "...");
    graph->nodes[2].is_free = FALSE;
    graph->nodes[2].is_idle = TRUE;
    assert_stuck(graph, "xx.");
    graph->nodes[2].is_idle = FALSE;
    wait_for(graph, 2, DT_WAIT_FOR_ALL, "MPI_Wait", MOST);
    assert_stuck(graph, "...");
}

/* Rank 0 has a thread that runs: it can send what rank 1 waits for, if it uses MPI; not give back the lock of another.
 */
static void test_threads_of_a_process(void)
{
    g_autoptr(Graph) graph = graph_new(3);
    graph->traces[1].process = &graph->processes[0];
    graph->traces[1].thread = 1;
    wait_for(graph, 0, DT_WAIT_FOR_ALL, "MPI_Recv", 2);
    wait_for(graph, 2, DT_WAIT_FOR_ALL, "MPI_Recv", 0);
    assert_stuck(graph, "...");
    graph->nodes[1].uses_mpi = FALSE;
    assert_stuck(graph, "x.x");
    graph->nodes[1].uses_mpi = TRUE;
    graph->nodes[1].is_free = FALSE;
    graph->nodes[1].is_idle = TRUE;
    assert_stuck(graph, "x.x");
    graph->nodes[1].is_free = TRUE;
    graph->nodes[1].is_idle = FALSE;
    wait_for(graph, 0, DT_WAIT_FOR_ALL, "pthread_mutex_lock", 0);
    assert_stuck(graph, "x..");
}

/* The definition: the largest set of waiters, none of whom is released by what is outside the set. */
static guint largest_set(const Graph *graph)
{
    guint best = 0;
    for (guint set = 0; set < 1u << graph->count; set++) {
        gboolean holds = TRUE;
        for (guint node = 0; node < graph->count && holds; node++) {
            const DtWaiter *waiter = &graph->waiters[node];
            if (!(set >> node & 1))
                continue;
            guint outside = 0;
            for (guint i = 0; i < waiter->waits_for->len; i++) {
                guint target = g_array_index(waiter->waits_for, guint, i);
                gboolean ends = graph->waiters[target].mode == DT_WAIT_ENDED;
                outside += !(set >> target & 1) && !ends ? 1 : 0;
            }
            gboolean waits = waiter->mode == DT_WAIT_FOR_ALL || waiter->mode == DT_WAIT_FOR_ANY;
            gboolean kept = waiter->mode == DT_WAIT_FOR_ANY ? outside == 0 && waiter->waits_for->len > 0
                                                            : outside < waiter->waits_for->len;
            holds = waits && !graph->nodes[node].is_free && kept;
        }
        best |= holds ? set : 0; /* such sets are closed under union */
    }
    return best;
}

static void test_random(void)
{
    for (guint round = 0; round < 3000; round++) {
        g_autoptr(Graph) graph = graph_new((guint)g_test_rand_int_range(1, MOST + 1));
        for (guint node = 0; node < graph->count; node++) {
            guint what = (guint)g_test_rand_int_range(0, 6);
            if (what == 0)
                continue;
            wait_for(graph, node,
                     what == 1  ? DT_WAIT_ENDED
                     : what < 4 ? DT_WAIT_FOR_ALL
                                : DT_WAIT_FOR_ANY,
                     "MPI_Recv", MOST);
            for (guint edges = what == 1 ? 0 : (guint)g_test_rand_int_range(0, 4); edges > 0; edges--) {
                guint target = (guint)g_test_rand_int_range(0, (gint)graph->count);
                if (target != node)
                    g_array_append_val(graph->waiters[node].waits_for, target);
            }
        }
        g_autofree gboolean *found = dt_closure_find(&graph->waits, graph->nodes);
        guint set = 0;
        for (guint node = 0; node < graph->count; node++)
            set |= found[node] ? 1u << node : 0;
        g_assert_cmpuint(set, ==, largest_set(graph));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/live/closure/cycle", test_cycle);
    g_test_add_func("/live/closure/what-is-needed", test_what_is_needed);
    g_test_add_func("/live/closure/one-who-runs", test_one_who_runs);
    g_test_add_func("/live/closure/nobody-known", test_nobody_known);
    g_test_add_func("/live/closure/unclear", test_unclear);
    g_test_add_func("/live/closure/threads", test_threads_of_a_process);
    g_test_add_func("/live/closure/random", test_random);
    return g_test_run();
}
