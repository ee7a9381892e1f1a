/* Classes of synthetic runs that are still written, on a host that is not ours: nobody asks the kernel for them. */
#include "live/classes.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "support/test_run.h"

typedef struct {
    char *path;
    DtLive *live;
    DtLiveClasses *classes;
} Job;

static DtTestThread *add_thread(DtTestProcess *process, guint32 kind, guint32 number, gsize tail, const char *events)
{
    DtTestThread *thread = dt_test_process_thread(process, kind, number);
    thread->end_state = DT_THREAD_RUNNING;
    thread->finish = FALSE;
    thread->tail_words = tail;
    dt_test_thread_events(thread, events);
    return thread;
}

static DtTestProcess *add_process(DtTestRun *run, gint rank)
{
    DtTestProcess *process = dt_test_run_process(run, rank);
    process->host = "elsewhere";
    process->start_ns = 1000 + (guint64)rank;
    process->end_state = DT_PROCESS_RUNNING;
    process->sealed = FALSE;
    return process;
}

static void finish(DtTestRun *run)
{
    run->finished = FALSE;
    dt_test_run_finish(run);
}

static Job job_of(const char *path, DtLiveReading reading)
{
    g_autoptr(GError) error = NULL;
    Job job = {.path = g_strdup(path), .live = dt_live_open(path, &error)};
    g_assert_no_error(error);
    job.classes = dt_live_classes_new(job.live, reading);
    return job;
}

static void job_clear(Job *job)
{
    dt_live_classes_free(job->classes);
    dt_live_free(job->live);
    g_free(job->path);
}

static void update(Job *job, gboolean is_over)
{
    g_autoptr(GError) error = NULL;
    dt_live_refresh(job->live);
    g_assert_true(dt_live_classes_update(job->classes, is_over, TRUE, &error));
    g_assert_no_error(error);
}

static const char *name_of(const Job *job, guint32 function)
{
    return function != 0 ? dt_functions_get(dt_live_functions(job->live), function)->name : "-";
}

/* "MPI_Recv < exchange: 0.0 1.0" */
static char *class_text(const Job *job, guint index)
{
    const DtLiveClass *class = dt_live_classes_list(job->classes)->pdata[index];
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "%s%s < %s:", class->has_ended ? "ended " : "", name_of(job, class->calls[0]),
                           name_of(job, class->calls[1]));
    for (guint i = 0; i < class->members->len; i++)
        g_string_append_printf(text, " %s", ((const DtLiveMember *)class->members->pdata[i])->label);
    return g_string_free(text, FALSE);
}

static void assert_classes(const Job *job, const char *expected)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < dt_live_classes_list(job->classes)->len; i++) {
        g_autofree char *class = class_text(job, i);
        g_string_append_printf(text, "%s%s", i > 0 ? "; " : "", class);
    }
    g_assert_cmpstr(text->str, ==, expected);
    g_string_free(text, TRUE);
}

static void test_same_calls(void)
{
    g_autofree char *path = dt_temporary_directory();
    DtTestRun *run = dt_test_run_new(path);
    for (gint rank = 0; rank < 11; rank++)
        add_thread(add_process(run, rank), DT_THREAD_APP, 0, 100,
                   rank == 10 ? "main MPI_Init < MPI_Finalize" : "main MPI_Init < exchange MPI_Send < MPI_Recv");
    finish(run);
    Job job = job_of(path, 0);
    update(&job, FALSE);
    assert_classes(&job, "MPI_Recv < exchange: 0.0 1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0 9.0; MPI_Finalize < main: 10.0");
    const DtLiveTotals *totals = dt_live_classes_totals(job.classes);
    g_assert_cmpuint(totals->ranks, ==, 11);
    g_assert_cmpuint(totals->threads, ==, 11);
    g_assert_cmpuint(totals->hosts, ==, 1);
    g_assert_cmpuint(totals->words, ==, 10 * 7 + 4);
    g_assert_true(totals->still_longer);
    job_clear(&job);
    dt_remove_tree(path);
}

/* All in the stream: the heads tell nothing, the trace does. */
static void test_tails_without_calls(void)
{
    g_autofree char *path = dt_temporary_directory();
    DtTestRun *run = dt_test_run_new(path);
    const gsize tails[] = {0, 1, 2, 3, 6};
    for (guint i = 0; i < G_N_ELEMENTS(tails); i++)
        add_thread(add_process(run, (gint)i), DT_THREAD_APP, 0, tails[i], "main exchange a < b < c < a <");
    finish(run);
    Job job = job_of(path, 0);
    update(&job, FALSE);
    assert_classes(&job, "exchange < main: 0.0 1.0 2.0 3.0 4.0");
    job_clear(&job);
    dt_remove_tree(path);
}

static void test_who_is_shown(void)
{
    g_autofree char *path = dt_temporary_directory();
    DtTestRun *run = dt_test_run_new(path);
    DtTestProcess *first = add_process(run, 0), *second = add_process(run, 1);
    add_thread(first, DT_THREAD_APP, 0, 50, "main pthread_join");
    add_thread(first, DT_THREAD_APP, 1, 50, "work <");            /* between two regions */
    add_thread(first, DT_THREAD_LIBRARY, 1, 50, "poll <");        /* of a library, idle */
    add_thread(first, DT_THREAD_LIBRARY, 2, 50, "progress poll"); /* the same, busy */
    DtTestThread *returned = add_thread(first, DT_THREAD_APP, 2, 50, "work <");
    returned->end_state = DT_THREAD_RETURNED;
    returned->finish = TRUE;
    DtTestThread *ended = add_thread(second, DT_THREAD_APP, 0, 0, "main MPI_Init < MPI_Finalize < <");
    ended->finish = TRUE;
    second->end_state = DT_PROCESS_EXITED;
    finish(run);
    Job job = job_of(path, 0);
    update(&job, FALSE);
    assert_classes(&job, "pthread_join < main: 0.0; - < -: 0.1; poll < progress: 0.c; ended - < -: 1.0");
    g_assert_cmpuint(dt_live_classes_totals(job.classes)->ended, ==, 1);
    job_clear(&job);
    dt_remove_tree(path);
}

static void test_over(void)
{
    g_autofree char *path = dt_temporary_directory();
    dt_test_run_single(path, "main solve < MPI_Finalize < <");
    Job job = job_of(path, 0);
    update(&job, TRUE);
    assert_classes(&job, "ended - < -: 0.0");
    g_assert_true(dt_live_classes_totals(job.classes)->is_over);
    g_assert_cmpuint(dt_live_classes_totals(job.classes)->words, ==, 6);
    job_clear(&job);
    dt_remove_tree(path);
}

/* ---- growth ------------------------------------------------------------------------------------ */

static void write_growing(const char *path, const char *first, const char *second)
{
    const char *const events[] = {first, second};
    DtTestRun *run = dt_test_run_new(path);
    for (gint rank = 0; rank < 2; rank++) {
        DtTestProcess *process = add_process(run, rank);
        dt_test_process_id(process, "wait"); /* images have the same symbols from the beginning */
        add_thread(process, DT_THREAD_APP, 0, 200, events[rank]);
    }
    finish(run);
}

static void overwrite(const char *from, const char *to)
{
    g_autofree char *bytes = NULL;
    gsize length;
    g_assert_true(g_file_get_contents(from, &bytes, &length, NULL));
    const int file = open(to, O_WRONLY);
    g_assert_cmpint(file, >=, 0);
    g_assert_cmpint(write(file, bytes, length), ==, (gssize)length);
    g_assert_cmpint(ftruncate(file, (off_t)length), ==, 0);
    close(file);
}

/* Puts what the second run has into the files of the first one, which somebody has open. */
static void grow(const char *path, const char *first, const char *second)
{
    g_autofree char *longer = dt_temporary_directory();
    write_growing(longer, first, second);
    g_autofree char *from_folder = g_build_filename(longer, "processes", NULL);
    g_autofree char *to_folder = g_build_filename(path, "processes", NULL);
    g_autoptr(GDir) folder = g_dir_open(from_folder, 0, NULL);
    const char *name;
    guint files = 0;
    while ((name = g_dir_read_name(folder))) {
        g_autofree char *from = g_build_filename(from_folder, name, NULL),
                        *to = g_build_filename(to_folder, name, NULL);
        g_assert_true(g_file_test(to, G_FILE_TEST_EXISTS));
        overwrite(from, to);
        files++;
    }
    g_assert_cmpuint(files, >=, 2);
    dt_remove_tree(longer);
}

static const DtLiveMember *member(const Job *job, guint class, guint index)
{
    return ((const DtLiveClass *)dt_live_classes_list(job->classes)->pdata[class])->members->pdata[index];
}

static void test_growing(void)
{
    g_autofree char *path = dt_temporary_directory();
    write_growing(path, "main step", "main step");
    Job job = job_of(path, 0);
    update(&job, FALSE);
    assert_classes(&job, "step < main: 0.0 1.0");
    g_usleep(50 * 1000);
    grow(path, "main step", "main step < step < step < wait");
    update(&job, FALSE);
    assert_classes(&job, "step < main: 0.0; wait < main: 1.0");
    g_assert_cmpfloat(member(&job, 0, 0)->words_a_second, ==, 0);
    g_assert_true(member(&job, 0, 0)->still_longer);
    g_assert_cmpfloat(member(&job, 0, 0)->still, >=, 0.05);
    g_assert_cmpfloat(member(&job, 1, 0)->words_a_second, >, 0);
    g_assert_cmpfloat(member(&job, 1, 0)->words_a_second, <=, 6 / 0.05);
    g_assert_false(member(&job, 1, 0)->still_longer);
    g_assert_cmpfloat(member(&job, 1, 0)->still, <, member(&job, 0, 0)->still);
    g_usleep(20 * 1000);
    update(&job, FALSE);
    g_assert_cmpfloat(member(&job, 1, 0)->words_a_second, ==, 0);
    job_clear(&job);
    dt_remove_tree(path);
}

static void test_iterations(void)
{
    g_autofree char *path = dt_temporary_directory();
    write_growing(path, "main MPI_Init < step < step <", "main MPI_Init < step < step < step");
    Job job = job_of(path, DT_LIVE_ITERATIONS);
    update(&job, FALSE);
    assert_classes(&job, "main < -: 0.0; step < main: 1.0");
    g_assert_cmpuint(member(&job, 0, 0)->iteration, ==, 2);
    g_assert_cmpuint(member(&job, 1, 0)->iteration, ==, 3);
    g_assert_cmpstr(name_of(&job, member(&job, 1, 0)->iterated), ==, "step");
    grow(path, "main MPI_Init < step < step <", "main MPI_Init < step < step < step < step < step < step");
    update(&job, FALSE);
    g_assert_cmpuint(member(&job, 0, 0)->iteration, ==, 2);
    g_assert_cmpuint(member(&job, 1, 0)->iteration, ==, 6);
    job_clear(&job);
    dt_remove_tree(path);
}

/* ---- any ---------------------------------------------------------------------------------------- */

/* Random calls; what is open at the end is counted here. */
static char *random_events(GRand *random, char *expected, gsize bytes)
{
    enum { MOST_DEPTH = 12 };
    char stack[MOST_DEPTH];
    guint depth = 0;
    GString *events = g_string_new(NULL);
    const gint count = g_rand_int_range(random, 1, 60);
    for (gint i = 0; i < count; i++) {
        const gboolean returns = depth > 0 && (depth == MOST_DEPTH || g_rand_int_range(random, 0, 5) < 2);
        if (returns)
            depth--;
        else
            stack[depth++] = (char)('a' + g_rand_int_range(random, 0, 4));
        g_string_append_printf(events, "%s%c", i > 0 ? " " : "", returns ? '<' : stack[depth - 1]);
    }
    g_snprintf(expected, bytes, "%c < %c", depth > 0 ? stack[depth - 1] : '-', depth > 1 ? stack[depth - 2] : '-');
    return g_string_free(events, FALSE);
}

static void test_any(void)
{
    enum { RANKS = 40, TEXT = 16 };
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    for (guint round = 0; round < 10; round++) {
        char expected[RANKS][TEXT];
        g_autofree char *path = dt_temporary_directory();
        DtTestRun *run = dt_test_run_new(path);
        for (gint rank = 0; rank < RANKS; rank++) {
            g_autofree char *events = random_events(random, expected[rank], TEXT);
            add_thread(add_process(run, rank), DT_THREAD_APP, 0, (gsize)g_rand_int_range(random, 0, 40), events);
        }
        finish(run);
        Job job = job_of(path, 0);
        update(&job, FALSE);
        guint found = 0;
        for (guint i = 0; i < dt_live_classes_list(job.classes)->len; i++) {
            const DtLiveClass *class = dt_live_classes_list(job.classes)->pdata[i];
            g_autofree char *calls =
                g_strdup_printf("%s < %s", name_of(&job, class->calls[0]), name_of(&job, class->calls[1]));
            for (guint m = 0; m < class->members->len; m++, found++) {
                const DtLiveMember *each = class->members->pdata[m];
                g_assert_cmpstr(calls, ==, expected[g_ascii_strtoull(each->label, NULL, 10)]);
            }
        }
        g_assert_cmpuint(found, ==, RANKS);
        job_clear(&job);
        dt_remove_tree(path);
    }
}

static void test_no_run(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = dt_temporary_directory();
    write_growing(path, "main", "main");
    Job job = job_of(path, 0);
    g_autofree char *processes = g_build_filename(path, "processes", NULL);
    dt_remove_tree(processes);
    dt_live_refresh(job.live);
    g_assert_false(dt_live_classes_update(job.classes, FALSE, TRUE, &error));
    g_assert_nonnull(error);
    g_assert_cmpuint(dt_live_classes_list(job.classes)->len, ==, 0);
    job_clear(&job);
    dt_remove_tree(path);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/live/classes/same-calls", test_same_calls);
    g_test_add_func("/live/classes/tails-without-calls", test_tails_without_calls);
    g_test_add_func("/live/classes/who-is-shown", test_who_is_shown);
    g_test_add_func("/live/classes/over", test_over);
    g_test_add_func("/live/classes/growing", test_growing);
    g_test_add_func("/live/classes/iterations", test_iterations);
    g_test_add_func("/live/classes/any", test_any);
    g_test_add_func("/live/classes/no-run", test_no_run);
    return g_test_run();
}
