/* Whole runs: every trace filtered and folded, the same whatever the number of threads. */
#include <glib/gstdio.h>
#include <string.h>

#include "nlr/fold_pass.h"
#include "support/test_run.h"
#include "support/thread_members.h"

static const guint SEED = 20240611;
enum { RANKS = 12, THREADS = 3, LENGTH = 2000 };

/* ---- a run of random programs ---------------------------------------------------------- */

/* Calls of one thread: main open until the end, f0..f7 in random loops. */
static void write_thread(DtTestThread *thread, GRand *random)
{
    dt_test_thread_call(thread, "main");
    for (guint written = 0; written < LENGTH;) {
        guint body[5];
        guint length = (guint)g_rand_int_range(random, 1, 6);
        guint times = (guint)g_rand_int_range(random, 1, 30);
        for (guint i = 0; i < length; i++)
            body[i] = (guint)g_rand_int_range(random, 0, 8);
        for (guint i = 0; i < times * length; i++) {
            g_autofree char *name = g_strdup_printf("f%u", body[i % length]);
            dt_test_thread_call(thread, name);
            dt_test_thread_return(thread);
        }
        written += times * length;
    }
}

static void write_run(const char *path)
{
    g_test_message("seed %u", SEED);
    g_autoptr(GRand) random = g_rand_new_with_seed(SEED);
    DtTestRun *writer = dt_test_run_new(path);
    for (gint rank = 0; rank < RANKS; rank++) {
        DtTestProcess *process = dt_test_run_process(writer, rank);
        for (guint32 thread = 0; thread < THREADS; thread++)
            write_thread(dt_test_process_thread(process, DT_THREAD_APP, thread), random);
    }
    dt_test_run_finish(writer);
}

typedef struct {
    char *directory, *path;
    DtFunctions *functions;
    DtRun *run;
} Fixture;

static void open_run(Fixture *fixture)
{
    g_autoptr(GError) error = NULL;
    fixture->functions = dt_functions_new();
    fixture->run = dt_run_open(fixture->path, fixture->functions, &error);
    g_assert_no_error(error);
}

static void set_up(Fixture *fixture, gconstpointer data)
{
    (void)data;
    fixture->directory = dt_temporary_directory();
    fixture->path = g_build_filename(fixture->directory, "run", NULL);
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
    (void)data;
    dt_run_free(fixture->run);
    dt_functions_unref(fixture->functions);
    dt_remove_tree(fixture->directory);
    g_free(fixture->directory);
    g_free(fixture->path);
}

static DtFilterSet *compile(const Fixture *fixture, const char *text)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtFilter) filter = dt_filter_parse(text, &error);
    g_assert_no_error(error);
    DtFilterSet *set = dt_filter_compile(filter, fixture->functions, &error);
    g_assert_no_error(error);
    return set;
}

static GPtrArray *fold(const Fixture *fixture, const DtFilterSet *set, guint jobs, DtLoopTable *table)
{
    g_autoptr(GError) error = NULL;
    GPtrArray *folded = dt_nlr_fold_run(fixture->run, set, 50, 2, jobs, table, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(folded->len, ==, dt_run_trace_count(fixture->run));
    return folded;
}

/* All NLRs, what was left open, and all bodies, by their names. */
static char *list_folded(const GPtrArray *folded, const DtLoopTable *table, const Fixture *fixture)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < folded->len; i++) {
        const DtFoldedTrace *trace = folded->pdata[i];
        g_autofree char *elements = dt_elements_text(dt_nlr_elements(trace->nlr), fixture->functions);
        g_string_append_printf(text, "%s: %s", trace->trace->label, elements);
        for (guint k = 0; k < trace->open->len; k++)
            g_string_append_printf(text, " open %u", g_array_index(trace->open, guint32, k));
        g_string_append_printf(text, " %s\n", trace->problem ? trace->problem : "");
    }
    for (guint32 body = 0; body < dt_loop_table_count(table); body++) {
        g_autofree char *elements = dt_elements_text(dt_loop_table_body(table, body), fixture->functions);
        g_string_append_printf(text, "L%u = [%s]\n", body, elements);
    }
    return g_string_free(text, FALSE);
}

static char *listing(const Fixture *fixture, const DtFilterSet *set, guint jobs)
{
    g_autoptr(DtLoopTable) table = dt_loop_table_new();
    g_autoptr(GPtrArray) folded = fold(fixture, set, jobs, table);
    return list_folded(folded, table, fixture);
}

/* ---- tests -------------------------------------------------------------------------------- */

static void test_threads(Fixture *fixture, gconstpointer data)
{
    (void)data;
    static const guint jobs[] = {2, 3, 8, 100, 0};
    write_run(fixture->path);
    open_run(fixture);
    g_assert_cmpuint(dt_run_trace_count(fixture->run), ==, RANKS * THREADS);
    static const char *const filters[] = {"11.all", "01.all", "cust:^f[0-5]$"};
    for (guint i = 0; i < G_N_ELEMENTS(filters); i++) {
        g_autoptr(DtFilterSet) set = compile(fixture, filters[i]);
        g_autofree char *alone = listing(fixture, set, 1);
        g_assert_nonnull(strstr(alone, "L100 = ["));
        for (guint j = 0; j < G_N_ELEMENTS(jobs); j++) {
            g_autofree char *together = listing(fixture, set, jobs[j]);
            g_assert_cmpstr(together, ==, alone);
        }
    }
}

static void append_symbols(const guint32 *symbols, gsize count, gpointer array)
{
    g_array_append_vals(array, symbols, (guint)count);
}

/* Every NLR expands to what the filter gives for its trace. */
static void test_lossless(Fixture *fixture, gconstpointer data)
{
    (void)data;
    write_run(fixture->path);
    open_run(fixture);
    g_autoptr(DtFilterSet) set = compile(fixture, "01.all");
    g_autoptr(DtLoopTable) table = dt_loop_table_new();
    g_autoptr(GPtrArray) folded = fold(fixture, set, 2, table);
    for (guint i = 0; i < folded->len; i++) {
        const DtFoldedTrace *trace = folded->pdata[i];
        g_autoptr(GArray) filtered = g_array_new(FALSE, FALSE, sizeof(guint32));
        g_autoptr(GArray) expanded = g_array_new(FALSE, FALSE, sizeof(guint32));
        g_autoptr(GError) error = NULL;
        dt_filter_run(set, fixture->run, trace->trace, append_symbols, filtered, NULL, NULL, &error);
        g_assert_no_error(error);
        dt_nlr_expand(table, dt_nlr_elements(trace->nlr), append_symbols, expanded);
        g_assert_cmpuint(filtered->len, >, 2 * LENGTH);
        g_assert_cmpuint(expanded->len, ==, filtered->len);
        g_assert_true(memcmp(expanded->data, filtered->data, filtered->len * sizeof(guint32)) == 0);
        g_assert_cmpuint(dt_nlr_elements(trace->nlr).length, <, filtered->len / 2);
        g_assert_null(trace->problem);
    }
}

/* Kept calls that never returned, outermost first. */
static void test_open_calls(Fixture *fixture, gconstpointer data)
{
    (void)data;
    DtTestRun *writer = dt_test_run_new(fixture->path);
    DtTestProcess *stuck = dt_test_run_process(writer, 0);
    dt_test_thread_events(dt_test_process_thread(stuck, DT_THREAD_APP, 0),
                          "main MPI_Init < sort MPI_Send < MPI_Recv < MPI_Send < MPI_Recv < MPI_Recv");
    DtTestProcess *finished = dt_test_run_process(writer, 1);
    dt_test_thread_events(dt_test_process_thread(finished, DT_THREAD_APP, 0), "main MPI_Init < MPI_Finalize < <");
    dt_test_run_finish(writer);
    open_run(fixture);
    g_autoptr(DtFilterSet) set = compile(fixture, "mpiall");
    g_autoptr(DtLoopTable) table = dt_loop_table_new();
    g_autoptr(GPtrArray) folded = fold(fixture, set, 2, table);
    const DtFoldedTrace *first = folded->pdata[0], *second = folded->pdata[1];
    g_autofree char *first_text = dt_elements_text(dt_nlr_elements(first->nlr), fixture->functions);
    g_autofree char *second_text = dt_elements_text(dt_nlr_elements(second->nlr), fixture->functions);
    g_assert_cmpstr(first_text, ==, "MPI_Init L0^2 MPI_Recv");
    g_assert_cmpstr(second_text, ==, "MPI_Init MPI_Finalize");
    g_assert_cmpuint(first->open->len, ==, 1);
    g_autofree char *open = dt_element_name(g_array_index(first->open, guint32, 0), fixture->functions);
    g_assert_cmpstr(open, ==, "MPI_Recv");
    g_assert_cmpuint(second->open->len, ==, 0);
}

/* A trace whose file went after the run was opened is empty and says so; without any trace left it is an error. */
static void test_unreadable(Fixture *fixture, gconstpointer data)
{
    (void)data;
    char *files[2];
    DtTestRun *writer = dt_test_run_new(fixture->path);
    for (gint rank = 0; rank < 2; rank++) {
        DtTestProcess *process = dt_test_run_process(writer, rank);
        dt_test_thread_events(dt_test_process_thread(process, DT_THREAD_APP, 0), "f < f < f <");
        g_autofree char *name = dt_test_process_file(process);
        files[rank] = g_build_filename(fixture->path, name, NULL);
    }
    dt_test_run_finish(writer);
    open_run(fixture);
    g_autoptr(DtFilterSet) set = compile(fixture, "all");
    g_autoptr(DtLoopTable) table = dt_loop_table_new();
    g_assert_cmpint(g_remove(files[0]), ==, 0);
    g_autoptr(GPtrArray) folded = fold(fixture, set, 2, table);
    const DtFoldedTrace *first = folded->pdata[0], *second = folded->pdata[1];
    g_assert_nonnull(first->problem);
    g_assert_cmpuint(dt_nlr_elements(first->nlr).length, ==, 0);
    g_assert_null(second->problem);
    g_autofree char *text = dt_elements_text(dt_nlr_elements(second->nlr), fixture->functions);
    g_assert_cmpstr(text, ==, "L0^3");
    g_assert_cmpint(g_remove(files[1]), ==, 0);
    g_autoptr(GError) error = NULL;
    g_assert_null(dt_nlr_fold_run(fixture->run, set, 50, 2, 2, table, &error));
    g_assert_nonnull(error);
    g_free(files[0]);
    g_free(files[1]);
}

/* ---- teams -------------------------------------------------------------------------------- */

enum { PLANS = 4 };
static const DtNlrForm forms[PLANS] = {DT_NLR_PLAIN, DT_NLR_PLAIN, DT_NLR_COUNT_BLIND, DT_NLR_CALL_TREE};

typedef struct {
    const Fixture *fixture;
    DtFilterSet *sets[PLANS];
    char *alone[PLANS];
} Teamwork;

static char *with_nodes(char *listing, const DtCallTree *tree, const DtFunctions *functions)
{
    GString *text = g_string_new(listing);
    g_free(listing);
    g_assert_cmpuint(dt_call_tree_count(tree), >, 0);
    for (guint i = 0; i < dt_call_tree_count(tree); i++) {
        const DtCallNode *node = dt_call_tree_node(tree, i);
        g_autofree char *children = dt_elements_text(node->children, functions);
        g_string_append_printf(text, "%s = [%s]\n", dt_functions_get(functions, node->symbol)->name, children);
    }
    return g_string_free(text, FALSE);
}

/* Lists the foldings that a member has under all plans; none if it gets none. Only the root names nodes. */
static void list_as_member(const DtParallel *parallel, const Teamwork *work, char **texts)
{
    DtLoopTable *tables[PLANS];
    DtFoldPlan plans[PLANS];
    g_autoptr(DtCallTree) tree = !parallel || parallel->rank == 0 ? dt_call_tree_new(work->fixture->functions) : NULL;
    for (guint p = 0; p < PLANS; p++) {
        tables[p] = dt_loop_table_new();
        plans[p] = (DtFoldPlan){work->sets[p], 50, 2, tables[p], forms[p], tree, DT_NAMES_ALONE};
    }
    const DtRun *run = work->fixture->run;
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) all = dt_nlr_fold_runs_parallel(parallel, &run, 1, plans, PLANS, 2, NULL, NULL, &error);
    g_assert_no_error(error);
    for (guint p = 0; p < PLANS; p++) {
        texts[p] = all->len > 0 ? list_folded(all->pdata[p], tables[p], work->fixture) : NULL;
        if (texts[p] && forms[p] == DT_NLR_CALL_TREE)
            texts[p] = with_nodes(texts[p], tree, work->fixture->functions);
        dt_loop_table_free(tables[p]);
    }
}

static void fold_as_member(const DtParallel *parallel, gpointer user_data)
{
    const Teamwork *work = user_data;
    char *texts[PLANS];
    list_as_member(parallel, work, texts);
    for (guint p = 0; p < PLANS; p++) {
        g_assert_cmpstr(texts[p], ==, parallel->rank == 0 ? work->alone[p] : NULL);
        g_free(texts[p]);
    }
}

static void remove_a_file(const char *run)
{
    g_autofree char *folder = g_build_filename(run, "processes", NULL);
    g_autoptr(GDir) files = g_dir_open(folder, 0, NULL);
    g_autofree char *first = g_build_filename(folder, g_dir_read_name(files), NULL);
    g_assert_cmpint(g_remove(first), ==, 0);
}

/* What several members make is what one process makes, with a trace in it that cannot be read, and with more members
 * than traces. */
static void test_parallel(Fixture *fixture, gconstpointer data)
{
    (void)data;
    static const guint sizes[] = {1, 2, 3, 4, 7, RANKS * THREADS + 3};
    static const char *const filters[PLANS] = {"01.all", "cust:^f[01]$", "11.all", "11.all"};
    write_run(fixture->path);
    open_run(fixture);
    remove_a_file(fixture->path);
    Teamwork work = {.fixture = fixture};
    for (guint p = 0; p < PLANS; p++)
        work.sets[p] = compile(fixture, filters[p]);
    list_as_member(NULL, &work, work.alone);
    g_autofree char *plain = listing(fixture, work.sets[0], 1);
    g_assert_cmpstr(work.alone[0], ==, plain);
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
        dt_thread_members_run(sizes[i], fold_as_member, &work);
    for (guint p = 0; p < PLANS; p++) {
        dt_filter_set_free(work.sets[p]);
        g_free(work.alone[p]);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/nlr/run/threads", Fixture, NULL, set_up, test_threads, tear_down);
    g_test_add("/nlr/run/lossless", Fixture, NULL, set_up, test_lossless, tear_down);
    g_test_add("/nlr/run/open-calls", Fixture, NULL, set_up, test_open_calls, tear_down);
    g_test_add("/nlr/run/unreadable", Fixture, NULL, set_up, test_unreadable, tear_down);
    g_test_add("/nlr/run/parallel", Fixture, NULL, set_up, test_parallel, tear_down);
    return g_test_run();
}
