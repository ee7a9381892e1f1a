/* Call counts and edges, against counting by a plain table of pairs. */
#include "decoder/decoder.h"
#include "support/random.h"
#include "support/test_run.h"

typedef struct {
    char *path;
    DtFunctions *functions;
} Fixture;

static void set_up(Fixture *fixture, gconstpointer data)
{
    (void)data;
    fixture->path = dt_temporary_directory();
    fixture->functions = dt_functions_new();
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
    (void)data;
    dt_remove_tree(fixture->path);
    g_free(fixture->path);
    dt_functions_unref(fixture->functions);
}

static guint32 id_of(const Fixture *fixture, const char *symbol)
{
    for (guint32 id = 1; id <= dt_functions_count(fixture->functions); id++) {
        if (g_str_equal(dt_functions_get(fixture->functions, id)->symbol, symbol))
            return id;
    }
    return 0;
}

static void test_example(Fixture *fixture, gconstpointer data)
{
    (void)data;
    dt_test_run_single(fixture->path, "main step MPI_Send < < step MPI_Send < MPI_Send < < < < step");
    g_autoptr(DtRun) run = dt_run_open(fixture->path, fixture->functions, NULL);
    g_autoptr(DtStatistics) statistics = dt_statistics_new();
    guint64 events;
    g_assert_true(dt_statistics_add(statistics, run, dt_run_trace(run, 0), 1, &events, NULL));
    g_assert_cmpuint(events, ==, 14);

    guint32 main_id = id_of(fixture, "main"), step = id_of(fixture, "step"), send = id_of(fixture, "MPI_Send");
    g_assert_cmpuint(dt_statistics_calls(statistics, main_id), ==, 1);
    g_assert_cmpuint(dt_statistics_calls(statistics, step), ==, 3);
    g_assert_cmpuint(dt_statistics_calls(statistics, send), ==, 3);
    g_assert_cmpuint(dt_statistics_calls(statistics, 12345), ==, 0);

    g_autoptr(GArray) edges = dt_statistics_edges(statistics);
    const DtCallEdge expected[] = {{step, send, 3}, {main_id, step, 2}, {0, main_id, 1}, {0, step, 1}};
    g_assert_cmpuint(edges->len, ==, G_N_ELEMENTS(expected));
    for (guint i = 0; i < edges->len; i++) {
        const DtCallEdge *edge = &g_array_index(edges, DtCallEdge, i);
        g_assert_cmpuint(edge->caller, ==, expected[i].caller);
        g_assert_cmpuint(edge->callee, ==, expected[i].callee);
        g_assert_cmpuint(edge->calls, ==, expected[i].calls);
    }
}

enum { FUNCTIONS = 60 };

/* Writes a random thread and counts its calls into `pairs`, caller 0 = top level. */
static void add_random_thread(GRand *random, DtTestProcess *process, guint32 number,
                              guint64 pairs[FUNCTIONS + 1][FUNCTIONS + 1])
{
    DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, number);
    g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < 20000; i++) {
        if (g_rand_boolean(random)) {
            guint which = 1 + (guint)g_rand_int_range(random, 0, FUNCTIONS);
            guint caller = open->len > 0 ? g_array_index(open, guint, open->len - 1) : 0;
            g_autofree char *name = g_strdup_printf("f%u", which);
            dt_test_thread_call(thread, name);
            pairs[caller][which]++;
            g_array_append_val(open, which);
        } else {
            dt_test_thread_return(thread);
            g_array_set_size(open, MAX(open->len, 1) - 1);
        }
    }
}

static void test_against_table(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autoptr(GRand) random = dt_test_random();
    static guint64 pairs[FUNCTIONS + 1][FUNCTIONS + 1];
    DtTestRun *writer = dt_test_run_new(fixture->path);
    DtTestProcess *process = dt_test_run_process(writer, 0);
    for (guint32 i = 0; i < 3; i++)
        add_random_thread(random, process, i, pairs);
    dt_test_run_finish(writer);

    g_autoptr(DtRun) run = dt_run_open(fixture->path, fixture->functions, NULL);
    g_autoptr(DtStatistics) statistics = dt_statistics_new();
    for (guint i = 0; i < dt_run_trace_count(run); i++) {
        guint64 events;
        g_assert_true(dt_statistics_add(statistics, run, dt_run_trace(run, i), 1, &events, NULL));
        g_assert_cmpuint(events, ==, 20000);
    }
    g_autoptr(GArray) edges = dt_statistics_edges(statistics);
    for (guint i = 0; i < edges->len; i++) {
        const DtCallEdge *edge = &g_array_index(edges, DtCallEdge, i);
        const char *callee = dt_functions_get(fixture->functions, edge->callee)->symbol;
        const char *caller = edge->caller ? dt_functions_get(fixture->functions, edge->caller)->symbol : "f0";
        guint64 *expected = &pairs[g_ascii_strtoull(caller + 1, NULL, 10)][g_ascii_strtoull(callee + 1, NULL, 10)];
        g_assert_cmpuint(edge->calls, ==, *expected);
        *expected = 0;
        if (i > 0)
            g_assert_cmpuint(edge[-1].calls, >=, edge->calls);
    }
    for (guint i = 0; i < G_N_ELEMENTS(pairs) * G_N_ELEMENTS(pairs[0]); i++)
        g_assert_cmpuint(pairs[i / G_N_ELEMENTS(pairs[0])][i % G_N_ELEMENTS(pairs[0])], ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/decoder/statistics/example", Fixture, NULL, set_up, test_example, tear_down);
    g_test_add("/decoder/statistics/against-table", Fixture, NULL, set_up, test_against_table, tear_down);
    return g_test_run();
}
