/*
 * Compares our codecs with each other and with general compressors on streams of 16-bit words (made by
 * codec-corpus.py): ratio, CPU time per word to encode and decode, and as geometric means. Every code is decoded and
 * compared with the words. Words are encoded in batches, with a suspend after each, as the tracer does it; but the
 * tracer knows terminating functions, and gives LZR the call and the return of one together (bench/results/codec.md).
 *
 *     bench-codec [--rounds N] [--peers] [--segment N] FILE.words...
 *
 * Rounds are interleaved (a round is every codec once), and times are medians. --segment: words of a segment, if not
 * the tracer's.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <glib.h>

#include "codec/codec.h"
#include "codec_peers.h"

enum { BATCH = 512, CODECS = 3, MOST_ROUNDS = 99 };

static const guint32 codecs[CODECS] = {DT_CODEC_LZR, DT_CODEC_TZ, DT_CODEC_PARLOT};

typedef struct {
    guint rounds;
    gboolean peers;
    gsize segment_words;
} Settings;

typedef struct {
    gsize words, bytes;
} Segment;

typedef struct {
    GByteArray *code;
    GArray *segments;
} Encoded;

typedef struct {
    gsize bytes;
    gdouble encode, decode; /* ns per word */
} Result;

static gdouble cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (gdouble)now.tv_sec + (gdouble)now.tv_nsec / 1e9;
}

static void encode_segment(guint32 codec, void *state, const guint16 **words, gsize *left, gsize segment_words,
                           Encoded *encoded)
{
    g_autofree guint8 *staging = g_malloc(dt_codec_bound(codec, BATCH));
    guint8 pending[DT_CODEC_PENDING_BYTES];
    Segment segment = {0, 0};
    dt_codec_encoder_init(codec, state);
    while (*left > 0 && segment.words < segment_words && segment.bytes < DT_SEGMENT_CODE_BYTES) {
        gsize part = MIN(*left, BATCH);
        gsize bytes = dt_codec_encode(codec, state, *words, part, staging);
        dt_codec_suspend(codec, state, pending);
        g_byte_array_append(encoded->code, staging, (guint)bytes);
        segment.bytes += bytes;
        segment.words += part;
        *words += part;
        *left -= part;
    }
    gsize bytes = dt_codec_finish(codec, state, staging);
    g_byte_array_append(encoded->code, staging, (guint)bytes);
    segment.bytes += bytes;
    g_array_append_val(encoded->segments, segment);
}

static gdouble encode(guint32 codec, const guint16 *words, gsize count, gsize segment_words, Encoded *encoded)
{
    void *state = g_malloc0(dt_codec_encoder_bytes(codec));
    g_byte_array_set_size(encoded->code, 0);
    g_array_set_size(encoded->segments, 0);
    gdouble start = cpu_seconds();
    while (count > 0)
        encode_segment(codec, state, &words, &count, segment_words, encoded);
    gdouble seconds = cpu_seconds() - start;
    g_free(state);
    return seconds;
}

static gdouble decode(guint32 codec, const Encoded *encoded, guint16 *words)
{
    void *state = g_malloc0(dt_codec_decoder_bytes(codec));
    const guint8 *code = encoded->code->data;
    gdouble start = cpu_seconds();
    for (guint i = 0; i < encoded->segments->len; i++) {
        const Segment *segment = &g_array_index(encoded->segments, Segment, i);
        dt_codec_decoder_init(codec, state, code, segment->bytes, segment->words, NULL);
        gsize got = dt_codec_decode(codec, state, words, segment->words);
        if (got != segment->words || !dt_codec_at_end(codec, state))
            g_error("%s: segment %u does not decode", dt_codec_name(codec), i);
        words += got;
        code += segment->bytes;
    }
    gdouble seconds = cpu_seconds() - start;
    g_free(state);
    return seconds;
}

static int compare_doubles(const void *first, const void *second)
{
    gdouble one = *(const gdouble *)first, two = *(const gdouble *)second;
    return (one > two) - (one < two);
}

static gdouble median(gdouble *values, guint count)
{
    qsort(values, count, sizeof(*values), compare_doubles);
    return values[count / 2];
}

static void measure(const Settings *settings, const guint16 *words, gsize count, Result results[CODECS])
{
    gdouble encode_ns[CODECS][MOST_ROUNDS], decode_ns[CODECS][MOST_ROUNDS];
    Encoded encoded = {g_byte_array_new(), g_array_new(FALSE, FALSE, sizeof(Segment))};
    guint16 *decoded = g_new(guint16, count);
    for (guint round = 0; round < settings->rounds; round++)
        for (guint i = 0; i < CODECS; i++) {
            encode_ns[i][round] =
                encode(codecs[i], words, count, settings->segment_words, &encoded) * 1e9 / (gdouble)count;
            decode_ns[i][round] = decode(codecs[i], &encoded, decoded) * 1e9 / (gdouble)count;
            results[i].bytes = encoded.code->len;
            if (memcmp(words, decoded, 2 * count) != 0)
                g_error("%s: decoded words differ", dt_codec_name(codecs[i]));
        }
    for (guint i = 0; i < CODECS; i++) {
        results[i].encode = median(encode_ns[i], settings->rounds);
        results[i].decode = median(decode_ns[i], settings->rounds);
    }
    g_byte_array_unref(encoded.code);
    g_array_unref(encoded.segments);
    g_free(decoded);
}

/* Sums of logarithms of a stream's numbers, as printed in the columns. */
enum { COLUMNS = CODECS * 3 + PEERS * 2 };
typedef struct {
    gdouble sum[COLUMNS];
    guint streams;
} Means;

static void print_row(const char *name, gsize words, const gdouble numbers[COLUMNS], guint columns)
{
    g_print("| %s | %" G_GSIZE_FORMAT, name, words);
    for (guint i = 0; i < columns; i++)
        g_print(numbers[i] < 10 ? " | %.2f" : numbers[i] < 100 ? " | %.1f" : " | %.0f", numbers[i]);
    g_print(" |\n");
}

static void run_stream(const Settings *settings, const char *path, Means *means)
{
    g_autofree char *contents = NULL;
    g_autofree char *name = g_path_get_basename(path);
    g_autoptr(GError) error = NULL;
    gsize bytes;
    if (!g_file_get_contents(path, &contents, &bytes, &error))
        g_error("%s", error->message);
    gsize count = bytes / 2;
    if (count == 0)
        return;
    Result results[CODECS];
    measure(settings, (const guint16 *)(void *)contents, count, results);
    gdouble numbers[COLUMNS] = {0}, raw = 2 * (gdouble)count;
    guint columns = 0;
    for (guint i = 0; i < CODECS; i++) {
        numbers[columns++] = raw / (gdouble)results[i].bytes;
        numbers[columns++] = results[i].encode;
        numbers[columns++] = results[i].decode;
    }
    for (guint i = 0; settings->peers && i < PEERS; i++) {
        PeerResult peer = peer_compress(i, path);
        numbers[columns++] = peer.bytes ? raw / (gdouble)peer.bytes : (gdouble)NAN;
        numbers[columns++] = peer.seconds * 1e9 / (gdouble)count;
    }
    if (g_str_has_suffix(name, ".words"))
        name[strlen(name) - strlen(".words")] = 0;
    print_row(name, count, numbers, columns);
    for (guint i = 0; i < columns; i++)
        means->sum[i] += log(numbers[i]);
    means->streams++;
}

static void print_heading(gboolean peers)
{
    g_autoptr(GString) line = g_string_new("| stream | words");
    guint columns = 2;
    for (guint i = 0; i < CODECS; i++, columns += 3)
        g_string_append_printf(line, " | %s | enc ns | dec ns", dt_codec_name(codecs[i]));
    for (guint i = 0; peers && i < PEERS; i++, columns += 2)
        g_string_append_printf(line, " | %s | ns", peer_name(i));
    g_print("%s |\n|---", line->str);
    for (guint i = 1; i < columns; i++)
        g_print("|---:");
    g_print("|\n");
}

int main(int argc, char **argv)
{
    gint rounds = 5, segment_words = DT_SEGMENT_WORDS;
    Settings settings = {0};
    const GOptionEntry entries[] = {
        {"rounds", 'r', 0, G_OPTION_ARG_INT, &rounds, "Rounds, of which times are medians (5)", "N"},
        {"peers", 'p', 0, G_OPTION_ARG_NONE, &settings.peers, "Run gzip, bzip2, xz and zstd as well", NULL},
        {"segment", 's', 0, G_OPTION_ARG_INT, &segment_words, "Words of a segment (16777216, as the tracer)", "N"},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    g_autoptr(GError) error = NULL;
    g_autoptr(GOptionContext) context = g_option_context_new("FILE.words...");
    g_option_context_add_main_entries(context, entries, NULL);
    if (!g_option_context_parse(context, &argc, &argv, &error) || argc < 2) {
        g_printerr("bench-codec: %s\n", error ? error->message : "no streams given");
        return 2;
    }
    settings.rounds = (guint)CLAMP(rounds, 1, MOST_ROUNDS);
    settings.segment_words = (gsize)MAX(segment_words, BATCH);
    Means means = {0};
    print_heading(settings.peers);
    for (int i = 1; i < argc; i++)
        run_stream(&settings, argv[i], &means);
    gdouble numbers[COLUMNS];
    guint columns = CODECS * 3 + (settings.peers ? PEERS * 2 : 0);
    for (guint i = 0; i < columns; i++)
        numbers[i] = exp(means.sum[i] / MAX(means.streams, 1));
    print_row("geometric mean", means.streams, numbers, columns);
    for (guint i = 0; i < CODECS; i++)
        g_print("\nState of %s: %" G_GSIZE_FORMAT " bytes to encode, %" G_GSIZE_FORMAT " to decode.",
                dt_codec_name(codecs[i]), dt_codec_encoder_bytes(codecs[i]), dt_codec_decoder_bytes(codecs[i]));
    g_print("\n");
    return 0;
}
