/* Opening runs: what they tell, how processes ended, and what is wrong with bad ones. */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "codec/codec.h"
#include "format/checks.h"
#include "store/run_headers.h"
#include "store/store.h"
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

/* The headers tell of processes and traces what the whole run tells. */
static void assert_same_by_headers(const DtRun *run)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtRun) headers = dt_run_open_headers(dt_run_path(run), &error);
    g_assert_no_error(error);
    g_assert_cmpuint(dt_run_process_count(headers), ==, dt_run_process_count(run));
    g_assert_cmpuint(dt_run_trace_count(headers), ==, dt_run_trace_count(run));
    for (guint i = 0; i < dt_run_process_count(run); i++) {
        const DtProcess *one = dt_run_process(headers, i), *two = dt_run_process(run, i);
        g_assert_cmpstr(one->label, ==, two->label);
        g_assert_cmpstr(one->stopped, ==, two->stopped);
        g_assert_cmpuint(one->hooked, ==, two->hooked);
        g_assert_cmpuint(one->skipped, ==, two->skipped);
    }
    for (guint i = 0; i < dt_run_trace_count(run); i++) {
        const DtTrace *one = dt_run_trace(headers, i), *two = dt_run_trace(run, i);
        g_assert_cmpstr(one->label, ==, two->label);
        g_assert_cmpuint(one->words, ==, two->words);
        g_assert_cmpuint(one->bytes, ==, two->bytes);
    }
}

static DtRun *open_run(Fixture *fixture)
{
    g_autoptr(GError) error = NULL;
    DtRun *run = dt_run_open(fixture->path, fixture->functions, &error);
    g_assert_no_error(error);
    assert_same_by_headers(run);
    return run;
}

static void assert_error(Fixture *fixture, const char *path, DtStoreError code, const char *what)
{
    g_autoptr(GError) error = NULL, same = NULL;
    g_assert_null(dt_run_open(path, fixture->functions, &error));
    g_assert_null(dt_run_open_headers(path, &same));
    g_assert_error(error, DT_STORE_ERROR, (gint)code);
    g_assert_error(same, DT_STORE_ERROR, (gint)code);
    g_assert_cmpstr(same->message, ==, error->message);
    g_assert_true(g_str_has_prefix(error->message, path));
    g_assert_nonnull(strstr(error->message, what));
    g_assert_null(strchr(error->message, '\n'));
}

static char *in_run(Fixture *fixture, const char *name)
{
    return g_build_filename(fixture->path, name, NULL);
}

static void assert_problem(const DtRun *run, const char *file, const char *what)
{
    for (guint i = 0; i < dt_run_problems(run)->len; i++) {
        const char *problem = g_ptr_array_index(dt_run_problems(run), i);
        if (strstr(problem, file) && strstr(problem, what))
            return;
    }
    g_error("no problem names \"%s\" and \"%s\"", file, what);
}

/* ---- good runs ---------------------------------------------------------------- */

static void test_contents(Fixture *fixture, gconstpointer data)
{
    (void)data;
    DtTestRun *writer = dt_test_run_new(fixture->path);
    DtTestProcess *process = dt_test_run_process(writer, 5);
    DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, 0);
    thread->name = "sixteen_letters!";
    thread->end_state = DT_THREAD_RETURNED;
    thread->tail_words = 2;
    dt_test_thread_events(thread, "main MPI_Init < solve < puts@plt < <");
    process->end_status = 3;
    dt_test_run_finish(writer);

    g_autofree char *with_slash = g_strconcat(fixture->path, "//", NULL);
    g_autoptr(DtRun) run = dt_run_open(with_slash, fixture->functions, NULL);
    g_assert_cmpstr(dt_run_path(run), ==, fixture->path);
    g_assert_true(dt_run_functions(run) == fixture->functions);
    g_assert_cmpuint(dt_run_problems(run)->len, ==, 0);
    g_assert_cmpuint(dt_functions_count(fixture->functions), ==, 4);

    const DtProcess *found = dt_run_process(run, 0);
    g_assert_cmpint(found->rank, ==, 5);
    g_assert_cmpuint(found->pid, ==, 1000);
    g_assert_cmpstr(found->host, ==, "node1");
    g_assert_cmpstr(found->executable, ==, "/home/user/app");
    g_assert_cmpstr(found->arguments, ==, "app -n 4");
    g_assert_true(found->called_mpi_init);
    g_assert_cmpint(found->end, ==, DT_END_EXITED);
    g_assert_cmpint(found->status, ==, 3);
    g_assert_cmpuint(found->start_ns, ==, 1000000);
    g_assert_cmpuint(found->end_ns, ==, 6000000);
    g_assert_cmpuint(found->traces, ==, 1);
    g_assert_null(found->stopped);

    const DtTrace *trace = dt_run_trace(run, 0);
    g_assert_true(trace->process == found);
    g_assert_cmpstr(trace->name, ==, "sixteen_letters!");
    g_assert_cmpuint(trace->words, ==, 8);
    g_assert_true(trace->returned);
    g_assert_cmpuint(trace->bytes, ==, found->file_bytes);
}

static void test_images(Fixture *fixture, gconstpointer data)
{
    (void)data;
    dt_test_run_single(fixture->path, "main MPI_Init < solve <");
    g_autoptr(DtRun) run = open_run(fixture);
    const GPtrArray *images = dt_run_images(run, dt_run_process(run, 0));
    g_assert_cmpuint(images->len, ==, 2);
    const DtImage *app = g_ptr_array_index(images, 0), *mpi = g_ptr_array_index(images, 1);
    g_assert_cmpstr(app->path, ==, "/home/user/app");
    g_assert_true(app->main_image && !app->api_only);
    g_assert_cmpstr(mpi->path, ==, "/usr/lib/libmpi.so.40");
    g_assert_true(!mpi->main_image && mpi->api_only);
    g_assert_cmpuint(app->reasons[DT_HOOKED], ==, 2);
    g_assert_cmpuint(app->reasons[DT_SKIP_TOO_SHORT], ==, 0);
}

/* The same functions have the same ids in two runs of differently named executables. */
static void test_two_runs(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autofree char *first = in_run(fixture, "one"), *second = in_run(fixture, "two");
    for (guint i = 0; i < 2; i++) {
        DtTestRun *writer = dt_test_run_new(i ? second : first);
        DtTestProcess *process = dt_test_run_process(writer, 0);
        process->executable = i ? "/tmp/app.v2" : "/tmp/app.v1";
        DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, 0);
        dt_test_thread_events(thread, i ? "step#2 step main" : "main step step#2 libx.so:step");
        dt_test_run_finish(writer);
    }
    g_autoptr(DtRun) one = dt_run_open(first, fixture->functions, NULL);
    g_assert_cmpuint(dt_functions_count(fixture->functions), ==, 4);
    g_autoptr(DtRun) two = dt_run_open(second, fixture->functions, NULL);
    g_assert_cmpuint(dt_functions_count(fixture->functions), ==, 4);
    g_assert_cmpuint(dt_run_problems(one)->len + dt_run_problems(two)->len, ==, 0);
}

/* ---- ends ------------------------------------------------------------------------ */

static void assert_end(Fixture *fixture, guint32 state, gint status, gboolean finished, const char *seen, DtEnd end,
                       gint end_status)
{
    g_autofree char *path = in_run(fixture, "run");
    DtTestRun *writer = dt_test_run_new(path);
    DtTestProcess *process = dt_test_run_process(writer, 0);
    dt_test_thread_events(dt_test_process_thread(process, DT_THREAD_APP, 0), "main");
    process->end_state = state;
    process->end_status = status;
    writer->finished = finished;
    writer->manifest_processes = seen;
    dt_test_run_finish(writer);

    g_autoptr(DtRun) run = dt_run_open(path, fixture->functions, NULL);
    g_assert_cmpuint(dt_run_problems(run)->len, ==, 0);
    g_assert_cmpint(dt_run_process(run, 0)->end, ==, end);
    g_assert_cmpint(dt_run_process(run, 0)->status, ==, end_status);
    dt_remove_tree(path);
}

static void test_ends(Fixture *fixture, gconstpointer data)
{
    (void)data;
    const char *killed = "[{\"pid\":1000,\"host\":\"node1\",\"end\":\"signal\",\"status\":9}]";
    const char *exited = "[{\"pid\":1000,\"end\":\"exited\",\"status\":1}]";
    const char *elsewhere = "[{\"pid\":1000,\"host\":\"node2\",\"end\":\"signal\",\"status\":9},"
                            "{\"pid\":1001,\"host\":\"node1\",\"end\":\"signal\",\"status\":9}]";
    assert_end(fixture, DT_PROCESS_EXITED, 3, TRUE, NULL, DT_END_EXITED, 3);
    assert_end(fixture, DT_PROCESS_SIGNAL, 11, TRUE, NULL, DT_END_SIGNAL, 11);
    assert_end(fixture, DT_PROCESS_EXEC, 0, TRUE, NULL, DT_END_EXITED, 0);
    assert_end(fixture, DT_PROCESS_RUNNING, 0, TRUE, NULL, DT_END_KILLED, 0);
    assert_end(fixture, DT_PROCESS_RUNNING, 0, FALSE, NULL, DT_END_RUNNING, 0);
    assert_end(fixture, DT_PROCESS_RUNNING, 0, TRUE, killed, DT_END_SIGNAL, 9);
    assert_end(fixture, DT_PROCESS_RUNNING, 0, TRUE, exited, DT_END_EXITED, 1);
    assert_end(fixture, DT_PROCESS_RUNNING, 0, TRUE, elsewhere, DT_END_KILLED, 0);
}

static void test_recording_stopped(Fixture *fixture, gconstpointer data)
{
    (void)data;
    DtTestRun *writer = dt_test_run_new(fixture->path);
    DtTestProcess *process = dt_test_run_process(writer, 0);
    dt_test_thread_events(dt_test_process_thread(process, DT_THREAD_APP, 0), "main");
    process->flags = DT_FILE_STOPPED;
    process->stop_errno = ENOSPC;
    dt_test_run_finish(writer);
    g_autoptr(DtRun) run = open_run(fixture);
    g_assert_cmpstr(dt_run_process(run, 0)->stopped, ==, g_strerror(ENOSPC));
    assert_problem(run, "processes/node1.1000.trace", g_strerror(ENOSPC));
}

/* ---- bad runs -------------------------------------------------------------------- */

static void test_no_run(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autofree char *missing = in_run(fixture, "missing"), *file = in_run(fixture, "file");
    g_assert_true(g_file_set_contents(file, "x", 1, NULL));
    assert_error(fixture, missing, DT_STORE_ERROR_NOT_FOUND, "no such directory");
    assert_error(fixture, file, DT_STORE_ERROR_NOT_FOUND, "not a run");
    assert_error(fixture, fixture->path, DT_STORE_ERROR_NOT_FOUND, "not a run");
}

static void test_empty(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autofree char *path = in_run(fixture, "run"), *processes = in_run(fixture, "run/processes");
    g_assert_true(dt_output_directory(path, "run", NULL));
    assert_error(fixture, path, DT_STORE_ERROR_EMPTY, "nothing was collected");
    g_assert_cmpint(g_mkdir(processes, 0777), ==, 0);
    assert_error(fixture, path, DT_STORE_ERROR_EMPTY, "nothing was collected");
}

static void test_no_thread(Fixture *fixture, gconstpointer data)
{
    (void)data;
    DtTestRun *writer = dt_test_run_new(fixture->path);
    dt_test_run_process(writer, 0);
    dt_test_run_finish(writer);
    g_autoptr(GError) error = NULL;
    g_assert_null(dt_run_open(fixture->path, fixture->functions, &error));
    g_assert_error(error, DT_STORE_ERROR, DT_STORE_ERROR_EMPTY);
    g_assert_nonnull(strstr(error->message, "recorded nothing"));
    g_autoptr(DtRun) run = dt_run_open_processes(fixture->path, fixture->functions, NULL);
    g_assert_nonnull(run);
    g_assert_cmpuint(dt_run_process_count(run), ==, 1);
    g_assert_cmpuint(dt_run_trace_count(run), ==, 0);
    assert_same_by_headers(run);
}

static void write_two_processes(Fixture *fixture, guint16 first_major)
{
    DtTestRun *writer = dt_test_run_new(fixture->path);
    for (gint rank = 0; rank < 2; rank++) {
        DtTestProcess *process = dt_test_run_process(writer, rank);
        dt_test_thread_events(dt_test_process_thread(process, DT_THREAD_APP, 0), "main MPI_Init <");
        if (rank == 0)
            process->major = first_major;
    }
    dt_test_run_finish(writer);
}

static void test_newer_version(Fixture *fixture, gconstpointer data)
{
    (void)data;
    write_two_processes(fixture, DT_FORMAT_MAJOR + 1);
    g_autofree char *readable = in_run(fixture, "processes/node1.1001.trace");
    {
        g_autoptr(DtRun) run = open_run(fixture);
        g_assert_cmpuint(dt_run_process_count(run), ==, 1);
        g_assert_cmpuint(dt_run_problems(run)->len, ==, 1);
        assert_problem(run, "processes/node1.1000.trace", "newer");
    }
    g_assert_cmpint(g_remove(readable), ==, 0);
    assert_error(fixture, fixture->path, DT_STORE_ERROR_VERSION, "newer");
}

/* ---- codecs that were dropped ------------------------------------------------------------------ */

static void forge_codec(const char *path, guint32 codec, gboolean checked)
{
    g_autofree char *bytes = NULL;
    gsize size;
    g_assert_true(g_file_get_contents(path, &bytes, &size, NULL));
    struct dt_file_header *header = (struct dt_file_header *)(void *)bytes;
    header->codec = codec;
    if (checked)
        header->check = dt_file_header_check(header);
    header->seal = dt_file_header_seal(header);
    g_assert_true(g_file_set_contents(path, bytes, (gssize)size, NULL));
}

typedef DtRun *OpenRun(const char *path, DtFunctions *functions, GError **error);

static DtRun *open_headers(const char *path, DtFunctions *functions, GError **error)
{
    (void)functions;
    return dt_run_open_headers(path, error);
}

/* However it is opened, and though another file of the run could be read: in one line. */
static void test_dropped_codec(Fixture *fixture, gconstpointer name)
{
    static OpenRun *const ways[] = {dt_run_open, dt_run_open_processes, open_headers};
    write_two_processes(fixture, DT_FORMAT_MAJOR);
    g_autofree char *file = in_run(fixture, "processes/node1.1001.trace");
    g_autofree char *expected = g_strdup_printf(
        "%s: processes/node1.1001.trace: its codec %s was dropped: record the run again, or read it with difftrace of "
        "revision c8704ea, the last that knows %s",
        fixture->path, (const char *)name, (const char *)name);
    forge_codec(file, g_str_equal(name, "lzp") ? 3 : 0, TRUE);
    for (gsize i = 0; i < G_N_ELEMENTS(ways); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_null(ways[i](fixture->path, fixture->functions, &error));
        g_assert_error(error, DT_STORE_ERROR, DT_STORE_ERROR_CODEC);
        g_assert_cmpstr(error->message, ==, expected);
    }
}

/* A damaged header may name any codec: its segments know better. */
static void test_damaged_codec(Fixture *fixture, gconstpointer data)
{
    (void)data;
    write_two_processes(fixture, DT_FORMAT_MAJOR);
    g_autofree char *file = in_run(fixture, "processes/node1.1001.trace");
    forge_codec(file, 3, FALSE);
    g_autoptr(DtRun) run = open_run(fixture);
    g_assert_cmpuint(dt_run_trace_count(run), ==, 2);
    g_assert_cmpuint(dt_run_trace(run, 1)->words, ==, 3);
    assert_problem(run, "processes/node1.1001.trace", "header");
}

/* Readers of a major version read all its minor versions. */
static void test_newer_minor_version(Fixture *fixture, gconstpointer data)
{
    (void)data;
    DtTestRun *writer = dt_test_run_new(fixture->path);
    DtTestProcess *process = dt_test_run_process(writer, 0);
    process->minor = DT_FORMAT_MINOR + 7;
    process->later = TRUE;
    dt_test_thread_events(dt_test_process_thread(process, DT_THREAD_APP, 0), "main");
    dt_test_run_finish(writer);
    g_autoptr(DtRun) run = open_run(fixture);
    g_assert_cmpuint(dt_run_problems(run)->len, ==, 0);
    g_assert_cmpuint(dt_run_trace_count(run), ==, 1);
    g_assert_cmpuint(dt_run_trace(run, 0)->words, ==, 1);
}

static void test_unreadable_file(Fixture *fixture, gconstpointer data)
{
    (void)data;
    write_two_processes(fixture, DT_FORMAT_MAJOR);
    g_autofree char *first = in_run(fixture, "processes/node1.1000.trace");
    g_autofree char *second = in_run(fixture, "processes/node1.1001.trace");
    g_assert_true(g_file_set_contents(first, "", 0, NULL));
    {
        g_autoptr(DtRun) run = open_run(fixture);
        g_assert_cmpuint(dt_run_trace_count(run), ==, 1);
        assert_problem(run, "processes/node1.1000.trace", "empty");
    }
    g_assert_true(g_file_set_contents(second, "no trace file at all", -1, NULL));
    assert_error(fixture, fixture->path, DT_STORE_ERROR_DAMAGED, "processes/node1.1000.trace");
}

static void test_missing_symbols(Fixture *fixture, gconstpointer data)
{
    (void)data;
    dt_test_run_single(fixture->path, "main MPI_Init < solve <");
    g_autofree char *images = in_run(fixture, "images");
    dt_remove_tree(images);
    g_autoptr(DtRun) run = open_run(fixture);
    g_assert_cmpuint(dt_run_problems(run)->len, ==, 2);
    assert_problem(run, "images/0.sym", "missing");
    assert_problem(run, "images/1.sym", "missing");
    /* Functions are still told apart. */
    g_assert_cmpuint(dt_functions_count(fixture->functions), ==, 3);
    g_assert_cmpstr(dt_functions_get(fixture->functions, 1)->name, ==, "[app#0]");
    g_assert_cmpstr(dt_functions_get(fixture->functions, 3)->name, ==, "[app#1]");
}

static void test_damaged_symbols(Fixture *fixture, gconstpointer data)
{
    (void)data;
    dt_test_run_single(fixture->path, "main");
    g_autofree char *images = in_run(fixture, "images");
    g_autoptr(GDir) directory = g_dir_open(images, 0, NULL);
    g_autofree char *path = g_build_filename(images, g_dir_read_name(directory), NULL);
    g_autofree char *good = NULL;
    gsize bytes;
    g_assert_true(g_file_get_contents(path, &good, &bytes, NULL));
    /* The last 4 bytes of the header mean nothing. */
    for (gsize i = 0; i < bytes; i++) {
        g_autofree char *bad = g_memdup2(good, bytes);
        gboolean ignored = i >= sizeof(struct dt_symbols_header) - 4 && i < sizeof(struct dt_symbols_header);
        gboolean minor = i == 10 || i == 11;
        bad[i] = (char)(bad[i] ^ 0x41);
        dt_write_bytes(path, bad, bytes);
        g_autoptr(DtRun) run = open_run(fixture);
        g_assert_cmpuint(dt_run_problems(run)->len, ==, ignored || minor ? 0 : 1);
        dt_write_bytes(path, good, i);
        g_autoptr(DtRun) cut = open_run(fixture);
        g_assert_cmpuint(dt_run_problems(cut)->len, ==, 1);
    }
}

/* The same traces, whether a thread's record is its own, packed, or (its writer died just then) both. */
static void test_ended_threads(Fixture *fixture, gconstpointer data)
{
    (void)data;
    DtTestRun *writer = dt_test_run_new(fixture->path);
    DtTestProcess *process = dt_test_run_process(writer, 0);
    for (guint i = 0; i < 4; i++) {
        DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, i);
        thread->name = "worker";
        thread->end_state = DT_THREAD_RETURNED;
        thread->tail_words = 3;
        thread->packed = i > 0;
        thread->gaps = i == 2;
        dt_test_thread_events(thread, "work solve < solve < <");
    }
    dt_test_run_finish(writer);
    g_autoptr(DtRun) run = open_run(fixture);
    g_assert_cmpuint(dt_run_problems(run)->len, ==, 0);
    g_assert_cmpuint(dt_run_trace_count(run), ==, 4);
    for (guint i = 0; i < 4; i++) {
        const DtTrace *trace = dt_run_trace(run, i);
        g_autoptr(DtStream) stream = dt_stream_open(run, trace, NULL);
        g_assert_cmpuint(trace->thread, ==, i);
        g_assert_cmpstr(trace->name, ==, "worker");
        g_assert_true(trace->returned);
        g_assert_cmpuint(trace->words, ==, 6);
        g_assert_null(dt_stream_problem(stream));
        g_assert_cmpuint(dt_stream_segment_count(stream), ==, 2);
        g_assert_cmpuint(dt_stream_segment(stream, 1)->words, ==, 3);
        g_assert_cmpuint(((const guint16 *)(const void *)dt_stream_segment(stream, 1)->code)[2], ==, DT_WORD_RETURN);
    }
}

/* A word of a tail that stands for two, and the same word of a version in which it was an id; in both
 * tails, which are as long as the version has them. */
static void test_childless(Fixture *fixture, gconstpointer data)
{
    guint16 minor = (guint16)GPOINTER_TO_UINT(data);
    DtTestRun *writer = dt_test_run_new(fixture->path);
    DtTestProcess *process = dt_test_run_process(writer, 0);
    process->minor = minor;
    DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, 0);
    thread->tail_words = 3;
    thread->two_tails = TRUE;
    dt_test_thread_event(thread, dt_test_process_id(process, "main"));
    dt_test_thread_event(thread, DT_TAIL_CHILDLESS + DT_TAIL_LAST_ID);
    dt_test_thread_event(thread, DT_WORD_RETURN);
    dt_test_run_finish(writer);
    g_autoptr(DtRun) run = open_run(fixture);
    guint words = minor < 4 ? 3 : 4;
    g_assert_cmpuint(dt_run_trace(run, 0)->words, ==, words);
    g_autoptr(DtStream) stream = dt_stream_open(run, dt_run_trace(run, 0), NULL);
    const DtSegment *tail = dt_stream_segment(stream, 0);
    g_assert_cmpuint(tail->words, ==, words);
    const guint16 expected[] = {1, (guint16)(DT_TAIL_LAST_ID + (minor < 4 ? DT_TAIL_CHILDLESS : 0)), 0, 0};
    g_autofree void *decoder = g_malloc0(dt_codec_decoder_bytes(tail->codec));
    guint16 decoded[G_N_ELEMENTS(expected) + 1];
    dt_codec_decoder_init(tail->codec, decoder, tail->code, tail->bytes, tail->words, NULL);
    g_assert_cmpuint(dt_codec_decode(tail->codec, decoder, decoded, G_N_ELEMENTS(decoded)), ==, words);
    g_assert_true(dt_codec_at_end(tail->codec, decoder));
    g_assert_true(memcmp(decoded, expected, words * sizeof *expected) == 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, function) g_test_add("/store/run/" name, Fixture, NULL, set_up, function, tear_down)
    ADD("contents", test_contents);
    ADD("images", test_images);
    ADD("two-runs", test_two_runs);
    ADD("ends", test_ends);
    ADD("recording-stopped", test_recording_stopped);
    ADD("no-run", test_no_run);
    ADD("empty", test_empty);
    ADD("no-thread", test_no_thread);
    ADD("newer-version", test_newer_version);
    g_test_add("/store/run/dropped-codec/words", Fixture, "words", set_up, test_dropped_codec, tear_down);
    g_test_add("/store/run/dropped-codec/lzp", Fixture, "lzp", set_up, test_dropped_codec, tear_down);
    ADD("damaged-codec", test_damaged_codec);
    ADD("ended-threads", test_ended_threads);
    ADD("newer-minor-version", test_newer_minor_version);
    for (guint minor = 3; minor <= 5; minor++) {
        g_autofree char *name = g_strdup_printf("/store/run/childless-%u", minor);
        g_test_add(name, Fixture, GUINT_TO_POINTER(minor), set_up, test_childless, tear_down);
    }
    ADD("unreadable-file", test_unreadable_file);
    ADD("missing-symbols", test_missing_symbols);
    ADD("damaged-symbols", test_damaged_symbols);
    return g_test_run();
}
