/*
 * LZR: tokens of one word and of two, the word that is held, and golden files,
 * because what the contexts foretell is the format.
 */
#include <glib.h>

#include "coding.h"
#include "programs.h"
#include "support/assert_same.h"
#include "support/random.h"

enum { LARGEST_TOKEN = 16383 };

/* ---- helpers ------------------------------------------------------------------ */

typedef guint16 (*WordSource)(GRand *random);

static guint16 any_word(GRand *random)
{
    return (guint16)g_rand_int(random);
}

static guint16 escaped_word(GRand *random)
{
    return (guint16)g_rand_int_range(random, LARGEST_TOKEN + 1, 65536);
}

/* Many of the word 65535, whose next two may be anything, and the word before the codec's first escape. */
static guint16 escape_or_boundary(GRand *random)
{
    static const guint16 words[] = {
        DT_WORD_ESCAPE, DT_WORD_ESCAPE, 65534, LARGEST_TOKEN, LARGEST_TOKEN + 1, 32768, 0, 0, 1};
    return words[g_rand_int_range(random, 0, G_N_ELEMENTS(words))];
}

/* Held words, returned from at once or not, and few enough that what follows is foretold now and then. */
static guint16 call_or_return(GRand *random)
{
    return (guint16)(g_rand_boolean(random) ? 0 : g_rand_int_range(random, 1, 4));
}

static const struct {
    const char *name;
    WordSource next;
} sources[] = {
    {"any", any_word}, {"escaped", escaped_word}, {"boundaries", escape_or_boundary}, {"calls", call_or_return}};

static GArray *draw_words(gconstpointer source, GRand *random, guint count)
{
    GArray *words = g_array_sized_new(FALSE, FALSE, sizeof(guint16), count);
    for (guint i = 0; i < count; i++) {
        guint16 word = sources[GPOINTER_TO_SIZE(source)].next(random);
        g_array_append_val(words, word);
    }
    return words;
}

static guint16 held_word(const guint8 *pending)
{
    return (guint16)(pending[30] | pending[31] << 8);
}

/* ---- every prefix ---------------------------------------------------------------- */

/* Word by word: within the bound, held exactly where a return may follow, and whole whether left open or finished. */
static void test_every_prefix(gconstpointer source)
{
    enum { WORDS = 600 };
    g_autoptr(GRand) random = dt_test_random();
    g_autoptr(GArray) words = draw_words(source, random, WORDS);
    gsize size = dt_codec_encoder_bytes(DT_CODEC_LZR), bound = dt_codec_bound(DT_CODEC_LZR, 1);
    g_autofree guint8 *state = g_malloc0(size), *out = g_malloc(bound);
    g_autoptr(GByteArray) code = g_byte_array_new();
    dt_codec_encoder_init(DT_CODEC_LZR, state);
    for (guint i = 0; i < WORDS; i++) {
        guint16 word = g_array_index(words, guint16, i);
        guint8 pending[DT_CODEC_PENDING_BYTES];
        gsize bytes = dt_codec_encode(DT_CODEC_LZR, state, &word, 1, out);
        g_assert_cmpuint(bytes, <=, bound);
        g_byte_array_append(code, out, (guint)bytes);
        dt_codec_suspend(DT_CODEC_LZR, state, pending);
        g_assert_cmpuint(held_word(pending), ==, word <= LARGEST_TOKEN ? word : 0);
        dt_assert_decodes(DT_CODEC_LZR, code, pending, words, i + 1, 3);

        g_autofree void *copy = g_memdup2(state, size);
        guint before = code->len;
        g_byte_array_append(code, out, (guint)dt_codec_finish(DT_CODEC_LZR, copy, out));
        dt_assert_decodes(DT_CODEC_LZR, code, NULL, words, i + 1, 3);
        g_byte_array_set_size(code, before);
    }
}

/* ---- bounds ----------------------------------------------------------------------- */

static void test_bound(gconstpointer source)
{
    enum { WORDS = 20000 };
    g_autoptr(GRand) random = dt_test_random();
    g_autoptr(GArray) words = draw_words(source, random, WORDS);
    g_autoptr(GByteArray) code = dt_encode_all(DT_CODEC_LZR, words, WORDS, 7);
    g_assert_cmpuint(code->len, <=, dt_codec_bound(DT_CODEC_LZR, WORDS));
    dt_assert_decodes(DT_CODEC_LZR, code, NULL, words, WORDS, 997);
}

/* ---- damage ------------------------------------------------------------------------ */

/* Cut anywhere, with and without what `pending` would add. */
static void test_cut_anywhere(gconstpointer source)
{
    enum { WORDS = 400 };
    g_autoptr(GRand) random = dt_test_random();
    g_autoptr(GArray) words = draw_words(source, random, WORDS);
    g_autoptr(GByteArray) code = dt_encode_all(DT_CODEC_LZR, words, WORDS, 64);
    guint16 decoded[WORDS];
    gsize before = 0;
    for (gsize bytes = 0; bytes < code->len; bytes++) {
        gboolean at_end;
        gsize got = dt_decode_all(DT_CODEC_LZR, code->data, bytes, NULL, decoded, WORDS, 50, &at_end);
        g_assert_false(at_end);
        g_assert_cmpuint(got, >=, before);
        dt_assert_same(decoded, 2 * got, words->data, 2 * got);
        before = got;
    }
    g_assert_cmpuint(before, >=, WORDS - 40); /* one byte is missing */
}

/* ---- golden files --------------------------------------------------------------- */

/* Words of every size, some of them again; no GRand. */
static GArray *golden_noise(void)
{
    GArray *words = g_array_new(FALSE, FALSE, sizeof(guint16));
    guint32 state = 11;
    for (guint i = 0; i < 4000; i++) {
        state = state * 1664525u + 1013904223u;
        guint16 word = (guint16)(state >> (16 + (state >> 12) % 16));
        if (state >> 30 == 0 && i >= 40)
            word = g_array_index(words, guint16, i - 40);
        g_array_append_val(words, word);
    }
    return words;
}

static void test_golden(void)
{
    g_autoptr(GArray) words = dt_golden_program(DT_CODEC_LZR);
    g_autoptr(GArray) noise = golden_noise();
    dt_assert_golden(DT_CODEC_LZR, 1, words);
    dt_assert_golden(DT_CODEC_LZR, 2, noise);
}

static void add_for_sources(const char *what, GTestDataFunc function)
{
    for (gsize i = 0; i < G_N_ELEMENTS(sources); i++) {
        g_autofree char *path = g_strdup_printf("/codec/lzr/%s/%s", what, sources[i].name);
        g_test_add_data_func(path, GSIZE_TO_POINTER(i), function);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add_for_sources("every-prefix", test_every_prefix);
    add_for_sources("bound", test_bound);
    add_for_sources("cut-anywhere", test_cut_anywhere);
    g_test_add_func("/codec/lzr/golden", test_golden);
    return g_test_run();
}
