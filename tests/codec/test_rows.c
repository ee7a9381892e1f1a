/*
 * Rows of words that come many times: written out they are the words that went in, word for word, whatever the codec;
 * their calls are whole; and of what repeats for long, few words are looked at.
 */
#include <glib.h>
#include <string.h>

#include "codec/codec.h"
#include "support/assert_same.h"
#include "support/random.h"

static const guint32 codecs[] = {DT_CODEC_PARLOT, DT_CODEC_TZ, DT_CODEC_RAW, DT_CODEC_LZR};

/* ---- streams ------------------------------------------------------------------------- */

static void put(GArray *words, guint id)
{
    guint16 word = (guint16)id;
    g_array_append_val(words, word);
}

static void leaf(GArray *words, guint id)
{
    put(words, id);
    put(words, DT_WORD_RETURN);
}

static guint pick(GRand *random, guint least, guint most)
{
    return (guint)g_rand_int_range(random, (gint32)least, (gint32)most + 1);
}

/* A function that calls, loops or does nothing. */
static void append_call(GArray *words, GRand *random, guint depth, guint most_times)
{
    put(words, pick(random, 1, 40));
    for (guint parts = depth > 0 ? pick(random, 0, 4) : 0; parts > 0; parts--) {
        g_autoptr(GArray) part = g_array_new(FALSE, FALSE, sizeof(guint16));
        append_call(part, random, depth - 1, most_times);
        for (guint times = pick(random, 0, 2) ? pick(random, 1, most_times) : 1; times > 0; times--)
            g_array_append_vals(words, part->data, part->len);
    }
    put(words, DT_WORD_RETURN);
}

/* A nest of loops, again and again; now and then there is a call more. */
static void nests(GArray *words, GRand *random, gsize length)
{
    while (words->len < length) {
        g_autoptr(GArray) nest = g_array_new(FALSE, FALSE, sizeof(guint16));
        guint noise = pick(random, 0, 2) ? 0 : pick(random, 1, 50);
        append_call(nest, random, pick(random, 0, 4), pick(random, 1, 12));
        for (gsize end = words->len + pick(random, 0, (guint)length / 3); words->len < end;) {
            g_array_append_vals(words, nest->data, nest->len);
            if (noise && pick(random, 0, noise) == 0)
                leaf(words, pick(random, 1, 60));
        }
        if (pick(random, 0, 3) == 0)
            put(words, pick(random, 0, 1) ? 41 : DT_WORD_RETURN);
    }
}

/* Loops whose bodies begin and end in the middle of a call, or do not come back to where they began. */
static void shifted(GArray *words, GRand *random, gsize length)
{
    while (words->len < length) {
        guint period = MAX(pick(random, 0, 300), 1);
        g_autoptr(GArray) body = g_array_new(FALSE, FALSE, sizeof(guint16));
        for (guint i = 0; i < period; i++)
            put(body, pick(random, 0, 1) ? DT_WORD_RETURN : pick(random, 1, 9));
        for (guint times = pick(random, 1, (guint)length / period / 4 + 1); times > 0; times--)
            g_array_append_vals(words, body->data, body->len);
    }
}

/* One call for ever, with an escape here and there. */
static void one_loop(GArray *words, GRand *random, gsize length)
{
    while (words->len < length) {
        for (guint times = pick(random, 1, (guint)length); times > 0 && words->len < length; times--)
            leaf(words, 7);
        if (pick(random, 0, 1)) {
            put(words, DT_WORD_ESCAPE);
            put(words, pick(random, 0, 9));
            put(words, pick(random, 0, 9));
        }
    }
}

/* A body as long as the match can see, and longer. */
static void long_bodies(GArray *words, GRand *random, gsize length)
{
    g_autoptr(GArray) body = g_array_new(FALSE, FALSE, sizeof(guint16));
    for (guint calls = pick(random, 5000, 25000); calls > 0; calls--)
        leaf(body, pick(random, 1, 500));
    while (words->len < length)
        g_array_append_vals(words, body->data, body->len);
}

/* Inner loops whose trip counts vary: the match is what knows them. */
static void varying_counts(GArray *words, GRand *random, gsize length)
{
    guint counts[40];
    for (guint i = 0; i < G_N_ELEMENTS(counts); i++)
        counts[i] = pick(random, 1, 200);
    for (guint round = 0; words->len < length; round++) {
        put(words, 3);
        for (guint i = 0; i < counts[round % G_N_ELEMENTS(counts)]; i++)
            leaf(words, 1 + i % 3);
        put(words, DT_WORD_RETURN);
        leaf(words, 5);
    }
}

/* Rounds that only the match knows, as long as it can see; and then their commonest call for long, of which such a
 * round is a period still. */
static void rounds_then_one_loop(GArray *words, GRand *random, gsize length)
{
    guint counts[4];
    for (guint i = 0; i < G_N_ELEMENTS(counts); i++)
        counts[i] = pick(random, 5500, 8000);
    while (words->len < length) {
        for (guint i = 0; i < 20 * G_N_ELEMENTS(counts); i++) {
            for (guint times = counts[i % G_N_ELEMENTS(counts)]; times > 0; times--)
                leaf(words, 7);
            leaf(words, 8);
        }
        for (guint times = pick(random, 1, 500000); times > 0; times--)
            leaf(words, 7);
    }
}

static const struct {
    const char *name;
    void (*make)(GArray *words, GRand *random, gsize length);
    gsize length;
    guint rounds;
    guint least_gain; /* words by words that codecs with rows look at */
} programs[] = {
    {"nests", nests, 400000, 40, 1},
    {"shifted", shifted, 300000, 20, 1},
    {"one-loop", one_loop, 500000, 10, 5},
    {"long-bodies", long_bodies, 2000000, 4, 1},
    {"rounds-then-one-loop", rounds_then_one_loop, 4000000, 4, 1},
    {"varying-counts", varying_counts, 2000000, 4, 4},
};

/* ---- decoding ------------------------------------------------------------------------- */

typedef struct {
    guint32 codec;
    guint program;
} Case;

static void assert_whole_calls(const guint16 *row, gsize count)
{
    gint64 depth = 0;
    for (gsize i = 0; i < count; i++) {
        depth += row[i] == DT_WORD_RETURN ? -1 : 1;
        g_assert_cmpint(depth, >=, 0);
    }
    g_assert_cmpint(depth, ==, 0);
}

/* Returns how many words were looked at. */
static gsize assert_rows_give(guint32 codec, void *state, const guint16 *words, gsize count)
{
    g_autofree guint16 *row = g_new(guint16, DT_CODEC_ROW_WORDS);
    gsize done = 0, looked_at = 0, length;
    guint64 times;
    while ((length = dt_codec_decode_row(codec, state, row, &times)) > 0) {
        if (times > 1)
            assert_whole_calls(row, length);
        looked_at += length;
        for (guint64 i = 0; i < times; i++, done += length) {
            g_assert_cmpuint(done + length, <=, count);
            dt_assert_same(row, 2 * length, words + done, 2 * length);
        }
    }
    g_assert_cmpuint(done, ==, count);
    g_assert_true(dt_codec_at_end(codec, state));
    return looked_at;
}

static GByteArray *encode(guint32 codec, const GArray *words)
{
    g_autofree void *state = g_malloc0(dt_codec_encoder_bytes(codec));
    g_autofree guint8 *out = g_malloc(dt_codec_bound(codec, words->len) + dt_codec_bound(codec, 0));
    dt_codec_encoder_init(codec, state);
    gsize bytes = dt_codec_encode(codec, state, (const guint16 *)(void *)words->data, words->len, out);
    bytes += dt_codec_finish(codec, state, out + bytes);
    return g_byte_array_append(g_byte_array_new(), out, (guint)bytes);
}

static void test_rows(gconstpointer data)
{
    const Case *test = data;
    g_autoptr(GRand) random = dt_test_random();
    g_autofree void *state = g_malloc0(dt_codec_decoder_bytes(test->codec));
    gsize all = 0, looked_at = 0;
    for (guint round = 0; round < programs[test->program].rounds; round++) {
        g_autoptr(GArray) words = g_array_new(FALSE, FALSE, sizeof(guint16));
        programs[test->program].make(words, random, programs[test->program].length);
        g_autoptr(GByteArray) code = encode(test->codec, words);
        dt_codec_decoder_init(test->codec, state, code->data, code->len, words->len, NULL);
        looked_at += assert_rows_give(test->codec, state, (const guint16 *)(void *)words->data, words->len);
        all += words->len;
    }
    g_test_message("%" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " words looked at", looked_at, all);
    if (test->codec == DT_CODEC_TZ || test->codec == DT_CODEC_LZR)
        g_assert_cmpuint(looked_at, <=, all / programs[test->program].least_gain);
}

/* Whatever the code is, no more words come out than were asked for, and a row that comes more than once is one of whole
 * calls. */
static void test_garbage(gconstpointer data)
{
    guint32 codec = GPOINTER_TO_UINT(data);
    g_autoptr(GRand) random = dt_test_random();
    g_autofree void *state = g_malloc0(dt_codec_decoder_bytes(codec));
    g_autofree guint16 *row = g_new(guint16, DT_CODEC_ROW_WORDS);
    for (guint round = 0; round < 500; round++) {
        gsize bytes = pick(random, 0, 200), length;
        g_autofree guint8 *code = g_malloc(bytes);
        for (gsize i = 0; i < bytes; i++)
            code[i] = (guint8)pick(random, 0, round % 2 ? 255 : 3);
        guint64 count = pick(random, 0, 1000000), done = 0, times;
        dt_codec_decoder_init(codec, state, code, bytes, count, NULL);
        while ((length = dt_codec_decode_row(codec, state, row, &times)) > 0) {
            if (times > 1)
                assert_whole_calls(row, length);
            done += length * times;
        }
        g_assert_cmpuint(done, <=, count);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(codecs); i++) {
        g_autofree char *garbage = g_strdup_printf("/codec/rows/%s/garbage", dt_codec_name(codecs[i]));
        g_test_add_data_func(garbage, GUINT_TO_POINTER(codecs[i]), test_garbage);
        for (guint program = 0; program < G_N_ELEMENTS(programs); program++) {
            Case *test = g_new(Case, 1);
            *test = (Case){codecs[i], program};
            g_autofree char *path =
                g_strdup_printf("/codec/rows/%s/%s", dt_codec_name(codecs[i]), programs[program].name);
            g_test_add_data_func_full(path, test, test_rows, g_free);
        }
    }
    return g_test_run();
}
