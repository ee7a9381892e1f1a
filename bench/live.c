/*
 * bench-live [REFRESHES]: processor time that a watch takes for a refresh of the heads, and for the classes, of runs of
 * several sizes that stand still; and where RUN is given, of that run as it is. See bench/live.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "live/classes.h"
#include "support/test_run.h"

enum { THREADS = 3, FUNCTIONS = 200 };

static gdouble processor_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (gdouble)time.tv_sec * 1e6 + (gdouble)time.tv_nsec / 1e3;
}

/* An application thread and two of libraries a rank, as Open MPI makes them. */
static void write_run(const char *path, gint ranks)
{
    DtTestRun *run = dt_test_run_new(path);
    run->finished = FALSE;
    for (gint rank = 0; rank < ranks; rank++) {
        DtTestProcess *process = dt_test_run_process(run, rank);
        process->host = "elsewhere";
        process->end_state = DT_PROCESS_RUNNING;
        process->sealed = FALSE;
        for (guint f = 0; f < FUNCTIONS; f++) {
            g_autofree char *name = g_strdup_printf("function_%u", f);
            dt_test_process_id(process, name);
        }
        for (guint t = 0; t < THREADS; t++) {
            DtTestThread *thread =
                dt_test_process_thread(process, t == 0 ? DT_THREAD_APP : DT_THREAD_LIBRARY, t == 0 ? 0 : t - 1);
            thread->end_state = DT_THREAD_RUNNING;
            thread->finish = FALSE;
            thread->tail_words = 200;
            dt_test_thread_events(thread, "main step");
            for (guint i = 0; i < 500; i++)
                dt_test_thread_events(thread, "MPI_Send < MPI_Recv <");
            dt_test_thread_events(thread, "MPI_Recv");
        }
    }
    dt_test_run_finish(run);
}

static void measure(const char *path, const char *what, guint refreshes)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtLive) live = dt_live_open(path, &error);
    if (!live) {
        fprintf(stderr, "bench-live: %s\n", error->message);
        exit(1);
    }
    g_autoptr(DtLiveClasses) classes = dt_live_classes_new(live, FALSE);
    const gdouble begin = processor_us();
    dt_live_refresh(live);
    dt_live_classes_update(classes, FALSE, TRUE, NULL);
    const gdouble first = processor_us() - begin;
    gdouble heads = 0, rest = 0;
    for (guint i = 0; i < refreshes; i++) {
        const gdouble before = processor_us();
        dt_live_refresh(live);
        const gdouble between = processor_us();
        dt_live_classes_update(classes, FALSE, FALSE, NULL);
        heads += between - before;
        rest += processor_us() - between;
    }
    const guint threads = dt_live_thread_count(live);
    printf("| %s | %u | %.0f | %.0f | %.1f | %.0f |\n", what, threads, heads / refreshes, rest / refreshes,
           (heads + rest) / refreshes / MAX(threads, 1), first);
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    const gint sizes[] = {16, 64, 256, 1024};
    const guint refreshes = argc > 1 ? (guint)atoi(argv[1]) : 200;
    printf("| ranks | threads | heads, us | classes, us | both, us a thread | first look, us "
           "|\n|---|---|---|---|---|---|\n");
    for (gint i = 2; i < argc; i++)
        measure(argv[i], argv[i], refreshes);
    for (guint i = 0; i < G_N_ELEMENTS(sizes) && argc < 3; i++) {
        g_autofree char *path = dt_temporary_directory(), *what = g_strdup_printf("%d", sizes[i]);
        write_run(path, sizes[i]);
        measure(path, what, refreshes);
        dt_remove_tree(path);
    }
    return 0;
}
