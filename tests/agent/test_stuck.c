/* Whether a job on another host is stuck, by what the agent there tells: a synthetic run in which rank 0 is in
 * MPI_Finalize, to which rank 1 can never come. */
#include "agent/messages.h"
#include "live/live.h"
#include "support/test_run.h"

enum { PATIENCE_US = 200 * 1000, LOOK_US = 50 * 1000, START_NS = 1000, PID = 77 };

typedef struct {
    char *path;
    DtLive *live;
    DtStuck *stuck;
    guint64 words; /* of rank 0 */
    gint64 begin_us;
} Job;

static void job_init(Job *job)
{
    g_autoptr(GError) error = NULL;
    job->path = dt_temporary_directory();
    DtTestRun *run = dt_test_run_new(job->path);
    run->finished = FALSE;
    for (gint rank = 0; rank < 2; rank++) {
        DtTestProcess *process = dt_test_run_process(run, rank);
        process->host = "elsewhere";
        process->pid = (guint)(PID + rank);
        process->start_ns = START_NS;
        DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, 0);
        dt_test_thread_events(thread, rank == 0 ? "main MPI_Init < MPI_Finalize" : "main MPI_Init < <");
        if (rank > 0)
            continue;
        process->end_state = DT_PROCESS_RUNNING;
        process->sealed = FALSE;
        thread->end_state = DT_THREAD_RUNNING;
        thread->finish = FALSE;
    }
    dt_test_run_finish(run);
    job->words = 4;
    job->live = dt_live_open(job->path, &error);
    g_assert_no_error(error);
    job->stuck = dt_stuck_new(job->live, (gdouble)PATIENCE_US / G_USEC_PER_SEC);
    job->begin_us = g_get_monotonic_time();
}

static void job_clear(Job *job)
{
    dt_stuck_free(job->stuck);
    dt_live_free(job->live);
    dt_remove_tree(job->path);
    g_free(job->path);
}

/* What the agent tells of rank 0's thread, as it comes through the network. */
static void tell(const Job *job, DtKernelThread kernel)
{
    GArray *processes = dt_node_processes_new();
    g_auto(DtAgentMessage) report = {.kind = DT_MESSAGE_REPORT, .processes = processes}, heard = {0};
    DtNodeProcess process = {PID, START_NS, FALSE, g_array_new(FALSE, TRUE, sizeof(DtNodeThread))};
    const DtNodeThread thread = {.number = 0, .tid = PID, .words = job->words, .kernel = kernel};
    g_array_append_val(process.threads, thread);
    g_array_append_val(processes, process);
    g_autoptr(GByteArray) bytes = dt_message_encode(&report);
    g_assert_true(dt_message_decode(bytes->data, bytes->len, &heard, NULL));
    dt_live_hear(job->live, "elsewhere", heard.processes);
}

/* `queued`: of each second it waits so much for a processor; reports come every `period_us`. The state after so many
 * times the patience, at most. */
static DtJobState look_for(const Job *job, gdouble queued, gint64 period_us, guint patiences)
{
    DtJobState state = DT_JOB_GOES_ON;
    const gint64 begin = g_get_monotonic_time();
    gint64 told_us = 0;
    for (gint64 now = begin; state == DT_JOB_GOES_ON && now - begin < patiences * PATIENCE_US;
         now = g_get_monotonic_time()) {
        const guint64 elapsed = (guint64)(now - job->begin_us), waited = (guint64)(queued * (gdouble)elapsed);
        const DtKernelThread kernel = {.is_known = TRUE,
                                       .state = 'R',
                                       .microseconds = elapsed - waited,
                                       .queued_us = waited,
                                       .slices = 1 + elapsed / G_USEC_PER_SEC};
        if (now - told_us >= period_us)
            tell(job, kernel);
        told_us = now - told_us >= period_us ? now : told_us;
        dt_live_refresh(job->live);
        state = dt_stuck_look(job->stuck);
        g_usleep(LOOK_US);
    }
    return state;
}

static void test_stands_still(void)
{
    Job job;
    job_init(&job);
    g_assert_cmpint(look_for(&job, 0, 0, 20), ==, DT_JOB_STUCK);
    job_clear(&job);
}

/* Of what it did not get a processor for nobody can say that it does not come. */
static void test_waits_for_a_processor(void)
{
    Job job;
    job_init(&job);
    g_assert_cmpint(look_for(&job, 0.95, 2 * PATIENCE_US, 7), ==, DT_JOB_GOES_ON);
    job_clear(&job);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/stuck/stands-still", test_stands_still);
    g_test_add_func("/agent/stuck/waits-for-a-processor", test_waits_for_a_processor);
    return g_test_run();
}
