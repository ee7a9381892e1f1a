/* Which labels processes and threads get. */
#include <string.h>

#include "store/store.h"
#include "support/test_run.h"

typedef struct {
    char *path;
    DtTestRun *writer;
} Fixture;

static void set_up(Fixture *fixture, gconstpointer data)
{
    (void)data;
    fixture->path = dt_temporary_directory();
    fixture->writer = dt_test_run_new(fixture->path);
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
    (void)data;
    dt_remove_tree(fixture->path);
    g_free(fixture->path);
}

static DtTestProcess *add_process(Fixture *fixture, gint rank, guint64 start_ns, const char *events)
{
    DtTestProcess *process = dt_test_run_process(fixture->writer, rank);
    process->start_ns = start_ns;
    dt_test_thread_events(dt_test_process_thread(process, DT_THREAD_APP, 0), events);
    return process;
}

/* Labels of all processes as "label=pid", of all traces as they are. */
static char *process_labels(const DtRun *run)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < dt_run_process_count(run); i++) {
        const DtProcess *process = dt_run_process(run, i);
        g_assert_cmpuint(process->index, ==, i);
        g_string_append_printf(text, "%s%s=%u", i ? " " : "", process->label, process->pid);
    }
    return g_string_free(text, FALSE);
}

static char *trace_labels(const DtRun *run)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < dt_run_trace_count(run); i++) {
        const DtTrace *trace = dt_run_trace(run, i);
        g_assert_cmpuint(trace->index, ==, i);
        g_assert_true(dt_run_find_trace(run, trace->label) == trace);
        g_string_append_printf(text, "%s%s", i ? " " : "", trace->label);
    }
    return g_string_free(text, FALSE);
}

static DtRun *finish_and_open(Fixture *fixture)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(GError) error = NULL;
    dt_test_run_finish(fixture->writer);
    DtRun *run = dt_run_open(fixture->path, functions, &error);
    g_assert_no_error(error);
    return run;
}

static void assert_labels(Fixture *fixture, const char *processes, const char *traces, guint problems)
{
    g_autoptr(DtRun) run = finish_and_open(fixture);
    g_autofree char *found_processes = process_labels(run), *found_traces = trace_labels(run);
    g_assert_cmpstr(found_processes, ==, processes);
    g_assert_cmpstr(found_traces, ==, traces);
    g_assert_cmpuint(dt_run_problems(run)->len, ==, problems);
}

static void test_ranks(Fixture *fixture, gconstpointer data)
{
    (void)data;
    add_process(fixture, 2, 10, "main MPI_Init");
    add_process(fixture, 10, 20, "main MPI_Init");
    add_process(fixture, 0, 30, "main MPI_Init");
    assert_labels(fixture, "0=1002 2=1000 10=1001", "0.0 2.0 10.0", 0);
}

/* A shell starts the program, the program starts a helper. */
static void test_wrappers_and_children(Fixture *fixture, gconstpointer data)
{
    (void)data;
    add_process(fixture, 5, 10, "main");
    add_process(fixture, 5, 20, "main MPI_Init");
    add_process(fixture, 5, 30, "main");
    add_process(fixture, 6, 15, "main MPI_Init");
    assert_labels(fixture, "5=1001 5+1=1000 5+2=1002 6=1003", "5.0 5+1.0 5+2.0 6.0", 0);
}

static void test_rank_without_mpi(Fixture *fixture, gconstpointer data)
{
    (void)data;
    add_process(fixture, 5, 30, "main");
    add_process(fixture, 5, 10, "main");
    add_process(fixture, 5, 20, "main");
    assert_labels(fixture, "5=1000 5+1=1001 5+2=1002", "5.0 5+1.0 5+2.0", 0);
}

/* The child of a fork has its parent's flags, and started later. */
static void test_forked_child(Fixture *fixture, gconstpointer data)
{
    (void)data;
    add_process(fixture, 1, 10, "main MPI_Init");
    add_process(fixture, 1, 20, "main")->flags = DT_FILE_FORKED | DT_FILE_MPI_INITIALISED;
    add_process(fixture, 2, 10, "main");
    add_process(fixture, 2, 20, "main")->flags = DT_FILE_FORKED;
    assert_labels(fixture, "1=1000 1+1=1001 2=1002 2+1=1003", "1.0 1+1.0 2.0 2+1.0", 0);
}

static void test_no_ranks(Fixture *fixture, gconstpointer data)
{
    (void)data;
    add_process(fixture, -1, 30, "main");
    add_process(fixture, -1, 10, "main");
    add_process(fixture, -1, 20, "main");
    assert_labels(fixture, "0=1001 1=1002 2=1000", "0.0 1.0 2.0", 0);
}

static void test_some_ranks(Fixture *fixture, gconstpointer data)
{
    (void)data;
    add_process(fixture, -1, 10, "main");
    add_process(fixture, 0, 20, "main MPI_Init");
    add_process(fixture, 3, 20, "main MPI_Init");
    add_process(fixture, -1, 5, "main");
    assert_labels(fixture, "0=1001 3=1002 4=1003 5=1000", "0.0 3.0 4.0 5.0", 0);
}

static void test_threads(Fixture *fixture, gconstpointer data)
{
    (void)data;
    static const guint32 letters[] = {0, 701, 25, 702, 26, 1};
    DtTestProcess *process = dt_test_run_process(fixture->writer, 6);
    for (guint i = 0; i < G_N_ELEMENTS(letters); i++)
        dt_test_thread_events(dt_test_process_thread(process, DT_THREAD_LIBRARY, letters[i]), "poll");
    dt_test_process_thread(process, DT_THREAD_APP, 11);
    dt_test_process_thread(process, DT_THREAD_APP, 0);
    dt_test_process_thread(process, DT_THREAD_APP, 4);
    assert_labels(fixture, "6=1000", "6.0 6.4 6.11 6.a 6.b 6.z 6.aa 6.zz 6.aaa", 0);
}

static void test_same_number_twice(Fixture *fixture, gconstpointer data)
{
    (void)data;
    DtTestProcess *process = dt_test_run_process(fixture->writer, 0);
    dt_test_thread_events(dt_test_process_thread(process, DT_THREAD_APP, 0), "main");
    dt_test_thread_events(dt_test_process_thread(process, DT_THREAD_APP, 1), "one");
    dt_test_thread_events(dt_test_process_thread(process, DT_THREAD_LIBRARY, 0), "poll");
    dt_test_thread_events(dt_test_process_thread(process, DT_THREAD_APP, 1), "two");
    dt_test_thread_events(dt_test_process_thread(process, DT_THREAD_APP, 1), "three");
    dt_test_thread_events(dt_test_process_thread(process, DT_THREAD_LIBRARY, 2), "poll");
    assert_labels(fixture, "0=1000", "0.0 0.1 0.a 0.b 0.c 0.d", 2);
}

static void test_find(Fixture *fixture, gconstpointer data)
{
    (void)data;
    add_process(fixture, 5, 10, "main");
    DtTestProcess *process = add_process(fixture, 5, 20, "main MPI_Init");
    dt_test_thread_events(dt_test_process_thread(process, DT_THREAD_APP, 1), "work");
    g_autoptr(DtRun) run = finish_and_open(fixture);
    g_assert_cmpstr(dt_run_find_trace(run, "5")->label, ==, "5.0");
    g_assert_cmpstr(dt_run_find_trace(run, "5+1")->label, ==, "5+1.0");
    g_assert_cmpstr(dt_run_find_trace(run, "5.1")->label, ==, "5.1");
    static const char *const missing[] = {"", "6", "5.2", "5.0.0", ".", "5.", "x"};
    for (guint i = 0; i < G_N_ELEMENTS(missing); i++)
        g_assert_null(dt_run_find_trace(run, missing[i]));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, function) g_test_add("/store/labels/" name, Fixture, NULL, set_up, function, tear_down)
    ADD("ranks", test_ranks);
    ADD("wrappers-and-children", test_wrappers_and_children);
    ADD("rank-without-mpi", test_rank_without_mpi);
    ADD("forked-child", test_forked_child);
    ADD("no-ranks", test_no_ranks);
    ADD("some-ranks", test_some_ranks);
    ADD("threads", test_threads);
    ADD("same-number-twice", test_same_number_twice);
    ADD("find", test_find);
    return g_test_run();
}
