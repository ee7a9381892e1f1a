/*
 * What the run writer was given comes out of store and reader: for each codec,
 * however the words are spread over segments, chunks, commits and raw tails.
 */
#include "event_text.h"
#include "support/random.h"
#include "support/test_run.h"
#include "writer/writer_private.h"

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

/* Names and returns; now and then more returns than calls, as at a trace's start. */
static char *random_events(GRand *random, guint count, guint functions)
{
    GString *text = g_string_new("main");
    guint depth = 1, loop = 0;
    for (guint i = 0; i < count; i++) {
        if (g_rand_int_range(random, 0, 50) == 0)
            loop = (guint)g_rand_int_range(random, 0, (gint32)functions);
        gboolean enter = depth == 0 ? g_rand_int_range(random, 0, 20) != 0 : g_rand_int_range(random, 0, 2) == 0;
        guint which = g_rand_int_range(random, 0, 8) ? loop : (guint)g_rand_int_range(random, 0, (gint32)functions);
        if (enter)
            g_string_append_printf(text, " f%u", which);
        else
            g_string_append(text, " <");
        if (enter)
            depth++;
        else if (depth > 0)
            depth--;
    }
    return g_string_free(text, FALSE);
}

static void assert_trace(const DtRun *run, const char *label, gsize batch, const char *expected)
{
    const DtTrace *trace = dt_run_find_trace(run, label);
    g_autofree char *problem = NULL;
    g_assert_nonnull(trace);
    g_autofree char *found = dt_event_text(run, trace, batch, &problem);
    g_assert_cmpstr(problem, ==, NULL);
    g_assert_cmpstr(found, ==, expected);
}

static DtRun *open_run(Fixture *fixture)
{
    g_autoptr(GError) error = NULL;
    DtRun *run = dt_run_open(fixture->path, fixture->functions, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(dt_run_problems(run)->len, ==, 0);
    return run;
}

/* ---- round trips ---------------------------------------------------------------- */

static void set_layout(GRand *random, DtTestThread *thread)
{
    static const gsize segment_words[] = {0, 1, 7, 100, 1000};
    static const gsize batch_words[] = {0, 1, 3, 1024};
    static const gsize tail_words[] = {0, 1, 100, 2000};
    static const gsize chunk_bytes[] = {4096, 8192, 65536};
    thread->segment_words = segment_words[g_rand_int_range(random, 0, 5)];
    thread->batch_words = batch_words[g_rand_int_range(random, 0, 4)];
    thread->tail_words = tail_words[g_rand_int_range(random, 0, 4)];
    thread->chunk_bytes = chunk_bytes[g_rand_int_range(random, 0, 3)];
    thread->finish = g_rand_int_range(random, 0, 2) == 0;
    thread->two_tails = g_rand_int_range(random, 0, 2) == 0;
    thread->gaps = g_rand_int_range(random, 0, 2) == 0;
    thread->childless = g_rand_int_range(random, 0, 2) == 0;
}

static void test_round_trip(Fixture *fixture, gconstpointer data)
{
    g_autoptr(GRand) random = dt_test_random();
    for (guint round = 0; round < 24; round++) {
        g_autofree char *path = g_strdup_printf("%s/%u", fixture->path, round);
        g_autoptr(GPtrArray) events = g_ptr_array_new_with_free_func(g_free);
        DtTestRun *writer = dt_test_run_new(path);
        DtTestProcess *process = dt_test_run_process(writer, 3);
        process->codec = GPOINTER_TO_UINT(data);
        process->later = round % 4 == 3;
        for (guint i = 0; i < 4; i++) {
            guint count = round == 0 ? 0 : (guint)g_rand_int_range(random, 0, 12000);
            char *text = random_events(random, count, 40);
            DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, i);
            set_layout(random, thread);
            dt_test_thread_events(thread, text);
            g_ptr_array_add(events, text);
        }
        dt_test_run_finish(writer);

        g_autoptr(GError) error = NULL;
        g_autoptr(DtRun) run = dt_run_open(path, fixture->functions, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(dt_run_problems(run)->len, ==, 0);
        for (guint i = 0; i < events->len; i++) {
            g_autofree char *label = g_strdup_printf("3.%u", i);
            assert_trace(run, label, (gsize)g_rand_int_range(random, 1, 9000), g_ptr_array_index(events, i));
        }
        dt_remove_tree(path);
    }
}

static void test_empty_thread(Fixture *fixture, gconstpointer data)
{
    (void)data;
    DtTestRun *writer = dt_test_run_new(fixture->path);
    DtTestProcess *process = dt_test_run_process(writer, -1);
    dt_test_process_thread(process, DT_THREAD_APP, 0);
    dt_test_run_finish(writer);
    g_autoptr(DtRun) run = open_run(fixture);
    g_assert_cmpuint(dt_run_trace(run, 0)->words, ==, 0);
    assert_trace(run, "0", 10, "");
}

static void test_words_and_bytes(Fixture *fixture, gconstpointer data)
{
    (void)data;
    DtTestRun *writer = dt_test_run_new(fixture->path);
    DtTestProcess *process = dt_test_run_process(writer, -1);
    DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, 0);
    process->codec = DT_CODEC_RAW;
    thread->tail_words = 3;
    thread->gaps = TRUE;
    dt_test_thread_events(thread, "main a < b < <");
    dt_test_run_finish(writer);
    g_autoptr(DtRun) run = open_run(fixture);
    g_assert_cmpuint(dt_run_trace(run, 0)->words, ==, 6);
    g_assert_cmpuint(dt_run_trace(run, 0)->bytes, ==, sizeof(struct dt_segment_header) + 12);
}

/* The import, namesakes and a library's function of that name are four. */
static void test_identity(Fixture *fixture, gconstpointer data)
{
    (void)data;
    dt_test_run_single(fixture->path, "main step < step#2 < step@plt < libx.so:step < <");
    g_autoptr(DtRun) run = open_run(fixture);
    assert_trace(run, "0", 100, "main step < step < step@plt < step < <");
    g_assert_cmpuint(dt_functions_count(fixture->functions), ==, 5);
}

/* Ids that do not fit one word, in the codec's stream, across batches and in the tails. */
static void test_large_ids(Fixture *fixture, gconstpointer data)
{
    enum { FUNCTIONS = 65700 };
    DtTestRun *writer = dt_test_run_new(fixture->path);
    DtTestProcess *process = dt_test_run_process(writer, -1);
    DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, 0);
    g_autoptr(GString) expected = g_string_new(NULL);
    process->codec = GPOINTER_TO_UINT(data);
    thread->batch_words = 511;
    thread->segment_words = 10000;
    thread->tail_words = 200;
    thread->finish = FALSE;
    for (guint i = 1; i <= FUNCTIONS; i++) {
        g_autofree char *name = g_strdup_printf("f%u", i);
        g_assert_cmpuint(dt_test_process_id(process, name), ==, i);
    }
    for (guint i = 65500; i <= FUNCTIONS; i++) {
        g_autofree char *name = g_strdup_printf("f%u", i);
        dt_test_thread_call(thread, name);
        dt_test_thread_return(thread);
        g_string_append_printf(expected, "%s%s <", expected->len ? " " : "", name);
    }
    dt_test_run_finish(writer);
    g_autoptr(DtRun) run = open_run(fixture);
    assert_trace(run, "0", 777, expected->str);
}

/* Many ranks with the same functions need them once. */
static void test_many_processes(Fixture *fixture, gconstpointer data)
{
    (void)data;
    DtTestRun *writer = dt_test_run_new(fixture->path);
    for (gint rank = 0; rank < 50; rank++) {
        DtTestProcess *process = dt_test_run_process(writer, rank);
        DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, 0);
        dt_test_thread_events(thread, rank % 2 ? "main MPI_Init < MPI_Recv" : "main MPI_Init < MPI_Send <");
    }
    dt_test_run_finish(writer);
    g_autoptr(DtRun) run = open_run(fixture);
    g_assert_cmpuint(dt_functions_count(fixture->functions), ==, 4);
    assert_trace(run, "7", 10, "main MPI_Init < MPI_Recv");
    assert_trace(run, "8", 10, "main MPI_Init < MPI_Send <");
}

/* ---- functions without a record ------------------------------------------------------ */

static void test_unknown_function(Fixture *fixture, gconstpointer data)
{
    (void)data;
    DtTestRun *writer = dt_test_run_new(fixture->path);
    DtTestProcess *process = dt_test_run_process(writer, -1);
    DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, 0);
    dt_test_thread_events(thread, "main a lost b < c lost d < < < < e < lost < <");
    guint32 lost = dt_test_process_id(process, "lost");
    g_array_index(process->writer->functions, struct dt_function, lost - 1).id = 0;
    dt_test_run_finish(writer);

    g_autoptr(DtRun) run = dt_run_open(fixture->path, fixture->functions, NULL);
    g_autofree char *problem = NULL;
    g_autofree char *found = dt_event_text(run, dt_run_trace(run, 0), 3, &problem);
    g_assert_cmpstr(found, ==, "main a function#3 b < c function#3 d < < < < e < function#3 < <");
    g_assert_cmpstr(problem, ==, NULL);
    g_assert_cmpuint(dt_run_problems(run)->len, ==, 1);
    g_assert_nonnull(g_strstr_len(dt_run_problems(run)->pdata[0], -1, "names of 1 functions are lost"));
}

/* Words that are no function's id: their returns are left out with them. */
static void test_impossible_words(Fixture *fixture, gconstpointer data)
{
    (void)data;
    static const guint16 words[] = {1, 60000, 1, 0, DT_WORD_ESCAPE, 0x7fff, 0x7fff, 1, 0, 0, 0, 1};
    DtTestRun *writer = dt_test_run_new(fixture->path);
    DtTestProcess *process = dt_test_run_process(writer, -1);
    DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, 0);
    dt_test_process_id(process, "a");
    g_array_append_vals(thread->words, words, G_N_ELEMENTS(words));
    thread->tail_words = G_N_ELEMENTS(words);
    dt_test_run_finish(writer);

    g_autoptr(DtRun) run = open_run(fixture);
    g_autofree char *problem = NULL;
    g_autofree char *found = dt_event_text(run, dt_run_trace(run, 0), 3, &problem);
    g_assert_cmpstr(found, ==, "a a < a < a");
    g_assert_nonnull(g_strstr_len(problem, -1, "2 calls"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, data, function)                                                                                      \
    g_test_add("/decoder/reader/" name, Fixture, GUINT_TO_POINTER(data), set_up, function, tear_down)
    ADD("round-trip/raw", DT_CODEC_RAW, test_round_trip);
    ADD("round-trip/parlot", DT_CODEC_PARLOT, test_round_trip);
    ADD("empty-thread", 0, test_empty_thread);
    ADD("words-and-bytes", 0, test_words_and_bytes);
    ADD("identity", 0, test_identity);
    ADD("large-ids/raw", DT_CODEC_RAW, test_large_ids);
    ADD("large-ids/parlot", DT_CODEC_PARLOT, test_large_ids);
    ADD("many-processes", 0, test_many_processes);
    ADD("unknown-function", 0, test_unknown_function);
    ADD("impossible-words", 0, test_impossible_words);
    return g_test_run();
}
