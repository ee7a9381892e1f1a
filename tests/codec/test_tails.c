/* Codecs that take the words of raw tails as they are. */
#include "coding.h"
#include "format/tail.h"
#include "support/assert_same.h"
#include "support/random.h"

/* Words of tails as they are, some in between as words, as the recorder does where a tail has an escape. */
static void test_tails(gconstpointer data)
{
    guint32 codec = GPOINTER_TO_UINT(data);
    enum { WORDS = 30000, BATCH = 512 };
    g_autoptr(GRand) random = dt_test_random();
    g_autoptr(GArray) words = g_array_new(FALSE, FALSE, sizeof(guint16));
    g_autofree guint8 *state = g_malloc0(dt_codec_encoder_bytes(codec));
    g_autofree guint8 *out = g_malloc(dt_codec_bound(codec, (gsize)2 * BATCH));
    g_autoptr(GByteArray) code = g_byte_array_new();
    guint8 pending[DT_CODEC_PENDING_BYTES];
    dt_codec_encoder_init(codec, state);
    g_assert_true(dt_codec_takes_tails(codec));
    while (words->len < WORDS) {
        guint16 tail[BATCH], expanded[2 * BATCH + 1];
        gsize count = (gsize)g_rand_int_range(random, 0, BATCH + 1);
        for (gsize i = 0; i < count; i++) {
            gint32 any = g_rand_int_range(random, 1, DT_TAIL_LAST_ID + 1);
            guint16 id = (guint16)(i % 9 == 0 ? any : 1 + (gint32)i % 7);
            tail[i] = i % 3 == 2 ? 0 : i % 3 == 1 ? (guint16)(DT_TAIL_CHILDLESS | id) : id;
        }
        gsize stands_for = dt_tail_expand(expanded, tail, count);
        gsize bytes = g_rand_boolean(random) ? dt_codec_encode_tail(codec, state, tail, count, out)
                                             : dt_codec_encode(codec, state, expanded, stands_for, out);
        g_byte_array_append(code, out, (guint)bytes);
        g_array_append_vals(words, expanded, (guint)stands_for);
        dt_codec_suspend(codec, state, pending);
        dt_assert_decodes(codec, code, pending, words, words->len, 1000);
    }
    g_byte_array_append(code, out, (guint)dt_codec_finish(codec, state, out));
    dt_assert_decodes(codec, code, NULL, words, words->len, 1000);
}

static void test_others(void)
{
    g_assert_false(dt_codec_takes_tails(DT_CODEC_PARLOT));
    g_assert_false(dt_codec_takes_tails(DT_CODEC_TZ));
}

/* What no tail holds is marked. */
static void test_marks(void)
{
    static const guint16 words[] = {1, 32767, 32768, 49151, 49152, 65533, 65534, 65535, 0};
    static const guint16 coded[] = {1, 32767, 65533, 32768, 65533, 49151, 49152, 65533, 65533, 65534, 65535, 0};
    guint8 out[sizeof coded], state[8];
    dt_codec_encoder_init(DT_CODEC_RAW, state);
    gsize bytes = dt_codec_encode(DT_CODEC_RAW, state, words, G_N_ELEMENTS(words), out);
    dt_assert_same(out, bytes, coded, sizeof coded);
}

/* Code that ends within something: after a mark, before a return, in the middle of a word. */
static void test_cut(void)
{
    static const struct {
        guint16 coded[2];
        gsize bytes, words;
    } cases[] = {{{1, 65533}, 4, 1}, {{1, 0x8001}, 4, 2}, {{1, 0}, 3, 1}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        gboolean at_end;
        guint16 words[4];
        gsize got = dt_decode_all(DT_CODEC_RAW, (const guint8 *)cases[i].coded, cases[i].bytes, NULL, words,
                                  cases[i].words, 4, &at_end);
        g_assert_cmpuint(got, ==, cases[i].words);
        g_assert_false(at_end);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/codec/tails/lzr", GUINT_TO_POINTER(DT_CODEC_LZR), test_tails);
    g_test_add_data_func("/codec/tails/raw", GUINT_TO_POINTER(DT_CODEC_RAW), test_tails);
    g_test_add_func("/codec/tails/others", test_others);
    g_test_add_func("/codec/tails/marks", test_marks);
    g_test_add_func("/codec/tails/cut", test_cut);
    return g_test_run();
}
