/* Facts that are read bit by bit are those of one reading. The oracle counts the events that it wrote itself. */
#include <string.h>

#include "support/test_run.h"
#include "waitfor/growing.h"

enum { THREADS = 3, MOST_DEPTH = 6, LOOKS = 12 };

/* What the writer was told. */
typedef struct {
    const char *name; /* NULL: a return */
} Event;

static const char *const names[] = {"solve", "MPI_Barrier", "MPI_Test", "usleep@plt", "MPI_Wtime", "helper"};

static GArray *random_events(guint count)
{
    GArray *events = g_array_new(FALSE, FALSE, sizeof(Event));
    guint depth = 0;
    for (guint i = 0; i < count; i++) {
        gboolean enters = depth == 0 || (depth < MOST_DEPTH && g_test_rand_int_range(0, 2) == 0);
        Event event = {enters ? names[g_test_rand_int_range(0, G_N_ELEMENTS(names))] : NULL};
        depth += enters ? 1 : 0;
        depth -= enters ? 0 : 1;
        g_array_append_val(events, event);
    }
    return events;
}

static guint64 count_of(const GArray *events, guint64 end, const char *name, guint *depth)
{
    guint64 calls = 0;
    *depth = 0;
    for (guint i = 0; i < end; i++) {
        const char *entered = g_array_index(events, Event, i).name;
        calls += g_strcmp0(entered, name) == 0 ? 1 : 0;
        *depth = entered ? *depth + 1 : *depth - 1;
    }
    return calls;
}

/* It asks from its last question on until it does anything else, also while the question is open: no question waits. */
static gboolean asks_at(const GArray *events, guint64 end)
{
    g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(const char *));
    gboolean asks = FALSE;
    for (guint i = 0; i < end; i++) {
        const char *entered = g_array_index(events, Event, i).name;
        if (g_strcmp0(entered, "MPI_Test") == 0 || g_strcmp0(entered, "MPI_Barrier") == 0)
            asks = g_str_equal(entered, "MPI_Test");
        if (entered)
            g_array_append_val(open, entered);
        else
            g_array_set_size(open, open->len - 1);
    }
    for (guint i = 0; i < open->len; i++)
        asks = asks && !g_str_equal(g_array_index(open, const char *, i), "MPI_Barrier");
    return asks;
}

static void check_acts(const DtGrowingFacts *growing, const DtTrace *trace, const GArray *events, guint64 end)
{
    guint depth;
    const DtTraceActs acts = dt_growing_facts_acts(growing, trace);
    g_assert_cmpuint(acts.acts, ==, count_of(events, end, "MPI_Barrier", &depth));
    g_assert_cmpuint(acts.questions, ==, count_of(events, end, "MPI_Test", &depth));
    g_assert_cmpuint(acts.sleeps, ==, count_of(events, end, "usleep@plt", &depth));
    g_assert_cmpuint(acts.clocks, ==, count_of(events, end, "MPI_Wtime", &depth));
    g_assert_cmpint(acts.is_empty, ==, depth == 0);
    g_assert_cmpint(acts.asks, ==, asks_at(events, end));
    g_assert_false(acts.is_partial);
}

static void write_run(const char *path, GArray *events[THREADS], guint32 end_state)
{
    DtTestRun *writer = dt_test_run_new(path);
    writer->finished = FALSE;
    DtTestProcess *process = dt_test_run_process(writer, 0);
    process->end_state = end_state;
    process->sealed = FALSE;
    for (guint t = 0; t < THREADS; t++) {
        DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, t);
        thread->end_state = DT_THREAD_RUNNING;
        thread->finish = FALSE;
        thread->segment_words = (gsize)g_test_rand_int_range(20, 2000);
        thread->batch_words = (gsize)g_test_rand_int_range(5, 500);
        thread->tail_words = (gsize)g_test_rand_int_range(0, 100);
        for (guint i = 0; i < events[t]->len; i++) {
            const char *name = g_array_index(events[t], Event, i).name;
            if (name)
                dt_test_thread_call(thread, name);
            else
                dt_test_thread_return(thread);
        }
    }
    dt_test_run_finish(writer);
}

static gint compare_positions(gconstpointer a, gconstpointer b)
{
    const guint64 first = *(const guint64 *)a, second = *(const guint64 *)b;
    return (first > second) - (first < second);
}

static void look(DtGrowingFacts *growing, const char *path, DtFunctions *functions, GArray *events[THREADS],
                 guint64 ends[THREADS][LOOKS], guint number)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtRun) run = dt_run_open(path, functions, &error);
    g_assert_no_error(error);
    guint64 to[THREADS];
    for (guint t = 0; t < THREADS; t++)
        to[t] = ends[t][number];
    DtWaitFor *waits = dt_growing_facts_look(growing, run, to, &error);
    g_assert_no_error(error);
    for (guint t = 0; t < THREADS; t++)
        check_acts(growing, dt_run_trace(run, t), events[t], to[t]);
    dt_wait_for_free(waits);
}

static void test_bit_by_bit(void)
{
    for (guint round = 0; round < 20; round++) {
        g_autofree char *path = dt_temporary_directory();
        GArray *events[THREADS];
        guint64 ends[THREADS][LOOKS];
        for (guint t = 0; t < THREADS; t++) {
            events[t] = random_events((guint)g_test_rand_int_range(1, 6000));
            for (guint i = 0; i < LOOKS; i++)
                ends[t][i] = (guint64)g_test_rand_int_range(0, (gint)events[t]->len + 1);
            ends[t][LOOKS - 1] = events[t]->len;
            qsort(ends[t], LOOKS, sizeof(guint64), compare_positions);
        }
        write_run(path, events, DT_PROCESS_RUNNING);
        g_autoptr(DtFunctions) functions = dt_functions_new();
        g_autoptr(DtGrowingFacts) growing = dt_growing_facts_new(functions);
        for (guint i = 0; i < LOOKS; i++)
            look(growing, path, functions, events, ends, i);
        for (guint t = 0; t < THREADS; t++)
            g_array_unref(events[t]);
        dt_remove_tree(path);
    }
}

static void look_without_positions(DtGrowingFacts *growing, const char *path, DtFunctions *functions, guint64 questions)
{
    const guint64 to[THREADS] = {G_MAXUINT64, G_MAXUINT64, G_MAXUINT64};
    g_autoptr(DtRun) run = dt_run_open(path, functions, NULL);
    dt_wait_for_free(dt_growing_facts_look(growing, run, to, NULL));
    g_assert_cmpuint(dt_growing_facts_acts(growing, dt_run_trace(run, 0)).questions, ==, questions);
}

/* Who was not there when the heads were read is not read before it is known to have returned. */
static void test_unknown_position(void)
{
    g_autofree char *path = dt_temporary_directory();
    GArray *events[THREADS];
    for (guint t = 0; t < THREADS; t++)
        events[t] = random_events(100);
    write_run(path, events, DT_PROCESS_RUNNING);
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtGrowingFacts) growing = dt_growing_facts_new(functions);
    for (guint i = 0; i < 2; i++) {
        look_without_positions(growing, path, functions, 0);
        g_assert_false(dt_growing_facts_are_behind(growing));
    }
    guint depth;
    dt_remove_tree(path);
    write_run(path, events, DT_PROCESS_EXITED);
    look_without_positions(growing, path, functions, 0);
    g_assert_true(dt_growing_facts_are_behind(growing));
    look_without_positions(growing, path, functions, count_of(events[0], events[0]->len, "MPI_Test", &depth));
    g_assert_false(dt_growing_facts_are_behind(growing));
    for (guint t = 0; t < THREADS; t++)
        g_array_unref(events[t]);
    dt_remove_tree(path);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/waitfor/growing/bit-by-bit", test_bit_by_bit);
    g_test_add_func("/waitfor/growing/unknown-position", test_unknown_position);
    return g_test_run();
}
