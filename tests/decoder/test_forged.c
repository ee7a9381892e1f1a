/*
 * Files forged so that every checksum holds. A few bytes of code stand for any number of words: a segment of as
 * many as the format allows is read, one that claims more is reported and left out, and reading comes to an end.
 */
#include <string.h>

#include "damage_support.h"
#include "decoder/decoder.h"
#include "format/checks.h"
#include "support/test_run.h"

enum { CALLS = 2000, SEGMENT_WORDS = 3000 };
static const guint64 TOO_MANY[] = {DT_SEGMENT_MOST_WORDS + 1, G_GUINT64_CONSTANT(10000000000000000), G_MAXUINT64};

typedef struct {
    char *run, *file, *bytes;
    gsize size;
} Fixture;

static void set_up(Fixture *fixture, gsize segment_words, gboolean finish)
{
    fixture->run = dt_temporary_directory();
    DtTestRun *writer = dt_test_run_new(fixture->run);
    DtTestProcess *process = dt_test_run_process(writer, 0);
    DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, 0);
    process->codec = DT_CODEC_LZR;
    process->sealed = FALSE;
    thread->segment_words = segment_words;
    thread->finish = finish;
    /* Two, because the others are of two words, and so is the most. */
    dt_test_thread_call(thread, "main");
    dt_test_thread_call(thread, "solve");
    for (guint i = 0; i < CALLS; i++)
        dt_test_thread_events(thread, i % 2 ? "odd <" : "even <");
    g_autofree char *name = dt_test_process_file(process);
    fixture->file = g_build_filename(fixture->run, name, NULL);
    dt_test_run_finish(writer);
    fixture->bytes = dt_read_file(fixture->file, &fixture->size);
}

static void tear_down(Fixture *fixture)
{
    dt_remove_tree(fixture->run);
    g_free(fixture->run);
    g_free(fixture->file);
    g_free(fixture->bytes);
}

/* ---- forging ---------------------------------------------------------------------------------- */

static char *find_payload(const Fixture *fixture, guint32 type)
{
    struct dt_chunk_header chunk;
    for (gsize at = DT_CHUNK_ALIGN; at < fixture->size; at += chunk.bytes) {
        memcpy(&chunk, fixture->bytes + at, sizeof(chunk));
        if (chunk.type == type)
            return fixture->bytes + at + sizeof(chunk);
    }
    g_error("no such chunk");
    return NULL;
}

/* The first segment, which is complete: it starts without open calls. */
static void forge_segment(const Fixture *fixture, guint64 words)
{
    char *at = find_payload(fixture, DT_CHUNK_DATA);
    struct dt_segment_header header;
    memcpy(&header, at, sizeof(header));
    g_assert_cmpuint(header.depth, ==, 0);
    header.events = words;
    guint32 crc = dt_crc32(dt_segment_crc_begin(&header), at + sizeof(header), header.bytes);
    header.crc32 = dt_segment_crc_end(crc, &header);
    memcpy(at, &header, sizeof(header));
}

static void forge_commit(const Fixture *fixture, guint64 words, gboolean open_segment)
{
    char *at = find_payload(fixture, DT_CHUNK_THREAD);
    struct dt_thread thread;
    memcpy(&thread, at, sizeof(thread));
    struct dt_commit *commit = &thread.commit[thread.selector];
    commit->words = words;
    if (open_segment)
        commit->segment_words = words;
    commit->check = dt_commit_check(commit);
    memcpy(at, &thread, sizeof(thread));
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* How many events; `*problem` is what is wrong with the trace, NULL or g_free(). */
static guint64 read_forged(const Fixture *fixture, char **problem)
{
    dt_write_bytes(fixture->file, fixture->bytes, fixture->size);
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_run_open(fixture->run, functions, NULL);
    g_assert_nonnull(run);
    g_autoptr(DtReader) reader = dt_reader_open(run, dt_run_trace(run, 0), DT_NAMES_ALONE, NULL);
    g_assert_nonnull(reader);
    guint64 events = 0;
    DtEventBatch batch;
    while (dt_reader_next_batch(reader, &batch))
        events += batch.count * batch.times;
    *problem = g_strdup(dt_reader_problem(reader));
    return events;
}

static void assert_refused(const Fixture *fixture, guint64 events_left, guint64 claimed)
{
    g_autofree char *problem = NULL, *claim = g_strdup_printf("it holds %" G_GUINT64_FORMAT " words", claimed);
    g_assert_cmpuint(read_forged(fixture, &problem), ==, events_left);
    g_assert_nonnull(problem);
    g_assert_nonnull(strstr(problem, ".trace: trace 0.0: segment at offset "));
    g_assert_nonnull(strstr(problem, claim));
}

static void test_one_segment(gconstpointer data)
{
    gboolean open_segment = GPOINTER_TO_UINT(data) != 0;
    Fixture fixture;
    set_up(&fixture, 0, !open_segment);
    for (guint i = 0; i <= G_N_ELEMENTS(TOO_MANY); i++) {
        guint64 words = i == 0 ? DT_SEGMENT_MOST_WORDS : TOO_MANY[i - 1];
        g_autofree char *problem = NULL;
        if (!open_segment)
            forge_segment(&fixture, words);
        forge_commit(&fixture, words, open_segment);
        if (i > 0) {
            assert_refused(&fixture, 0, words);
        } else {
            g_assert_cmpuint(read_forged(&fixture, &problem), ==, words);
            g_assert_cmpstr(problem, ==, NULL);
        }
    }
    tear_down(&fixture);
}

/* The segment behind it is given. */
static void test_two_segments(void)
{
    Fixture fixture;
    set_up(&fixture, SEGMENT_WORDS, TRUE);
    for (guint i = 0; i < G_N_ELEMENTS(TOO_MANY); i++) {
        forge_segment(&fixture, TOO_MANY[i]);
        /* It starts in solve, below main: both are entered anew. */
        assert_refused(&fixture, 2 + 2 + 2 * CALLS - SEGMENT_WORDS, TOO_MANY[i]);
    }
    tear_down(&fixture);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/decoder/forged/complete-segment", GUINT_TO_POINTER(FALSE), test_one_segment);
    g_test_add_data_func("/decoder/forged/open-segment", GUINT_TO_POINTER(TRUE), test_one_segment);
    g_test_add_func("/decoder/forged/two-segments", test_two_segments);
    return g_test_run();
}
