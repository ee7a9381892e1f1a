/*
 * Readers anywhere in a trace: at any position what comes is what reading from the start gives there, and so are the
 * open calls; parts, one after the other, are the trace; counting them in parallel gives the same numbers.
 */
#include <string.h>

#include "codec/codec.h"
#include "damage_support.h"
#include "decoder/decoder.h"
#include "support/assert_same.h"
#include "support/random.h"
#include "support/test_run.h"

enum { CALLS = 6000, POSITIONS = 150, BATCH = 1000, LARGE_IDS = 65600 };

typedef enum { WHOLE, LOST_SEGMENTS, LOST_CHUNK, CUT, LOST_FUNCTIONS, LARGE_FUNCTION_IDS } Kind;

/* ---- the run ---------------------------------------------------------------------------------- */

static void write_run(const char *path, guint32 codec, Kind kind, GRand *random, char **file)
{
    DtTestRun *writer = dt_test_run_new(path);
    DtTestProcess *process = dt_test_run_process(writer, 0);
    DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, 0);
    process->codec = codec;
    process->tables_first = TRUE;
    thread->segment_words = 500;
    thread->finish = g_rand_boolean(random);
    thread->tail_words = g_rand_boolean(random) ? 300 : 0;
    for (guint i = 0; kind == LARGE_FUNCTION_IDS && i < LARGE_IDS; i++) {
        g_autofree char *name = g_strdup_printf("g%u", i);
        dt_test_process_id(process, name);
    }
    dt_test_thread_call(thread, "main");
    for (guint i = 0; i < CALLS; i++) {
        guint number = i < CALLS / 2 ? i % 7 : (guint)g_rand_int_range(random, 0, 40);
        g_autofree char *name = g_strdup_printf("f%u", number);
        dt_test_thread_call(thread, name);
        /* Ids that no record tells: their calls are left out. */
        if (kind == LOST_FUNCTIONS && g_rand_int_range(random, 0, 60) == 0)
            dt_test_thread_event(thread, 60000);
        for (gint back = g_rand_int_range(random, 0, 100); back > 2 && back < 100; back = back == 99 ? 4 : 0)
            dt_test_thread_return(thread);
    }
    g_autofree char *name = dt_test_process_file(process);
    *file = g_build_filename(path, name, NULL);
    dt_test_run_finish(writer);
}

static gsize find_magic(const char *bytes, gsize size, guint32 magic, guint number)
{
    for (gsize at = DT_CHUNK_ALIGN; at + sizeof(magic) <= size; at++)
        if (memcmp(bytes + at, &magic, sizeof(magic)) == 0 && number-- == 0)
            return at;
    g_error("not in the file");
    return 0;
}

static gsize find_data_chunk(const char *bytes, gsize size, guint32 sequence)
{
    struct dt_chunk_header chunk;
    for (gsize at = DT_CHUNK_ALIGN; at < size; at += chunk.bytes) {
        memcpy(&chunk, bytes + at, sizeof(chunk));
        if (chunk.type == DT_CHUNK_DATA && chunk.sequence == sequence)
            return at;
    }
    g_error("not in the file");
    return 0;
}

static void damage(const char *file, Kind kind)
{
    gsize size;
    g_autofree char *bytes = dt_read_file(file, &size);
    if (kind == LOST_SEGMENTS) {
        bytes[find_magic(bytes, size, DT_SEGMENT_MAGIC, 2) + 45] ^= 1;
        bytes[find_magic(bytes, size, DT_SEGMENT_MAGIC, 3)] ^= 1;
        bytes[find_magic(bytes, size, DT_SEGMENT_MAGIC, 8) + 8] ^= 1;
    } else if (kind == LOST_CHUNK) {
        memset(bytes + find_data_chunk(bytes, size, 0), 0, sizeof(struct dt_chunk_header));
    } else if (kind == CUT) {
        size = find_magic(bytes, size, DT_SEGMENT_MAGIC, 9) + 200;
    }
    dt_write_bytes(file, bytes, size);
}

/* ---- reading from the start, the oracle ---------------------------------------------------------- */

typedef struct {
    GArray *events, *positions; /* guint32, guint64 */
} Trace;

static void append_rest(DtReader *reader, Trace *trace)
{
    guint32 events[BATCH];
    guint64 positions[BATCH];
    gsize count;
    while ((count = dt_reader_next_at(reader, events, positions, BATCH)) > 0) {
        g_array_append_vals(trace->events, events, (guint)count);
        g_array_append_vals(trace->positions, positions, (guint)count);
    }
}

static Trace new_trace(void)
{
    return (Trace){g_array_new(FALSE, FALSE, sizeof(guint32)), g_array_new(FALSE, FALSE, sizeof(guint64))};
}

static void clear_trace(Trace *trace)
{
    g_array_unref(trace->events);
    g_array_unref(trace->positions);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Trace, clear_trace)

static guint64 position_of(const Trace *trace, guint event)
{
    return g_array_index(trace->positions, guint64, event);
}

static void check_open_calls(const DtReader *reader, const Trace *trace, guint events)
{
    g_autoptr(DtCallStack) stack = dt_call_stack_new();
    guint depth;
    const guint32 *calls = dt_reader_open_calls(reader, &depth);
    for (guint i = 0; i < events; i++)
        dt_call_stack_apply(stack, g_array_index(trace->events, guint32, i));
    dt_assert_same(calls, depth * sizeof(*calls), dt_call_stack_frames(stack),
                   dt_call_stack_depth(stack) * sizeof(*calls));
}

/* ---- positions -------------------------------------------------------------------------------------- */

static void check_rest(DtReader *reader, const Trace *trace, guint from, gboolean in_batches)
{
    g_auto(Trace) rest = new_trace();
    DtEventBatch batch;
    if (!in_batches)
        append_rest(reader, &rest);
    while (in_batches && dt_reader_next_batch(reader, &batch))
        for (guint64 i = 0; i < batch.times; i++)
            g_array_append_vals(rest.events, batch.events, (guint)batch.count);
    guint count = trace->events->len - from;
    dt_assert_same(rest.events->data, rest.events->len * sizeof(guint32),
                   count ? &g_array_index(trace->events, guint32, from) : NULL, count * sizeof(guint32));
    if (!in_batches)
        dt_assert_same(rest.positions->data, rest.positions->len * sizeof(guint64),
                       count ? &g_array_index(trace->positions, guint64, from) : NULL, count * sizeof(guint64));
}

static void check_position(DtReader *reader, const Trace *trace, guint64 wanted, gboolean in_batches)
{
    guint events = 0;
    dt_reader_seek(reader, wanted);
    guint64 position = dt_reader_position(reader),
            end = trace->positions->len > 0 ? position_of(trace, trace->positions->len - 1) : 0;
    while (events < trace->events->len && position_of(trace, events) <= position) {
        /* What is passed over is lost: nothing of it is in the trace. */
        guint64 passed = position_of(trace, events++);
        g_assert_true(passed <= wanted || passed == position);
    }
    g_assert_true(position >= MIN(wanted, end));
    check_open_calls(reader, trace, events);
    check_rest(reader, trace, events, in_batches);
}

/* ---- parts -------------------------------------------------------------------------------------------- */

static void check_parts(const DtReader *reader, const Trace *trace)
{
    g_auto(Trace) parts = new_trace();
    for (guint i = 0; i < dt_reader_part_count(reader); i++) {
        g_autoptr(DtReader) part = dt_reader_open_part(reader, i);
        check_open_calls(part, trace, parts.events->len);
        append_rest(part, &parts);
    }
    dt_assert_same(parts.events->data, parts.events->len * sizeof(guint32), trace->events->data,
                   trace->events->len * sizeof(guint32));
}

static void check_statistics(const DtRun *run, const DtTrace *trace, guint64 expected)
{
    guint64 events[2];
    g_autoptr(DtStatistics) one = dt_statistics_new(), many = dt_statistics_new();
    g_assert_true(dt_statistics_add(one, run, trace, 1, &events[0], NULL));
    g_assert_true(dt_statistics_add(many, run, trace, 4, &events[1], NULL));
    g_autoptr(GArray) edges = dt_statistics_edges(one), same = dt_statistics_edges(many);
    g_assert_cmpuint(events[0], ==, expected);
    g_assert_cmpuint(events[1], ==, expected);
    dt_assert_same(edges->data, edges->len * sizeof(DtCallEdge), same->data, same->len * sizeof(DtCallEdge));
}

/* ---- tests ------------------------------------------------------------------------------------------------ */

typedef struct {
    guint32 codec;
    Kind kind;
} Case;

static void test_case(gconstpointer data)
{
    const Case *what = data;
    g_autofree char *path = dt_temporary_directory(), *file = NULL;
    g_autoptr(GRand) random = dt_test_random();
    write_run(path, what->codec, what->kind, random, &file);
    damage(file, what->kind);

    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_run_open(path, functions, NULL);
    const DtTrace *trace = dt_run_trace(run, 0);
    g_autoptr(DtReader) reader = dt_reader_open(run, trace, DT_NAMES_ALONE, NULL);
    g_auto(Trace) sequence = new_trace();
    append_rest(reader, &sequence);
    g_assert_cmpuint(sequence.events->len, >, CALLS / 10);
    guint64 end = position_of(&sequence, sequence.positions->len - 1);
    for (guint i = 0; i < POSITIONS; i++)
        check_position(reader, &sequence, (guint64)g_rand_int_range(random, 0, (gint32)end + 2), i % 2 == 0);
    check_position(reader, &sequence, 0, FALSE);
    check_position(reader, &sequence, end, FALSE);
    check_position(reader, &sequence, G_MAXUINT64, FALSE);
    check_parts(reader, &sequence);
    if (what->kind == WHOLE)
        g_assert_cmpuint(dt_reader_part_count(reader), >, 10);
    check_statistics(run, trace, sequence.events->len);
    dt_remove_tree(path);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    static const char *const names[] = {"whole", "lost-segments", "lost-chunk", "cut", "lost-functions", "large-ids"};
    static const guint32 codecs[] = {DT_CODEC_RAW, DT_CODEC_PARLOT, DT_CODEC_TZ};
    static Case cases[G_N_ELEMENTS(codecs) * G_N_ELEMENTS(names)];
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        cases[i] = (Case){codecs[i % 3], (Kind)(i / 3)};
        g_autofree char *name = g_strdup_printf("/decoder/seek/%s/%s", names[i / 3], dt_codec_name(cases[i].codec));
        g_test_add_data_func(name, &cases[i], test_case);
    }
    return g_test_run();
}
