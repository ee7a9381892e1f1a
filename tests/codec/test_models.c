/*
 * The codecs with a model of the program: what test_codecs.c cannot know of them.
 * Streams with call stacks, escapes and long repetitions; words chosen so that
 * each costs as much as it can; truncated and damaged code.
 */
#include <glib.h>
#include <string.h>

#include "coding.h"
#include "programs.h"
#include "support/assert_same.h"
#include "support/random.h"

static const guint32 codecs[] = {DT_CODEC_TZ, DT_CODEC_LZR};

typedef struct {
    guint32 codec;
    gsize program;
} Case;

/* ---- round trips --------------------------------------------------------------- */

static void test_round_trip(gconstpointer data)
{
    const Case *test = data;
    g_autoptr(GRand) random = dt_test_random();
    g_autoptr(GArray) words = dt_program_words(test->program, random);
    g_autoptr(GByteArray) code = dt_encode_all(test->codec, words, words->len, 512);
    dt_assert_decodes(test->codec, code, NULL, words, words->len, 4096);
    dt_assert_decodes(test->codec, code, NULL, words, words->len, 7);

    /* The code does not depend on how the words are cut into batches. */
    for (guint i = 0; i < 3; i++) {
        gsize batch = (gsize)g_rand_int_range(random, 1, 5000);
        g_autoptr(GByteArray) other = dt_encode_all(test->codec, words, words->len, batch);
        dt_assert_same(code->data, code->len, other->data, other->len);
    }
}

/* As the tracer does it: some batches, each with a suspend after which all so far decodes; then a new segment. */
static void test_segments(gconstpointer data)
{
    const Case *test = data;
    g_autoptr(GRand) random = dt_test_random();
    g_autoptr(GArray) words = dt_program_words(test->program, random);
    g_autofree void *state = g_malloc0(dt_codec_encoder_bytes(test->codec));
    g_autoptr(GByteArray) code = g_byte_array_new();
    gsize start = 0, done = 0, checks = 0;
    while (done < words->len) {
        gboolean ends = g_rand_int_range(random, 0, 40) == 0;
        if (start == done) {
            dt_codec_encoder_init(test->codec, state);
            g_byte_array_set_size(code, 0);
        }
        gsize part = MIN((gsize)g_rand_int_range(random, 1, 1200), words->len - done);
        g_autofree guint8 *out = g_malloc(dt_codec_bound(test->codec, part));
        gsize bytes = dt_codec_encode(test->codec, state, &g_array_index(words, guint16, done), part, out);
        g_byte_array_append(code, out, (guint)bytes);
        done += part;
        GArray rest = {words->data + 2 * start, (guint)(words->len - start)};
        guint8 pending[DT_CODEC_PENDING_BYTES];
        dt_codec_suspend(test->codec, state, pending);
        if (++checks % 8 == 1)
            dt_assert_decodes(test->codec, code, pending, &rest, done - start, 997);
        if (ends || done == words->len) {
            g_autofree guint8 *end = g_malloc(dt_codec_bound(test->codec, 0));
            bytes = dt_codec_finish(test->codec, state, end);
            g_byte_array_append(code, end, (guint)bytes);
            dt_assert_decodes(test->codec, code, NULL, &rest, done - start, 4096);
            start = done;
        }
    }
}

/* ---- bounds --------------------------------------------------------------------- */

/* Of a few words that one which gives most code, at each step. */
static void test_most_expensive_words(gconstpointer data)
{
    const Case *test = data;
    g_autoptr(GRand) random = dt_test_random();
    gsize size = dt_codec_encoder_bytes(test->codec);
    g_autofree guint8 *state = g_malloc0(size), *best_state = g_malloc0(size), *trial = g_malloc0(size);
    g_autofree guint8 *out = g_malloc(dt_codec_bound(test->codec, 1));
    gsize total = 0, most = 0;
    enum { WORDS = 300, CANDIDATES = 6 };
    dt_codec_encoder_init(test->codec, state);
    for (guint i = 0; i < WORDS; i++) {
        gsize worst = 0;
        for (guint j = 0; j < CANDIDATES; j++) {
            guint16 word = (guint16)(j == 0 ? 0 : j < 3 ? (guint)g_rand_int_range(random, 1, 6) : g_rand_int(random));
            memcpy(trial, state, size);
            gsize bytes = dt_codec_encode(test->codec, trial, &word, 1, out);
            g_assert_cmpuint(bytes, <=, dt_codec_bound(test->codec, 1));
            if (j == 0 || bytes > worst) {
                worst = bytes;
                memcpy(best_state, trial, size);
            }
        }
        memcpy(state, best_state, size);
        total += worst;
        most = MAX(most, worst);
    }
    g_test_message("%" G_GSIZE_FORMAT " bytes, at most %" G_GSIZE_FORMAT " a word", total, most);
    g_assert_cmpuint(total, <=, dt_codec_bound(test->codec, WORDS));
    g_assert_cmpuint(total, >, WORDS); /* or this test does not look for what is expensive */
}

/* What was foretold refuted after as many hits as fit in memory: the longest position there is in one word. */
static void test_miss_after_long_streak(gconstpointer data)
{
    const Case *test = data;
    enum { HITS = 1 << 21 };
    g_autofree void *state = g_malloc0(dt_codec_encoder_bytes(test->codec));
    g_autofree guint16 *words = g_new0(guint16, HITS);
    g_autofree guint8 *out = g_malloc(dt_codec_bound(test->codec, HITS));
    dt_codec_encoder_init(test->codec, state);
    gsize bytes = dt_codec_encode(test->codec, state, words, HITS, out);
    g_assert_cmpuint(bytes, <, 64);
    guint16 other = 54321;
    bytes = dt_codec_encode(test->codec, state, &other, 1, out);
    g_assert_cmpuint(bytes, <=, dt_codec_bound(test->codec, 1));
    g_assert_cmpuint(bytes, >, 0);
}

/* ---- damage --------------------------------------------------------------------- */

/* Whatever the code is cut down to, what comes out is how the words begin. */
static void test_truncated(gconstpointer data)
{
    const Case *test = data;
    g_autoptr(GRand) random = dt_test_random();
    g_autoptr(GArray) words = dt_program_words(test->program, random);
    gsize count = MIN(words->len, 20000), before = 0;
    g_autoptr(GByteArray) code = dt_encode_all(test->codec, words, count, 512);
    g_autofree guint16 *decoded = g_new(guint16, count);
    guint8 nothing[DT_CODEC_PENDING_BYTES] = {0};
    gsize step = 1 + code->len / 150;
    for (gsize bytes = 0; bytes < code->len; bytes += step) {
        gboolean at_end;
        gsize got =
            dt_decode_all(test->codec, code->data, bytes, bytes % 2 ? nothing : NULL, decoded, count, 4096, &at_end);
        g_assert_false(at_end);
        g_assert_cmpuint(got, >=, before);
        dt_assert_same(decoded, 2 * got, words->data, 2 * got);
        before = got;
    }
    /* All but a few bytes give all but what these hold. */
    g_assert_cmpuint(code->len < 100 || before > count / 2, ==, TRUE);
}

/* A flipped bit changes what comes out, or at_end tells: never the same words and a good end. */
static void test_flipped_bits(gconstpointer data)
{
    const Case *test = data;
    g_autoptr(GRand) random = dt_test_random();
    g_autoptr(GArray) words = dt_program_words(test->program, random);
    gsize count = MIN(words->len, 3000);
    g_autoptr(GByteArray) code = dt_encode_all(test->codec, words, count, 512);
    g_autofree guint16 *decoded = g_new(guint16, count);
    for (guint i = 0; i < 200 && code->len > 0; i++) {
        guint at = (guint)g_rand_int_range(random, 0, (gint)code->len);
        guint8 bit = (guint8)(1u << g_rand_int_range(random, 0, 8));
        gboolean at_end;
        code->data[at] ^= bit;
        gsize got = dt_decode_all(test->codec, code->data, code->len, NULL, decoded, count, 4096, &at_end);
        code->data[at] ^= bit;
        g_assert_cmpuint(got, <=, count);
        g_assert_false(at_end && got == count && memcmp(decoded, words->data, 2 * count) == 0);
    }
    /* Bytes more than there should be are damage as well. */
    g_autoptr(GByteArray) longer = g_byte_array_new();
    guint8 zero = 0;
    gboolean at_end;
    g_byte_array_append(longer, code->data, code->len);
    g_byte_array_append(longer, &zero, 1);
    dt_decode_all(test->codec, longer->data, longer->len, NULL, decoded, count, 4096, &at_end);
    g_assert_false(at_end);
}

static void test_garbage(gconstpointer data)
{
    const Case *test = data;
    g_autoptr(GRand) random = dt_test_random();
    enum { WORDS = 200000 };
    g_autofree guint16 *decoded = g_new(guint16, WORDS);
    for (guint round = 0; round < 150; round++) {
        gsize bytes = (gsize)g_rand_int_range(random, 0, 3000);
        g_autofree guint8 *code = g_malloc(bytes + 1);
        guint8 pending[DT_CODEC_PENDING_BYTES];
        gboolean at_end;
        for (gsize i = 0; i < bytes; i++)
            code[i] = round % 3 == 0 ? 255 : round % 3 == 1 ? 0 : (guint8)g_rand_int(random);
        for (gsize i = 0; i < sizeof(pending); i++)
            pending[i] = (guint8)g_rand_int(random);
        g_assert_cmpuint(dt_decode_all(test->codec, code, bytes, pending, decoded, WORDS, 4096, &at_end), <=, WORDS);
    }
}

static void test_state_size(gconstpointer data)
{
    const Case *test = data;
    g_assert_cmpuint(dt_codec_encoder_bytes(test->codec), <=, 300 * 1024);
}

static void add(const char *what, const char *name, Case test, GTestDataFunc function)
{
    g_autofree char *path = g_strdup_printf("/codec/%s/%s/%s", dt_codec_name(test.codec), what, name);
    g_test_add_data_func_full(path, g_memdup2(&test, sizeof(test)), function, g_free);
}

static void add_for_programs(const char *what, guint32 codec, GTestDataFunc function)
{
    for (gsize i = 0; i < DT_PROGRAMS; i++)
        add(what, dt_program_name(i), (Case){codec, i}, function);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (gsize i = 0; i < G_N_ELEMENTS(codecs); i++) {
        Case only = {codecs[i], 0};
        add_for_programs("round-trip", codecs[i], test_round_trip);
        add_for_programs("segments", codecs[i], test_segments);
        add_for_programs("truncated", codecs[i], test_truncated);
        add_for_programs("flipped-bits", codecs[i], test_flipped_bits);
        add("bound", "most-expensive-words", only, test_most_expensive_words);
        add("bound", "miss-after-long-streak", only, test_miss_after_long_streak);
        add("bound", "state", only, test_state_size);
        add("damage", "garbage", only, test_garbage);
    }
    return g_test_run();
}
