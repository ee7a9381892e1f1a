/*
 * Damage, at large: bytes of a large run are changed, blocks overwritten, its file cut at random. Every segment that
 * the damage did not hit is still given, byte for byte; what is not reported reads as before; every report names the
 * file and an offset.
 *
 * A round costs little: the file lies in memory, only what was damaged is written and put back, and a trace is decoded
 * only if it is not the same code with the same functions as before - the codecs are functions of their code alone, and
 * before the first round all of it is decoded. Now and then everything is, all the same.
 *
 * DIFFTRACE_DAMAGE=ROUNDS: so many for each codec (default 300). DT_TEST_SEED: other damage.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "codec/codec.h"
#include "damage_support.h"
#include "decoder/decoder.h"
#include "event_text.h"
#include "support/random.h"
#include "support/test_run.h"

enum { FEW_ROUNDS = 300, THREADS = 6, CALLS = 12000, BATCH_EVENTS = 1000, ALL_IS_DECODED_EVERY = 64 };
enum { CHUNK_HEAD = sizeof(struct dt_chunk_header) };

/* ---- the run ---------------------------------------------------------------------------------- */

/* A complete segment of the good file, by its layout alone. */
typedef struct {
    guint32 owner;
    guint64 first_word, words;
    guint8 *code;
    gsize bytes;
    GArray *places; /* of bytes of the file that it needs: starts and ends, guint64 each */
} Segment;

typedef struct {
    char *run, *path, *name; /* the last: of the file, in the run */
    int file;
    char *bytes;
    gsize size;
    GPtrArray *segments;  /* Segment */
    char *description;    /* of the whole run, undamaged */
    guint given_segments; /* by the store, of all traces, open ones and tails too */
    guint functions;      /* known to the run */
} Large;

static void free_segment(gpointer data)
{
    Segment *segment = data;
    g_array_unref(segment->places);
    g_free(segment->code);
    g_free(segment);
}

/* Where byte `at` of the owner's stream is in the file, and that of its chunk's header. */
static gboolean find_byte(const Large *large, guint32 owner, guint64 at, guint64 *place, guint64 *head)
{
    guint64 start = 0;
    struct dt_chunk_header chunk;
    for (gsize offset = DT_CHUNK_ALIGN; offset < large->size; offset += chunk.bytes) {
        memcpy(&chunk, large->bytes + offset, sizeof(chunk));
        if (chunk.type != DT_CHUNK_DATA || chunk.owner != owner)
            continue;
        if (at < start + chunk.bytes - CHUNK_HEAD) {
            *head = offset;
            *place = offset + CHUNK_HEAD + (at - start);
            return TRUE;
        }
        start += chunk.bytes - CHUNK_HEAD;
    }
    return FALSE;
}

static void add_range(GArray *ranges, guint64 start, guint64 end)
{
    g_array_append_val(ranges, start);
    g_array_append_val(ranges, end);
}

/* Copies a part of the stream, and notes where it lies. */
static void gather(const Large *large, Segment *segment, guint64 at, gsize bytes, guint8 *out)
{
    for (gsize done = 0; done < bytes;) {
        guint64 place, head;
        struct dt_chunk_header chunk;
        g_assert_true(find_byte(large, segment->owner, at + done, &place, &head));
        memcpy(&chunk, large->bytes + head, sizeof(chunk));
        gsize part = MIN((gsize)(head + chunk.bytes - place), bytes - done);
        memcpy(out + done, large->bytes + place, part);
        add_range(segment->places, place, place + part);
        add_range(segment->places, head, head + CHUNK_HEAD);
        done += part;
    }
}

static void list_segments(Large *large, guint32 owner)
{
    guint64 at = 0, place, head;
    while (find_byte(large, owner, at, &place, &head)) {
        struct dt_segment_header header;
        Segment *segment = g_new0(Segment, 1);
        segment->owner = owner;
        segment->places = g_array_new(FALSE, FALSE, sizeof(guint64));
        gather(large, segment, at, sizeof(header), (guint8 *)&header);
        if (header.magic != DT_SEGMENT_MAGIC || header.events == 0) {
            free_segment(segment);
            return;
        }
        gsize frames = header.depth * sizeof(guint32);
        g_autofree guint8 *rest = g_malloc(frames + header.bytes);
        gather(large, segment, at + sizeof(header), frames + header.bytes, rest);
        segment->first_word = header.first_event;
        segment->words = header.events;
        segment->bytes = header.bytes;
        segment->code = g_memdup2(rest + frames, header.bytes);
        g_ptr_array_add(large->segments, segment);
        at += sizeof(header) + frames + header.bytes;
    }
}

static void write_thread(DtTestProcess *process, guint number, GRand *random)
{
    DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, number);
    thread->segment_words = 700;
    thread->finish = number % 3 == 0;
    thread->tail_words = 100;
    thread->chunk_bytes = (1 + number % 3) * DT_CHUNK_ALIGN;
    dt_test_thread_call(thread, "main");
    for (guint i = 0; i < CALLS; i++) {
        g_autofree char *name = g_strdup_printf("f%d", g_rand_int_range(random, 0, 1 + (gint)i / 100));
        dt_test_thread_call(thread, name);
        if (g_rand_int_range(random, 0, 50) > 0)
            dt_test_thread_return(thread);
    }
}

/* ---- reading ------------------------------------------------------------------------------------- */

/* What a reader gets in one round. */
typedef struct {
    guint8 *given;  /* by Segment: whether the store gave it */
    guint segments; /* given, of all kinds */
    gboolean reported, has_place;
} Reading;

static void take_report(const Large *large, const char *text, Reading *reading)
{
    reading->reported = TRUE;
    reading->has_place |= strstr(text, large->name) && strstr(text, "offset");
}

/* The segments are in the order of their threads, whose numbers may be damaged. */
static void mark_given(const Large *large, const DtSegment *found, Reading *reading)
{
    for (guint i = 0; i < large->segments->len; i++) {
        const Segment *segment = g_ptr_array_index(large->segments, i);
        if (segment->first_word == found->first_word && segment->words == found->words &&
            segment->bytes == found->bytes && memcmp(segment->code, found->code, found->bytes) == 0)
            reading->given[i] = TRUE;
    }
}

static void read_segments(const Large *large, const DtRun *run, const DtTrace *trace, Reading *reading)
{
    g_autoptr(DtStream) stream = dt_stream_open(run, trace, NULL);
    for (guint i = 0; stream && i < dt_stream_segment_count(stream); i++) {
        const DtSegment *segment = dt_stream_segment(stream, i);
        reading->segments++;
        if (!segment->pending && !segment->cut && segment->words > 0)
            mark_given(large, segment, reading);
    }
}

/* Through the reader, which has to find its way over gaps. */
static void read_events(const Large *large, const DtRun *run, const DtTrace *trace, gboolean decode, Reading *reading)
{
    guint32 events[BATCH_EVENTS];
    g_autoptr(GError) error = NULL;
    g_autoptr(DtReader) reader = dt_reader_open(run, trace, DT_NAMES_ALONE, &error);
    if (!reader)
        take_report(large, error->message, reading);
    while (reader && (decode || dt_reader_problem(reader)) && dt_reader_next(reader, events, BATCH_EVENTS) > 0)
        continue;
    if (reader && dt_reader_problem(reader))
        take_report(large, dt_reader_problem(reader), reading);
}

static void read_run(const Large *large, const DtRun *run, gboolean all, Reading *reading)
{
    for (guint i = 0; i < dt_run_problems(run)->len; i++)
        take_report(large, dt_run_problems(run)->pdata[i], reading);
    gboolean decode = all || dt_functions_count(dt_run_functions(run)) != large->functions;
    for (guint i = 0; i < dt_run_trace_count(run); i++) {
        read_segments(large, run, dt_run_trace(run, i), reading);
        read_events(large, run, dt_run_trace(run, i), decode, reading);
    }
}

/* ---- setting up -------------------------------------------------------------------------------------- */

static void learn_good_run(Large *large)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(GString) reports = g_string_new(NULL);
    large->description = dt_describe_run(large->run, reports);
    g_assert_cmpstr(reports->str, ==, "");
    for (guint32 i = 0; i < THREADS; i++)
        list_segments(large, i);
    g_assert_cmpuint(large->segments->len, >, 30 * THREADS);

    g_autofree guint8 *given = g_new0(guint8, large->segments->len);
    Reading reading = {.given = given};
    g_autoptr(DtRun) run = dt_run_open(large->run, functions, NULL);
    large->functions = dt_functions_count(functions);
    read_run(large, run, TRUE, &reading);
    large->given_segments = reading.segments;
    g_assert_false(reading.reported);
    for (guint i = 0; i < large->segments->len; i++)
        g_assert_true(given[i]);
}

static void set_up(Large *large, guint32 codec, GRand *random)
{
    large->run = dt_directory_in_memory();
    large->segments = g_ptr_array_new_with_free_func(free_segment);
    DtTestRun *writer = dt_test_run_new(large->run);
    DtTestProcess *process = dt_test_run_process(writer, 0);
    process->codec = codec;
    for (guint i = 0; i < THREADS; i++)
        write_thread(process, i, random);
    large->name = dt_test_process_file(process);
    large->path = g_build_filename(large->run, large->name, NULL);
    dt_test_run_finish(writer);
    large->bytes = dt_read_file(large->path, &large->size);
    large->file = open(large->path, O_RDWR | O_CLOEXEC);
    g_assert_cmpint(large->file, >=, 0);
    learn_good_run(large);
}

static void tear_down(Large *large)
{
    close(large->file);
    dt_remove_tree(large->run);
    g_ptr_array_unref(large->segments);
    g_free(large->run);
    g_free(large->path);
    g_free(large->name);
    g_free(large->description);
    g_free(large->bytes);
}

/* ---- damage -------------------------------------------------------------------------------------------- */

static void write_at(const Large *large, const void *bytes, guint64 start, guint64 end)
{
    g_assert_cmpint(pwrite(large->file, bytes, end - start, (off_t)start), ==, (gssize)(end - start));
}

static void overwrite(const Large *large, GRand *random, guint64 most, gboolean zeros, GArray *hit)
{
    guint64 start = (guint64)g_rand_int_range(random, 0, (gint32)large->size);
    guint64 length = (guint64)g_rand_int_range(random, 1, (gint32)most + 1), end = MIN(start + length, large->size);
    g_autofree guint8 *bytes = g_malloc0(length);
    for (guint64 i = 0; !zeros && i < length; i++)
        bytes[i] = (guint8)g_rand_int(random);
    write_at(large, bytes, start, end);
    add_range(hit, start, end);
}

/* Damages the file; what was hit goes to `hit`, starts and ends. */
static void damage(const Large *large, GRand *random, GArray *hit)
{
    static const guint64 longest[] = {1, 64, 6000, 6000};
    gint kind = g_rand_int_range(random, 0, 4);
    for (gint i = kind == 3 ? 0 : g_rand_int_range(random, 1, 6); i > 0; i--)
        overwrite(large, random, longest[kind], kind == 2 && i % 2, hit);
    /* What tells the most lies at the start. */
    if (g_rand_int_range(random, 0, 50) == 0) {
        guint64 end = (guint64)g_rand_int_range(random, 1, 6000);
        g_autofree guint8 *zeros = g_malloc0(end);
        write_at(large, zeros, 0, end);
        add_range(hit, 0, end);
    }
    if (kind == 3 || g_rand_int_range(random, 0, 8) == 0) {
        guint64 start = (guint64)g_rand_int_range(random, 0, (gint32)large->size);
        g_assert_cmpint(ftruncate(large->file, (off_t)start), ==, 0);
        add_range(hit, start, large->size);
    }
}

static void repair(const Large *large, const GArray *hit)
{
    for (guint i = 0; i < hit->len; i += 2) {
        guint64 start = g_array_index(hit, guint64, i), end = g_array_index(hit, guint64, i + 1);
        write_at(large, large->bytes + start, start, end);
    }
}

static gboolean overlap(const GArray *ones, const GArray *others)
{
    for (guint i = 0; i < ones->len; i += 2)
        for (guint k = 0; k < others->len; k += 2)
            if (g_array_index(ones, guint64, i) < g_array_index(others, guint64, k + 1) &&
                g_array_index(others, guint64, k) < g_array_index(ones, guint64, i + 1))
                return TRUE;
    return FALSE;
}

/* ---- rounds ---------------------------------------------------------------------------------------------- */

typedef struct {
    guint same, reported, refused; /* rounds */
    guint64 clean;                 /* segments that were not hit */
} Tally;

static void G_GNUC_NORETURN fail(const Large *large, const GArray *hit, const char *what)
{
    g_autoptr(GString) text = g_string_new(what);
    for (guint k = 0; k < hit->len; k += 2)
        g_string_append_printf(text, "\nhit: %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT,
                               g_array_index(hit, guint64, k), g_array_index(hit, guint64, k + 1));
    g_autoptr(GString) reports = g_string_new(NULL);
    g_free(dt_describe_run(large->run, reports));
    g_error("%s\n%s", text->str, reports->str);
}

static void check_segments(const Large *large, const GArray *hit, const Reading *reading, Tally *tally)
{
    for (guint i = 0; i < large->segments->len; i++) {
        const Segment *segment = g_ptr_array_index(large->segments, i);
        if (overlap(segment->places, hit))
            continue;
        tally->clean++;
        if (!reading->given[i])
            fail(large, hit, "a segment that was not hit is not given");
    }
}

static void check_round(const Large *large, const GArray *hit, gboolean all, Tally *tally)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(GError) error = NULL;
    g_autoptr(DtRun) run = dt_run_open(large->run, functions, &error);
    g_autofree guint8 *given = g_new0(guint8, large->segments->len);
    Reading reading = {.given = given};
    if (run)
        read_run(large, run, all, &reading);
    else
        take_report(large, error->message, &reading);
    if (reading.reported && !reading.has_place)
        fail(large, hit, "no report names the file and an offset");
    /* A version that is not ours cannot be told from a damaged one. */
    if (run || !g_error_matches(error, DT_STORE_ERROR, DT_STORE_ERROR_VERSION))
        check_segments(large, hit, &reading, tally);
    tally->refused += run ? 0 : 1;
    tally->reported += run && reading.reported ? 1 : 0;
    if (reading.reported)
        return;
    tally->same++;
    g_autoptr(GString) reports = g_string_new(NULL);
    g_autofree char *description = dt_describe_run(large->run, reports);
    if (reading.segments != large->given_segments || !g_str_equal(description, large->description))
        fail(large, hit, "other events, and no report");
}

static void test_random(gconstpointer data)
{
    Large large = {0};
    Tally tally = {0};
    g_autoptr(GRand) random = dt_test_random();
    set_up(&large, GPOINTER_TO_UINT(data), random);
    guint rounds = dt_damage_rounds(FEW_ROUNDS);
    for (guint round = 0; round < rounds; round++) {
        g_autoptr(GArray) hit = g_array_new(FALSE, FALSE, sizeof(guint64));
        damage(&large, random, hit);
        check_round(&large, hit, round % ALL_IS_DECODED_EVERY == 0, &tally);
        repair(&large, hit);
    }
    g_test_message("%u rounds on %" G_GSIZE_FORMAT " bytes, %u segments: %u without effect, %u reported, %u refused; "
                   "%" G_GUINT64_FORMAT " segments were not hit, all given",
                   rounds, large.size, large.segments->len, tally.same, tally.reported, tally.refused, tally.clean);
    tear_down(&large);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    dt_keep_freed_memory();
    dt_without_debug_lines();
    static const guint32 codecs[] = {DT_CODEC_PARLOT, DT_CODEC_TZ, DT_CODEC_RAW, DT_CODEC_LZR};
    for (guint i = 0; i < G_N_ELEMENTS(codecs); i++) {
        g_autofree char *path = g_strconcat("/decoder/damage-campaign/", dt_codec_name(codecs[i]), NULL);
        g_test_add_data_func(path, GUINT_TO_POINTER(codecs[i]), test_random);
    }
    return g_test_run();
}
