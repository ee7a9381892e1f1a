/*
 * Trace files that become shorter, or vanish, while they are read: a report, and no crash.
 */
#include <string.h>
#include <unistd.h>

#include "codec/codec.h"
#include "damage_support.h"
#include "decoder/decoder.h"
#include "support/test_run.h"

enum { CALLS = 30000, BATCH = 1000 };

typedef struct {
    char *path, *file;
    gsize size;
    DtFunctions *functions;
    DtRun *run;
} Fixture;

static void set_up(Fixture *fixture, gconstpointer data)
{
    fixture->path = dt_temporary_directory();
    DtTestRun *writer = dt_test_run_new(fixture->path);
    DtTestProcess *process = dt_test_run_process(writer, 0);
    DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, 0);
    process->codec = GPOINTER_TO_UINT(data);
    thread->segment_words = 700;
    thread->tail_words = 50;
    for (guint i = 0; i < CALLS; i++) {
        dt_test_thread_call(thread, i * i % 7 < 3 ? "f" : "g");
        dt_test_thread_return(thread);
    }
    dt_test_thread_note(thread, DT_NOTE_MARKER, NULL, 0, "a note");
    g_autofree char *name = dt_test_process_file(process);
    fixture->file = g_build_filename(fixture->path, name, NULL);
    dt_test_run_finish(writer);
    g_free(dt_read_file(fixture->file, &fixture->size));
    fixture->functions = dt_functions_new();
    fixture->run = dt_run_open(fixture->path, fixture->functions, NULL);
    g_assert_nonnull(fixture->run);
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
    (void)data;
    dt_run_free(fixture->run);
    dt_functions_unref(fixture->functions);
    dt_remove_tree(fixture->path);
    g_free(fixture->path);
    g_free(fixture->file);
}

static guint64 read_rest(DtReader *reader)
{
    guint32 events[BATCH];
    guint64 total = 0;
    for (gsize count; (count = dt_reader_next(reader, events, BATCH)) > 0;)
        total += count;
    return total;
}

/* At any size: of what the run knew, nothing may be believed any more. */
static void test_before_opening(Fixture *fixture, gconstpointer data)
{
    (void)data;
    const DtTrace *trace = dt_run_trace(fixture->run, 0);
    guint refused = 0;
    for (gssize size = (gssize)fixture->size - 1; size >= 0; size -= 997) {
        g_autoptr(GError) error = NULL;
        g_assert_cmpint(truncate(fixture->file, size), ==, 0);
        g_autoptr(DtReader) reader = dt_reader_open(fixture->run, trace, DT_NAMES_ALONE, &error);
        g_autoptr(DtNotes) notes = dt_notes_open(fixture->run, trace, NULL);
        g_assert_true(dt_notes_count(notes) == 1 || dt_notes_problem(notes));
        refused += reader ? 0 : 1;
        if (!reader)
            g_assert_nonnull(strstr(error->message, "shrunk"));
        guint64 events = reader ? read_rest(reader) : 0;
        g_assert_cmpuint(events, <=, 2 * CALLS);
        g_assert_true(!reader || events == 2 * CALLS || dt_reader_problem(reader));
    }
    g_assert_cmpuint(refused, >, 0);
}

static void test_while_reading(Fixture *fixture, gconstpointer data)
{
    (void)data;
    guint32 events[BATCH];
    g_autoptr(DtReader) reader = dt_reader_open(fixture->run, dt_run_trace(fixture->run, 0), DT_NAMES_ALONE, NULL);
    g_assert_cmpuint(dt_reader_next(reader, events, BATCH), ==, BATCH);
    g_assert_null(dt_reader_problem(reader));
    g_assert_cmpint(truncate(fixture->file, 2 * DT_CHUNK_ALIGN), ==, 0);
    guint64 rest = read_rest(reader);
    g_assert_cmpuint(rest, <, 2 * CALLS - BATCH);
    g_assert_nonnull(strstr(dt_reader_problem(reader), "shorter"));
    g_assert_nonnull(strstr(dt_reader_problem(reader), "processes/"));

    /* Anywhere else in it, too. */
    dt_reader_seek(reader, CALLS);
    read_rest(reader);
    g_assert_nonnull(strstr(dt_reader_problem(reader), "shorter"));
}

static void test_vanished(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autoptr(GError) error = NULL;
    g_autoptr(DtReader) reader = dt_reader_open(fixture->run, dt_run_trace(fixture->run, 0), DT_NAMES_ALONE, NULL);
    g_assert_cmpint(unlink(fixture->file), ==, 0);
    g_assert_cmpuint(read_rest(reader), ==, 2 * CALLS);
    g_assert_null(dt_reader_problem(reader));
    g_assert_null(dt_reader_open(fixture->run, dt_run_trace(fixture->run, 0), DT_NAMES_ALONE, &error));
    g_assert_nonnull(strstr(error->message, "processes/"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    static const guint32 codecs[] = {DT_CODEC_PARLOT, DT_CODEC_TZ, DT_CODEC_RAW, DT_CODEC_LZR};
    for (guint i = 0; i < G_N_ELEMENTS(codecs); i++) {
        const char *codec = dt_codec_name(codecs[i]);
        gconstpointer data = GUINT_TO_POINTER(codecs[i]);
        g_autofree char *before = g_strdup_printf("/decoder/shrinking/before-opening/%s", codec);
        g_autofree char *reading = g_strdup_printf("/decoder/shrinking/while-reading/%s", codec);
        g_autofree char *vanished = g_strdup_printf("/decoder/shrinking/vanished/%s", codec);
        g_test_add(before, Fixture, data, set_up, test_before_opening, tear_down);
        g_test_add(reading, Fixture, data, set_up, test_while_reading, tear_down);
        g_test_add(vanished, Fixture, data, set_up, test_vanished, tear_down);
    }
    return g_test_run();
}
