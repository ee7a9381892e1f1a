/*
 * Damage, at large. A small run, sealed as the collector leaves runs: every byte of every file is changed, and what is
 * read is the same or there is a report that names the file. Large runs: bytes are changed, blocks overwritten, files
 * cut at random; every segment that the damage did not hit still gives its words.
 *
 * DIFFTRACE_DAMAGE=ROUNDS: so many random rounds (default 300); with 10000 and more the small run's bytes get all 255
 * other values instead of one.
 */
#include <string.h>

#include "decoder/decoder.h"
#include "event_text.h"
#include "format/codec.h"
#include "support/random.h"
#include "support/run_writer.h"

enum { FEW_ROUNDS = 300, MANY_ROUNDS = 10000, CHUNK_HEAD = sizeof(struct dt_chunk_header) };

static guint rounds(void)
{
    const char *text = g_getenv("DIFFTRACE_DAMAGE");
    return text ? (guint)g_ascii_strtoull(text, NULL, 10) : FEW_ROUNDS;
}

static char *read_file(const char *path, gsize *size)
{
    char *bytes = NULL;
    g_assert_true(g_file_get_contents(path, &bytes, size, NULL));
    return bytes;
}

/* ---- a small run ------------------------------------------------------------------------------ */

static const char *const events[] = {
    "main MPI_Init < solve step MPI_Send < MPI_Recv < < step puts@plt < < step MPI_Send < MPI_Recv < < <",
    "work lock a < b < c < unlock < lock a < b < c < unlock < lock",
};

static void write_small_run(const char *path, guint32 codec)
{
    DtRunWriter *writer = dt_run_writer_new(path);
    DtProcessWriter *process = dt_run_writer_process(writer, 0);
    process->codec = codec;
    for (guint i = 0; i < G_N_ELEMENTS(events); i++) {
        DtThreadWriter *thread = dt_process_writer_thread(process, DT_THREAD_APP, i);
        thread->segment_words = 9;
        thread->finish = i == 0;
        thread->tail_words = 4;
        thread->two_tails = i == 1;
        dt_thread_writer_events(thread, events[i]);
    }
    dt_run_writer_finish(writer);
}

/* All that a user sees of a run, and after it the reports. */
static char *describe(const char *path, gboolean *reported, GString *reports)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(GError) error = NULL;
    g_autoptr(DtRun) run = dt_run_open(path, functions, &error);
    GString *text = g_string_new(NULL);
    g_string_truncate(reports, 0);
    if (!run)
        g_string_append_printf(reports, "%s\n", error->message);
    for (guint i = 0; run && i < dt_run_problems(run)->len; i++)
        g_string_append_printf(reports, "%s\n", (const char *)dt_run_problems(run)->pdata[i]);
    for (guint i = 0; run && i < dt_run_trace_count(run); i++) {
        const DtTrace *trace = dt_run_trace(run, i);
        g_autofree char *problem = NULL;
        g_autofree char *flat = dt_event_text(run, trace, 1000, &problem);
        g_string_append_printf(text, "%s %s %s %d %d %d %s\n", trace->label, trace->process->host,
                               trace->process->executable, trace->process->end, trace->process->status, trace->returned,
                               flat);
        if (problem)
            g_string_append_printf(reports, "%s\n", problem);
    }
    *reported = reports->len > 0;
    return g_string_free(text, FALSE);
}

static guint change_bytes(const char *run, const char *name, GRand *random)
{
    g_autofree char *file = g_build_filename(run, name, NULL);
    g_autoptr(GString) reports = g_string_new(NULL);
    gsize size;
    gboolean reported;
    g_autofree char *bytes = read_file(file, &size), *good = describe(run, &reported, reports);
    g_assert_cmpstr(reports->str, ==, "");
    guint values = rounds() >= MANY_ROUNDS ? 255 : 1, found = 0, changes = 0;
    for (gsize at = 0; at < size; at++) {
        char old = bytes[at];
        for (guint i = 0; i < values; i++) {
            bytes[at] = (char)(old ^ (values == 255 ? (gint)i + 1 : g_rand_int_range(random, 1, 256)));
            dt_write_bytes(file, bytes, size);
            g_autofree char *text = describe(run, &reported, reports);
            if (!reported && !g_str_equal(text, good))
                g_error("%s: byte %" G_GSIZE_FORMAT ": 0x%02x for 0x%02x: other events and no report\n%s", name, at,
                        (guint8)bytes[at], (guint8)old, text);
            if (reported && !strstr(reports->str, name))
                g_error("%s: byte %" G_GSIZE_FORMAT ": a report that does not name the file: %s", name, at,
                        reports->str);
            if (reported && g_str_has_suffix(name, ".trace") && !strstr(reports->str, "offset") &&
                !strstr(reports->str, "version"))
                g_error("%s: byte %" G_GSIZE_FORMAT ": a report without an offset: %s", name, at, reports->str);
            found += reported ? 1 : 0;
            changes++;
        }
        bytes[at] = old;
    }
    dt_write_bytes(file, bytes, size);
    g_test_message("%s: %u changes of single bytes, %u reported, the others without effect", name, changes, found);
    return found;
}

static void test_every_byte(gconstpointer data)
{
    g_autofree char *run = dt_temporary_directory();
    g_autoptr(GRand) random = dt_test_random();
    write_small_run(run, GPOINTER_TO_UINT(data));
    g_autofree char *images = g_build_filename(run, "images", NULL);
    g_autoptr(GDir) folder = g_dir_open(images, 0, NULL);
    const char *name;
    g_assert_cmpuint(change_bytes(run, "processes/node1.1000.trace", random), >, 4000);
    while ((name = g_dir_read_name(folder))) {
        g_autofree char *path = g_build_filename("images", name, NULL);
        g_assert_cmpuint(change_bytes(run, path, random), >, 50);
    }
    dt_remove_tree(run);
}

/* ---- large runs ---------------------------------------------------------------------------------- */

/* A segment of the good file, by its layout alone. */
typedef struct {
    guint32 owner;
    guint64 first_word, words;
    guint32 words_crc;
    GArray *places; /* of bytes of the file: starts and ends, guint64 each */
} Segment;

static void free_segment(gpointer data)
{
    Segment *segment = data;
    g_array_unref(segment->places);
    g_free(segment);
}

typedef struct {
    char *run, *file, *bytes, *good; /* the last: all of it, described */
    gsize size;
    GPtrArray *segments; /* Segment: complete ones */
} Large;

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

static void add_place(Segment *segment, guint64 start, guint64 end)
{
    g_array_append_val(segment->places, start);
    g_array_append_val(segment->places, end);
}

/* Copies a part of the stream, and notes where it lies. */
static void gather(const Large *large, Segment *segment, guint64 at, gsize bytes, guint8 *out)
{
    for (gsize done = 0; done < bytes;) {
        guint64 place, head, chunk_end;
        struct dt_chunk_header chunk;
        g_assert_true(find_byte(large, segment->owner, at + done, &place, &head));
        memcpy(&chunk, large->bytes + head, sizeof(chunk));
        chunk_end = head + chunk.bytes;
        gsize part = MIN((gsize)(chunk_end - place), bytes - done);
        memcpy(out + done, large->bytes + place, part);
        add_place(segment, place, place + part);
        add_place(segment, head, head + CHUNK_HEAD);
        done += part;
    }
}

static guint32 crc_of_words(guint32 codec, const guint8 *code, gsize bytes, guint64 words)
{
    g_autofree void *state = g_malloc0(dt_codec_decoder_bytes(codec));
    g_autofree guint16 *out = g_new(guint16, words + 1);
    dt_codec_decoder_init(codec, state, code, bytes, words, NULL);
    gsize count = dt_codec_decode(codec, state, out, words);
    return dt_crc32(0, out, count * sizeof(*out));
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
        segment->words_crc = crc_of_words(header.codec, rest + frames, header.bytes, header.events);
        g_ptr_array_add(large->segments, segment);
        at += sizeof(header) + frames + header.bytes;
    }
}

static void write_thread(DtProcessWriter *process, guint number, GRand *random)
{
    DtThreadWriter *thread = dt_process_writer_thread(process, DT_THREAD_APP, number);
    thread->segment_words = 700;
    thread->finish = number == 0;
    thread->tail_words = 100;
    thread->chunk_bytes = number == 1 ? 3 * DT_CHUNK_ALIGN : DT_CHUNK_ALIGN;
    dt_thread_writer_call(thread, "main");
    for (guint i = 0; i < 12000; i++) {
        g_autofree char *name = g_strdup_printf("f%d", g_rand_int_range(random, 0, 1 + (gint)i / 100));
        dt_thread_writer_call(thread, name);
        if (g_rand_int_range(random, 0, 50) > 0)
            dt_thread_writer_return(thread);
    }
}

static void set_up(Large *large, guint32 codec, GRand *random)
{
    large->run = dt_temporary_directory();
    large->segments = g_ptr_array_new_with_free_func(free_segment);
    DtRunWriter *writer = dt_run_writer_new(large->run);
    DtProcessWriter *process = dt_run_writer_process(writer, 0);
    process->codec = codec;
    for (guint i = 0; i < 3; i++)
        write_thread(process, i, random);
    g_autofree char *name = dt_process_writer_file(process);
    large->file = g_build_filename(large->run, name, NULL);
    dt_run_writer_finish(writer);
    large->bytes = read_file(large->file, &large->size);
    g_autoptr(GString) reports = g_string_new(NULL);
    gboolean reported;
    large->good = describe(large->run, &reported, reports);
    g_assert_cmpstr(reports->str, ==, "");
    for (guint32 i = 0; i < 3; i++)
        list_segments(large, i);
    g_assert_cmpuint(large->segments->len, >, 60);
}

static void tear_down(Large *large)
{
    dt_remove_tree(large->run);
    g_ptr_array_unref(large->segments);
    g_free(large->run);
    g_free(large->file);
    g_free(large->good);
    g_free(large->bytes);
}

/* A damaged copy: its bytes; what was hit goes to `hit`, starts and ends. */
static char *damage(const Large *large, GRand *random, GArray *hit, gsize *size)
{
    char *bytes = g_memdup2(large->bytes, large->size);
    *size = large->size;
    gint kind = g_rand_int_range(random, 0, 4);
    for (gint i = kind == 3 ? 0 : g_rand_int_range(random, 1, 6); i > 0; i--) {
        guint64 start = (guint64)g_rand_int_range(random, 0, (gint32)large->size);
        guint64 length = kind == 0 ? 1 : (guint64)g_rand_int_range(random, 1, kind == 1 ? 64 : 6000);
        guint64 end = MIN(start + length, large->size);
        for (guint64 at = start; at < end; at++)
            bytes[at] = kind == 2 && i % 2 ? 0 : (char)g_rand_int(random);
        g_array_append_val(hit, start);
        g_array_append_val(hit, end);
    }
    if (kind == 3 || g_rand_int_range(random, 0, 8) == 0) {
        guint64 start = (guint64)g_rand_int_range(random, 0, (gint32)large->size), end = large->size;
        *size = start;
        g_array_append_val(hit, start);
        g_array_append_val(hit, end);
    }
    return bytes;
}

static gboolean is_hit(const Segment *segment, const GArray *hit)
{
    for (guint i = 0; i < segment->places->len; i += 2)
        for (guint k = 0; k < hit->len; k += 2)
            if (g_array_index(segment->places, guint64, i) < g_array_index(hit, guint64, k + 1) &&
                g_array_index(hit, guint64, k) < g_array_index(segment->places, guint64, i + 1))
                return TRUE;
    return FALSE;
}

/* First word and CRC of the words of each segment that the store gives: the number of its thread may be damaged. */
static void collect_segments(const DtRun *run, const DtTrace *trace, GHashTable *found)
{
    g_autoptr(DtStream) stream = dt_stream_open(run, trace, NULL);
    for (guint i = 0; stream && i < dt_stream_segment_count(stream); i++) {
        const DtSegment *segment = dt_stream_segment(stream, i);
        if (segment->pending || segment->cut || segment->words == 0)
            continue;
        guint32 crc = crc_of_words(segment->codec, segment->code, segment->bytes, MIN(segment->words, 1 << 20));
        g_hash_table_add(found, g_strdup_printf("%" G_GUINT64_FORMAT " %08x", segment->first_word, crc));
    }
}

static gboolean is_clear_of_damage(guint64 start, guint64 end, const GArray *hit)
{
    for (guint k = 0; k < hit->len; k += 2)
        if (start < g_array_index(hit, guint64, k + 1) && g_array_index(hit, guint64, k) < end)
            return FALSE;
    return TRUE;
}

typedef struct {
    guint same, reported, refused; /* rounds */
    guint64 clean, lost;           /* segments that were not hit: given, not given */
} Tally;

static void check_round(const Large *large, const GArray *hit, Tally *tally)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(GError) error = NULL;
    g_autoptr(DtRun) run = dt_run_open(large->run, functions, &error);
    if (!run) {
        /* Not if there is a segment to read. */
        g_assert_nonnull(strstr(error->message, "processes/"));
        for (guint i = 0; i < large->segments->len; i++)
            if (is_clear_of_damage(0, sizeof(struct dt_file_header), hit) && !is_hit(large->segments->pdata[i], hit))
                g_error("refused, with a segment that is not damaged: %s", error->message);
        tally->refused++;
        return;
    }
    g_autoptr(GHashTable) found = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    gboolean reported = dt_run_problems(run)->len > 0;
    for (guint i = 0; i < dt_run_trace_count(run); i++) {
        const DtTrace *trace = dt_run_trace(run, i);
        g_autofree char *problem = NULL;
        g_free(dt_event_text(run, trace, 1000, &problem));
        if (problem)
            g_assert_nonnull(strstr(problem, "processes/"));
        reported = reported || problem;
        collect_segments(run, trace, found);
    }
    for (guint i = 0; i < large->segments->len; i++) {
        const Segment *segment = g_ptr_array_index(large->segments, i);
        g_autofree char *key = g_strdup_printf("%" G_GUINT64_FORMAT " %08x", segment->first_word, segment->words_crc);
        gboolean given = g_hash_table_contains(found, key);
        if (is_hit(segment, hit))
            continue;
        tally->clean += given ? 1 : 0;
        tally->lost += given ? 0 : 1;
        if (!given) {
            for (guint k = 0; k < hit->len; k += 2)
                g_test_message("hit: %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT, g_array_index(hit, guint64, k),
                               g_array_index(hit, guint64, k + 1));
            g_autoptr(GString) reports = g_string_new(NULL);
            g_free(describe(large->run, &reported, reports));
            g_error("segment %s of thread %u was not hit and is not given\n%s", key, segment->owner, reports->str);
        }
    }
    tally->reported += reported ? 1 : 0;
    tally->same += reported ? 0 : 1;
    if (!reported) {
        g_autoptr(GString) reports = g_string_new(NULL);
        g_autofree char *text = describe(large->run, &reported, reports);
        g_assert_cmpstr(text, ==, large->good);
    }
}

static void test_random(gconstpointer data)
{
    Large large = {0};
    Tally tally = {0};
    g_autoptr(GRand) random = dt_test_random();
    set_up(&large, GPOINTER_TO_UINT(data), random);
    for (guint round = 0; round < rounds(); round++) {
        g_autoptr(GArray) hit = g_array_new(FALSE, FALSE, sizeof(guint64));
        gsize size;
        g_autofree char *bytes = damage(&large, random, hit, &size);
        dt_write_bytes(large.file, bytes, size);
        check_round(&large, hit, &tally);
    }
    g_test_message("%u rounds on %" G_GSIZE_FORMAT " bytes, %u segments: %u without effect, %u reported, %u refused; "
                   "segments not hit: %" G_GUINT64_FORMAT " read, %" G_GUINT64_FORMAT " not",
                   rounds(), large.size, large.segments->len, tally.same, tally.reported, tally.refused, tally.clean,
                   tally.lost);
    tear_down(&large);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    static const guint32 codecs[] = {DT_CODEC_RAW, DT_CODEC_PARLOT, DT_CODEC_TZ};
    for (guint i = 0; i < G_N_ELEMENTS(codecs); i++) {
        g_autofree char *every = g_strconcat("/decoder/damage-campaign/every-byte/", dt_codec_name(codecs[i]), NULL);
        g_autofree char *random = g_strconcat("/decoder/damage-campaign/random/", dt_codec_name(codecs[i]), NULL);
        g_test_add_data_func(every, GUINT_TO_POINTER(codecs[i]), test_every_byte);
        g_test_add_data_func(random, GUINT_TO_POINTER(codecs[i]), test_random);
    }
    return g_test_run();
}
