/*
 * Every codec: round trips in batches of any size, exactness after each
 * suspend, and safety on garbage. Blocks of code are allocated to their exact
 * size, so that AddressSanitizer sees every read beyond them.
 */
#include <glib.h>
#include <string.h>

#include "codec/codec.h"
#include "support/assert_same.h"
#include "support/random.h"

static const guint32 codecs[] = {DT_CODEC_PARLOT, DT_CODEC_TZ, DT_CODEC_RAW, DT_CODEC_LZR};

typedef guint16 (*WordSource)(GRand *random, gsize position);

static guint16 any_word(GRand *random, gsize position)
{
    (void)position;
    return (guint16)g_rand_int(random);
}

static guint16 few_words(GRand *random, gsize position)
{
    (void)position;
    return (guint16)g_rand_int_range(random, 0, 3);
}

static guint16 nested_loops(GRand *random, gsize position)
{
    static const guint16 body[] = {1, 2, 0, 3, 300, 0, 0};
    if (g_rand_int_range(random, 0, 97) == 0)
        return (guint16)g_rand_int_range(random, 0, 65536);
    return body[position % G_N_ELEMENTS(body)];
}

static guint16 only_returns(GRand *random, gsize position)
{
    (void)random;
    (void)position;
    return 0;
}

/* Loops as long as the history, and longer than the longest match. */
static guint16 long_period(GRand *random, gsize position)
{
    (void)random;
    return (guint16)(position % 65536 * 7);
}

/* The last three words recur, what follows them does not: a count of zero and
   a literal for each word, the most that can come out. */
static guint16 never_as_before(GRand *random, gsize position)
{
    (void)random;
    return position % 4 < 3 ? 0 : (guint16)(position | 0x101);
}

static const struct {
    const char *name;
    WordSource next;
    gsize words;
} sources[] = {
    {"any-word", any_word, 3000},
    {"few-words", few_words, 3000},
    {"nested-loops", nested_loops, 5000},
    {"only-returns", only_returns, 140000},
    {"long-period", long_period, 200000},
    {"never-as-before", never_as_before, 3000},
    {"never-as-before", never_as_before, 1},
    {"any-word", any_word, 0},
};

typedef struct {
    guint32 codec;
    guint source;
} Case;

static guint16 *make_words(GRand *random, guint source)
{
    guint16 *words = g_new(guint16, sources[source].words + 1);
    for (gsize i = 0; i < sources[source].words; i++)
        words[i] = sources[source].next(random, i);
    return words;
}

/* How much to do next of what is left: at random, at most `most`. */
static gsize random_part(GRand *random, gint least, gsize most, gsize left)
{
    gsize part = (gsize)g_rand_int_range(random, least, (gint)most + 1);
    return MIN(part, left);
}

static void assert_decodes(guint32 codec, const guint8 *code, gsize bytes, const guint8 *pending, const guint16 *words,
                           gsize count, GRand *random)
{
    g_autofree void *state = g_malloc0(dt_codec_decoder_bytes(codec));
    g_autofree guint8 *exact = g_memdup2(code, bytes);
    g_autofree guint16 *decoded = g_new(guint16, count + 1);
    gsize done = 0;

    dt_codec_decoder_init(codec, state, exact, bytes, count, pending);
    g_assert_cmpint(dt_codec_at_end(codec, state), ==, count == 0);
    while (done < count) {
        gsize capacity = random_part(random, 1, 5000, count - done);
        gsize got = dt_codec_decode(codec, state, decoded + done, capacity);
        g_assert_cmpuint(got, ==, capacity);
        done += got;
    }
    g_assert_cmpuint(dt_codec_decode(codec, state, decoded + done, 1), ==, 0);
    g_assert_true(dt_codec_at_end(codec, state));
    dt_assert_same(decoded, 2 * done, words, 2 * count);
}

/* Encodes in random batches; `each` of them (0: none) is checked after suspend. */
static void round_trip(const Case *test, void *state, GRand *random, guint each)
{
    gsize count = sources[test->source].words;
    g_autofree guint16 *words = make_words(random, test->source);
    g_autoptr(GByteArray) code = g_byte_array_new();
    gsize done = 0;

    dt_codec_encoder_init(test->codec, state);
    for (guint batch = 1; done < count; batch++) {
        gsize part = random_part(random, 0, count / 40 + 1, count - done);
        gsize bound = dt_codec_bound(test->codec, part);
        g_autofree guint8 *out = g_malloc(bound);
        gsize bytes = dt_codec_encode(test->codec, state, words + done, part, out);
        g_assert_cmpuint(bytes, <=, bound);
        g_byte_array_append(code, out, (guint)bytes);
        done += part;
        guint8 pending[DT_CODEC_PENDING_BYTES];
        dt_codec_suspend(test->codec, state, pending);
        if (each && batch % each == 0)
            assert_decodes(test->codec, code->data, code->len, pending, words, done, random);
    }
    g_autofree guint8 *out = g_malloc(dt_codec_bound(test->codec, 0) + 1);
    gsize bytes = dt_codec_finish(test->codec, state, out);
    g_assert_cmpuint(bytes, <=, dt_codec_bound(test->codec, 0));
    g_byte_array_append(code, out, (guint)bytes);
    g_assert_cmpuint(code->len, <=, dt_codec_bound(test->codec, count));
    assert_decodes(test->codec, code->data, code->len, NULL, words, count, random);
}

static void test_round_trip(gconstpointer data)
{
    const Case *test = data;
    g_autoptr(GRand) random = dt_test_random();
    g_autofree void *state = g_malloc0(dt_codec_encoder_bytes(test->codec));
    /* The second time with the state of the first. */
    round_trip(test, state, random, 1);
    round_trip(test, state, random, 5);
}

/* Word by word: exact after each single one. */
static void test_every_prefix(gconstpointer data)
{
    const Case *test = data;
    gsize count = MIN(sources[test->source].words, 400);
    g_autoptr(GRand) random = dt_test_random();
    g_autofree guint16 *words = make_words(random, test->source);
    g_autofree void *state = g_malloc0(dt_codec_encoder_bytes(test->codec));
    g_autofree guint8 *code = g_malloc(count * dt_codec_bound(test->codec, 1) + 1);
    gsize bytes = 0;

    dt_codec_encoder_init(test->codec, state);
    for (gsize i = 0; i < count; i++) {
        guint8 pending[DT_CODEC_PENDING_BYTES];
        bytes += dt_codec_encode(test->codec, state, words + i, 1, code + bytes);
        dt_codec_suspend(test->codec, state, pending);
        assert_decodes(test->codec, code, bytes, pending, words, i + 1, random);

        /* Finishing here instead gives the same words. */
        g_autofree void *copy = g_memdup2(state, dt_codec_encoder_bytes(test->codec));
        g_autofree guint8 *ended = g_malloc(bytes + dt_codec_bound(test->codec, 0) + 1);
        memcpy(ended, code, bytes);
        gsize end = dt_codec_finish(test->codec, copy, ended + bytes);
        assert_decodes(test->codec, ended, bytes + end, NULL, words, i + 1, random);
    }
}

static void test_garbage(gconstpointer data)
{
    const Case *test = data;
    g_autoptr(GRand) random = dt_test_random();
    g_autofree void *state = g_malloc0(dt_codec_decoder_bytes(test->codec));
    guint16 words[700];

    for (guint round = 0; round < 3000; round++) {
        gsize bytes = (gsize)g_rand_int_range(random, 0, 60);
        g_autofree guint8 *code = g_malloc(bytes);
        guint8 pending[DT_CODEC_PENDING_BYTES];
        for (gsize i = 0; i < bytes; i++)
            code[i] = (guint8)g_rand_int_range(random, 0, round % 2 ? 256 : 6);
        for (gsize i = 0; i < sizeof(pending); i++)
            pending[i] = (guint8)g_rand_int_range(random, 0, round % 2 ? 256 : 6);
        guint64 count = (guint64)g_rand_int_range(random, 0, 1000);
        guint64 decoded = 0;
        dt_codec_decoder_init(test->codec, state, code, bytes, count, round % 3 ? pending : NULL);
        for (guint part = 0; part < 4; part++)
            decoded += dt_codec_decode(test->codec, state, words, G_N_ELEMENTS(words));
        g_assert_cmpuint(decoded, <=, count);
        g_assert_cmpuint(dt_codec_decode(test->codec, state, words, 1), ==, 0);
    }
}

static void test_table(void)
{
    for (guint32 i = 0; i < DT_CODECS; i++) {
        g_assert_cmpstr(dt_codec_name(dt_codecs[i].id), ==, dt_codecs[i].name);
        g_assert_null(dt_codec_dropped(dt_codecs[i].id));
        g_assert_cmpuint(dt_codec_encoder_bytes(dt_codecs[i].id), >, 0);
        for (guint32 j = 0; j < i; j++) {
            g_assert_cmpuint(dt_codecs[i].id, !=, dt_codecs[j].id);
            g_assert_cmpstr(dt_codecs[i].name, !=, dt_codecs[j].name);
        }
    }
}

/* Numbers that are none's, and those of codecs that were dropped. */
static void test_unknown_codec(void)
{
    static const guint32 unknown[] = {0, 3, 6, 12345};
    for (gsize i = 0; i < G_N_ELEMENTS(unknown); i++) {
        g_assert_null(dt_codec_name(unknown[i]));
        g_assert_cmpuint(dt_codec_encoder_bytes(unknown[i]), ==, 0);
        g_assert_cmpuint(dt_codec_decoder_bytes(unknown[i]), ==, 0);
        g_assert_cmpint(dt_codec_dropped(unknown[i]) != NULL, ==, i < 2);
    }
}

static void add_case(const char *what, guint32 codec, guint source, GTestDataFunc function)
{
    Case *test = g_new(Case, 1);
    *test = (Case){codec, source};
    g_autofree char *path = g_strdup_printf("/codec/%s/%s/%s/%" G_GSIZE_FORMAT, dt_codec_name(codec), what,
                                            sources[source].name, sources[source].words);
    g_test_add_data_func_full(path, test, function, g_free);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(codecs); i++) {
        for (guint source = 0; source < G_N_ELEMENTS(sources); source++) {
            add_case("round-trip", codecs[i], source, test_round_trip);
            add_case("every-prefix", codecs[i], source, test_every_prefix);
        }
        add_case("garbage", codecs[i], 0, test_garbage);
    }
    g_test_add_func("/codec/table", test_table);
    g_test_add_func("/codec/unknown-codec", test_unknown_codec);
    return g_test_run();
}
