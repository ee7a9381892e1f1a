/*
 * make_run SCENARIO PATH: writes a run directory by name of its scenario, for the
 * end-to-end tests of the commands. The hostile ones read names from the standard
 * input, each ended by a zero.
 */
#include <stdio.h>
#include <string.h>

#include "ring_run.h"
#include "support/test_calls.h"
#include "support/test_run.h"
#include "timed_run.h"

enum { RANKS = 16, ITERATIONS = 16, BUG_RANK = 5, BUG_ITERATION = 7 };

static void call(DtTestThread *thread, const char *function)
{
    dt_test_thread_call(thread, function);
    dt_test_thread_return(thread);
}

static DtTestThread *main_thread(DtTestRun *run, int rank, const char *executable)
{
    DtTestProcess *process = dt_test_run_process(run, rank);
    process->executable = executable;
    process->arguments = executable;
    return dt_test_process_thread(process, DT_THREAD_APP, 0);
}

/* ---- odd/even sort ----------------------------------------------------------------- */

/* Phases in which a rank has a partner: the first and the last one sit out every other time. */
static int phases_of(int rank, int ranks)
{
    return rank == 0 || rank == ranks - 1 ? ranks / 2 : ranks;
}

static void begin_sort(DtTestThread *thread)
{
    dt_test_thread_call(thread, "main");
    call(thread, "MPI_Init");
    call(thread, "MPI_Comm_rank");
    call(thread, "MPI_Comm_size");
    dt_test_thread_call(thread, "oddEvenSort");
}

static void exchange(DtTestThread *thread, gboolean send_first)
{
    call(thread, send_first ? "MPI_Send" : "MPI_Recv");
    call(thread, send_first ? "MPI_Recv" : "MPI_Send");
    call(thread, "memcpy");
}

static void end_sort(DtTestThread *thread)
{
    dt_test_thread_return(thread);
    call(thread, "MPI_Finalize");
    dt_test_thread_return(thread);
}

static void write_sort(DtTestRun *run, int ranks, int swap_rank)
{
    for (int rank = 0; rank < ranks; rank++) {
        DtTestThread *thread = main_thread(run, rank, "./oddeven");
        begin_sort(thread);
        for (int i = 0; i < phases_of(rank, ranks); i++)
            exchange(thread, (rank % 2 == 0) != (rank == swap_rank && i >= BUG_ITERATION));
        end_sort(thread);
    }
}

static void write_oddeven4(DtTestRun *run)
{
    write_sort(run, 4, -1);
}

static void write_normal(DtTestRun *run)
{
    write_sort(run, RANKS, -1);
}

static void write_swapbug(DtTestRun *run)
{
    write_sort(run, RANKS, BUG_RANK);
}

/* The further from the culprit, the later a rank gets stuck; each in the exchange that needs its neighbour. */
static void write_deadlock(DtTestRun *run)
{
    run->exit_status = 124;
    run->timed_out = TRUE;
    for (int rank = 0; rank < RANKS; rank++) {
        DtTestThread *thread = main_thread(run, rank, "./oddeven");
        thread->finish = FALSE;
        begin_sort(thread);
        int distance = rank > BUG_RANK ? rank - BUG_RANK : BUG_RANK - rank;
        int done = MIN(BUG_ITERATION + distance, phases_of(rank, RANKS) - 1);
        for (int i = 0; i < done; i++)
            exchange(thread, rank % 2 == 0);
        if (rank == BUG_RANK || rank % 2 == 0)
            call(thread, rank == BUG_RANK ? "MPI_Recv" : "MPI_Send");
        dt_test_thread_call(thread, "MPI_Recv");
    }
}

/* A thousand ranks in pairs; the faulty one and its partner end in a receive, all others in the barrier after it. */
static void write_many_ranks(DtTestRun *run, int bad_rank)
{
    enum { MANY = 1000 };
    for (int rank = 0; rank < MANY; rank++) {
        DtTestThread *thread = main_thread(run, rank, "./pairs");
        const gboolean is_stuck = bad_rank >= 0 && rank / 2 == bad_rank / 2;
        begin_sort(thread);
        for (int i = 0; i < (is_stuck ? BUG_ITERATION : ITERATIONS); i++)
            exchange(thread, rank % 2 == 0);
        if (bad_rank < 0) {
            call(thread, "MPI_Barrier");
            end_sort(thread);
            continue;
        }
        thread->finish = FALSE;
        if (is_stuck && rank != bad_rank)
            call(thread, "MPI_Send");
        dt_test_thread_call(thread, is_stuck ? "MPI_Recv" : "MPI_Barrier");
    }
}

static void write_many_ranks_normal(DtTestRun *run)
{
    write_many_ranks(run, -1);
}

static void write_many_ranks_faulty(DtTestRun *run)
{
    run->exit_status = 124;
    run->timed_out = TRUE;
    write_many_ranks(run, 516);
}

/* ---- threads ------------------------------------------------------------------------- */

static void write_workers(DtTestRun *run, int bad_rank, guint32 bad_thread)
{
    for (int rank = 0; rank < 4; rank++) {
        DtTestProcess *process = dt_test_run_process(run, rank);
        DtTestThread *main_one = dt_test_process_thread(process, DT_THREAD_APP, 0);
        dt_test_thread_events(main_one, "main MPI_Init < GOMP_parallel < MPI_Allreduce < MPI_Finalize < <");
        for (guint32 number = 1; number <= 4; number++) {
            DtTestThread *worker = dt_test_process_thread(process, DT_THREAD_APP, number);
            for (int i = 0; i < 5; i++) {
                gboolean critical = rank != bad_rank || number != bad_thread;
                dt_test_thread_events(worker, critical ? "CPU_Exec < GOMP_critical_start < memcpy < GOMP_critical_end <"
                                                       : "CPU_Exec < memcpy <");
            }
        }
    }
}

static void write_workers_normal(DtTestRun *run)
{
    write_workers(run, -1, 0);
}

static void write_workers_faulty(DtTestRun *run)
{
    write_workers(run, 2, 3);
}

/* ---- shapes ------------------------------------------------------------------------------ */

static void write_calls(DtTestRun *run)
{
    DtTestProcess *process = dt_test_run_process(run, -1);
    DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, 0);
    dt_test_thread_events(thread, "main fib fib < fib < < helper#1 < helper#2 < puts@plt < MPI_Send < PMPI_Send < "
                                  "MPI_Barrier");
}

/* Ranks that no other scenario has. */
static void write_elsewhere(DtTestRun *run)
{
    for (int rank = 100; rank < 102; rank++)
        dt_test_thread_events(main_thread(run, rank, "./other"), "main work < <");
}

/* Nothing was recorded: recording was never switched on. */
static void write_silent(DtTestRun *run)
{
    for (int rank = 0; rank < 2; rank++)
        main_thread(run, rank, "./sort");
}

/* Each process with a thread that the MPI library made for itself. */
static void write_threads_of_libraries(DtTestRun *run, const char *events)
{
    for (int rank = 0; rank < 4; rank++) {
        DtTestProcess *process = dt_test_run_process(run, rank);
        DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, 0);
        begin_sort(thread);
        for (int i = 0; i < phases_of(rank, 4); i++)
            exchange(thread, rank % 2 == 0);
        end_sort(thread);
        dt_test_thread_events(dt_test_process_thread(process, DT_THREAD_LIBRARY, 0), events);
    }
}

static void write_library_threads(DtTestRun *run)
{
    write_threads_of_libraries(run, "pthread_mutex_lock < pthread_mutex_unlock < pthread_cond_wait");
}

static void write_idle_library_threads(DtTestRun *run)
{
    write_threads_of_libraries(run, "pthread_mutex_lock < pthread_mutex_unlock <");
}

/* One rank is gone, one is new. */
static void write_shifted(DtTestRun *run)
{
    for (int rank = 1; rank <= 4; rank++) {
        DtTestThread *thread = main_thread(run, rank, "./oddeven");
        begin_sort(thread);
        for (int i = 0; i < 4; i++)
            exchange(thread, rank % 2 == 0);
        end_sort(thread);
    }
}

static void write_crashed(DtTestRun *run)
{
    write_sort(run, 4, -1);
    DtTestProcess *process = dt_test_run_process(run, 4);
    process->end_state = DT_PROCESS_SIGNAL;
    process->end_status = 11;
    dt_test_thread_events(dt_test_process_thread(process, DT_THREAD_APP, 0), "main MPI_Init < solve");
}

/* Ids above 65533 take three words each. */
static void write_many_functions(DtTestRun *run)
{
    enum { FUNCTIONS = 65600 };
    DtTestProcess *process = dt_test_run_process(run, 0);
    DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, 0);
    for (int i = 0; i < FUNCTIONS; i++) {
        char name[16];
        g_snprintf(name, sizeof name, "f%d", i);
        call(thread, name);
    }
}

static void write_deep(DtTestRun *run)
{
    DtTestThread *thread = main_thread(run, 0, "./deep");
    for (int i = 0; i < 100000; i++)
        dt_test_thread_call(thread, "recurse");
}

/* A function with a name that text formats and markup must not choke on. */
static void write_odd_names(DtTestRun *run)
{
    for (int rank = 0; rank < 3; rank++) {
        DtTestThread *thread = main_thread(run, rank, "./odd \"names\" <&>");
        dt_test_thread_call(thread, "operator<<\\N\"&");
        call(thread, "_ZNSt6vectorIiSaIiEE9push_backERKi");
        call(thread, "bad\xff"
                     "utf8");
        dt_test_thread_return(thread);
    }
}

static void write_different(DtTestRun *run)
{
    for (int rank = 0; rank < 3; rank++) {
        DtTestThread *thread = main_thread(run, rank, "./different");
        for (int i = 0; i < 900; i++) {
            char name[16];
            g_snprintf(name, sizeof name, rank == 1 && i % 2 == 1 ? "odd%d" : "step%d", i);
            call(thread, name);
        }
    }
}

static void write_same(DtTestRun *run)
{
    for (int rank = 0; rank < 3; rank++) {
        DtTestThread *thread = main_thread(run, rank, "./different");
        for (int i = 0; i < 900; i++) {
            char name[16];
            g_snprintf(name, sizeof name, "step%d", i);
            call(thread, name);
        }
    }
}

/* ---- names that may hold anything ---------------------------------------------------------- */

static GPtrArray *read_names(void)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    GString *name = g_string_new(NULL);
    for (int byte = getchar(); byte != EOF; byte = getchar()) {
        if (byte != 0) {
            g_string_append_c(name, (char)byte);
            continue;
        }
        g_ptr_array_add(names, g_string_free(name, FALSE));
        name = g_string_new(NULL);
    }
    g_string_free(name, TRUE);
    return names;
}

/* A name at any place where a process has one. The host is in the name of a file: no slash. */
static DtTestThread *hostile_thread(DtTestRun *run, int rank, const GPtrArray *names)
{
    DtTestProcess *process = dt_test_run_process(run, rank);
    guint name = (guint)rank + 2;
    g_assert(name < names->len && !strchr(names->pdata[name], '/'));
    process->host = process->executable = process->arguments = names->pdata[name];
    DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, 0);
    thread->name = names->pdata[name];
    return thread;
}

/* Each name is that of a function in an image of that kind, called three times from the first one. */
static void call_all(DtTestThread *thread, const GPtrArray *names, gboolean bad)
{
    static const char *const images[] = {"lib\033[31m\n<b>.so", "=lib\xff\\N&amp;.so", "(2)"};
    for (guint i = 0; i < names->len; i++) {
        g_autofree char *function = g_strdup_printf("%s:%s", images[i % G_N_ELEMENTS(images)], (char *)names->pdata[i]);
        for (int times = bad && i % 7 == 3 ? 2 : 3; times > 0; times--)
            call(thread, function);
        if (i % 9 == 0)
            dt_test_thread_note(thread, DT_NOTE_MARKER, NULL, 0, strlen(names->pdata[i]) < 100 ? names->pdata[i] : "");
        if (bad && i + 1 == names->len)
            dt_test_thread_call(thread, function);
    }
}

static void write_hostile(DtTestRun *run, int bad_rank)
{
    g_autoptr(GPtrArray) names = read_names();
    g_autofree char *outermost = g_strdup_printf("main:%s", (char *)names->pdata[0]);
    for (int rank = 0; rank < 4; rank++) {
        DtTestThread *thread = hostile_thread(run, rank, names);
        dt_test_thread_call(thread, outermost);
        call(thread, "MPI_Init");
        call_all(thread, names, rank == bad_rank);
        if (rank == bad_rank)
            continue;
        call(thread, "MPI_Finalize");
        dt_test_thread_return(thread);
    }
    dt_test_run_flush(run);
}

/* All that is recorded of calls of MPI. */
static void write_arguments(DtTestRun *run)
{
    dt_test_thread_calls(dt_test_process_thread(dt_test_run_process(run, 1), DT_THREAD_APP, 0));
}

static void write_hostile_normal(DtTestRun *run)
{
    write_hostile(run, -1);
}

static void write_hostile_faulty(DtTestRun *run)
{
    write_hostile(run, 2);
}

typedef struct {
    const char *name;
    void (*write)(DtTestRun *run);
} Scenario;

static const Scenario scenarios[] = {
    {"oddeven4", write_oddeven4},
    {"normal", write_normal},
    {"swapbug", write_swapbug},
    {"deadlock", write_deadlock},
    {"many-ranks-normal", write_many_ranks_normal},
    {"many-ranks-faulty", write_many_ranks_faulty},
    {"workers-normal", write_workers_normal},
    {"workers-faulty", write_workers_faulty},
    {"calls", write_calls},
    {"elsewhere", write_elsewhere},
    {"silent", write_silent},
    {"library-threads", write_library_threads},
    {"idle-library-threads", write_idle_library_threads},
    {"shifted", write_shifted},
    {"crashed", write_crashed},
    {"many-functions", write_many_functions},
    {"deep", write_deep},
    {"odd-names", write_odd_names},
    {"hostile-normal", write_hostile_normal},
    {"hostile-faulty", write_hostile_faulty},
    {"arguments", write_arguments},
    {"steps-normal", write_same},
    {"steps-faulty", write_different},
};

static const struct {
    const char *name;
    DtTimedFault fault;
} timed[] = {
    {"timed", {.slow = TRUE}},
    {"timed-normal", {0}},
    {"timed-longer", {.slow = TRUE, .longer = TRUE}},
    {"timed-waiting", {.longer = TRUE}},
};

int main(int argc, char **argv)
{
    for (gsize i = 0; argc == 3 && i < G_N_ELEMENTS(timed); i++) {
        if (strcmp(argv[1], timed[i].name) == 0) {
            dt_write_timed_run(argv[2], &timed[i].fault);
            return 0;
        }
    }
    if (argc == 3 && g_str_has_prefix(argv[1], "ring")) {
        dt_write_ring_run(argv[2], strcmp(argv[1], "ring-hung") == 0, strcmp(argv[1], "ring-untimed") != 0);
        return 0;
    }
    for (gsize i = 0; argc == 3 && i < G_N_ELEMENTS(scenarios); i++) {
        if (strcmp(argv[1], scenarios[i].name) == 0) {
            DtTestRun *run = dt_test_run_new(argv[2]);
            scenarios[i].write(run);
            dt_test_run_finish(run);
            return 0;
        }
    }
    fprintf(stderr, "make_run: SCENARIO PATH; unknown scenario or wrong number of arguments\n");
    return 2;
}
