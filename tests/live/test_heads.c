/* Runs that are watched while the collector seals their files. */
#include <unistd.h>

#include "live/live.h"
#include "store/sealed/sealed_writer.h"
#include "support/test_run.h"

enum { NO_PROCESS = 0x7ffffff0 /* more than any kernel gives out */ };

static void write_run(const char *path)
{
    DtTestRun *writer = dt_test_run_new(path);
    DtTestProcess *process = dt_test_run_process(writer, 0);
    process->host = g_get_host_name();
    process->pid = NO_PROCESS;
    process->end_state = DT_PROCESS_RUNNING;
    dt_test_thread_events(dt_test_process_thread(process, DT_THREAD_APP, 0), "main MPI_Init < MPI_Recv");
    dt_test_run_finish(writer);
}

static void assert_one_ended(DtLive *live)
{
    guint ended;
    g_autoptr(GError) error = NULL;
    dt_live_refresh(live);
    g_assert_cmpuint(dt_live_process_count(live, &ended), ==, 1);
    g_assert_cmpuint(ended, ==, 1);
    DtRun *run = dt_live_run(live, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(dt_run_problems(run)->len, ==, 0);
    g_assert_cmpuint(dt_run_trace_count(run), ==, 1);
}

static void test_sealed_meanwhile(void)
{
    g_autofree char *path = dt_temporary_directory();
    g_autoptr(GError) error = NULL;
    write_run(path);
    DtLive *before = dt_live_open(path, &error);
    g_assert_no_error(error);
    assert_one_ended(before);
    dt_run_shrink(path);
    assert_one_ended(before);
    DtLive *after = dt_live_open(path, &error);
    g_assert_no_error(error);
    assert_one_ended(after);
    assert_one_ended(after);
    dt_live_free(before);
    dt_live_free(after);
    dt_remove_tree(path);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/live/heads/sealed-meanwhile", test_sealed_meanwhile);
    return g_test_run();
}
