/*
 * The ParLOT codec against vectors that an independent encoder and decoder of
 * the original format agree on: files must come out byte for byte.
 */
#include <glib.h>
#include <string.h>

#include "codec/codec.h"
#include "support/assert_same.h"

typedef struct {
    const char *name;
    const char *events; /* "(a b)xN" repeats */
    const char *hex;
} Vector;

static const Vector vectors[] = {
    {"none", "", "00"},
    {"one", "1", "040102"},
    {"calls", "1 2 0 2 0 2 0 0", "140102510202010001"},
    {"loop", "1 (2 0)x10 0", "1401025102020f0001"},
    {"one-group", "1 2 3 4", "54010203010401"},
    {"two-groups", "1 2 3 4 5", "5401020305040502"},
    {"wide", "(1 2 0 3 300 0 0)x3 0", "1401020d032c0105010d03"},
    {"large-ids", "65534 0 256 0 1 0", "8cfeff01040103"},
    {"long-loop", "1 (2 3 0 0)x1000 0", "540102035002030c990f03"},
    {"longest-match", "(7 0)x40000", "440707ccffff7c3804"},
};

static void append_words(GArray *words, const char *text)
{
    g_auto(GStrv) tokens = g_strsplit(text, " ", -1);
    for (guint i = 0; tokens[i]; i++) {
        if (*tokens[i]) {
            guint16 word = (guint16)g_ascii_strtoull(tokens[i], NULL, 10);
            g_array_append_val(words, word);
        }
    }
}

static GArray *parse_events(const char *text)
{
    GArray *words = g_array_new(FALSE, FALSE, sizeof(guint16));
    while (*text) {
        const char *open = strchr(text, '(');
        g_autofree char *plain = open ? g_strndup(text, (gsize)(open - text)) : g_strdup(text);
        append_words(words, plain);
        if (!open)
            break;
        const char *close = strchr(open, ')');
        g_autofree char *body = g_strndup(open + 1, (gsize)(close - open - 1));
        char *end;
        guint64 times = g_ascii_strtoull(close + 2, &end, 10);
        for (guint64 i = 0; i < times; i++)
            append_words(words, body);
        text = end;
    }
    return words;
}

static GByteArray *parse_hex(const char *hex)
{
    GByteArray *bytes = g_byte_array_new();
    for (; *hex; hex += 2) {
        guint8 byte = (guint8)(g_ascii_xdigit_value(hex[0]) << 4 | g_ascii_xdigit_value(hex[1]));
        g_byte_array_append(bytes, &byte, 1);
    }
    return bytes;
}

static void test_encode(gconstpointer data)
{
    const Vector *vector = data;
    g_autoptr(GArray) words = parse_events(vector->events);
    g_autoptr(GByteArray) expected = parse_hex(vector->hex);
    g_autofree void *state = g_malloc0(dt_codec_encoder_bytes(DT_CODEC_PARLOT));
    g_autofree guint8 *code = g_malloc(dt_codec_bound(DT_CODEC_PARLOT, words->len));

    dt_codec_encoder_init(DT_CODEC_PARLOT, state);
    gsize bytes = dt_codec_encode(DT_CODEC_PARLOT, state, (const guint16 *)(void *)words->data, words->len, code);
    bytes += dt_codec_finish(DT_CODEC_PARLOT, state, code + bytes);
    dt_assert_same(code, bytes, expected->data, expected->len);
}

static void test_decode(gconstpointer data)
{
    const Vector *vector = data;
    g_autoptr(GArray) expected = parse_events(vector->events);
    g_autoptr(GByteArray) code = parse_hex(vector->hex);
    g_autofree void *state = g_malloc0(dt_codec_decoder_bytes(DT_CODEC_PARLOT));
    g_autofree guint16 *words = g_new(guint16, expected->len + 1);

    dt_codec_decoder_init(DT_CODEC_PARLOT, state, code->data, code->len, expected->len, NULL);
    gsize count = dt_codec_decode(DT_CODEC_PARLOT, state, words, expected->len + 1);
    dt_assert_same(words, 2 * count, expected->data, 2 * expected->len);

    /* The last group says how many words it holds, so the number of words is
       known from the code as well. */
    dt_codec_decoder_init(DT_CODEC_PARLOT, state, code->data, code->len, G_MAXUINT64, NULL);
    g_assert_cmpuint(dt_codec_decode(DT_CODEC_PARLOT, state, words, expected->len + 1), ==, expected->len);
}

/* A file cut anywhere in its groups gives the first words, and no others. */
static void test_cut(gconstpointer data)
{
    const Vector *vector = data;
    g_autoptr(GArray) expected = parse_events(vector->events);
    g_autoptr(GByteArray) code = parse_hex(vector->hex);
    g_autofree void *state = g_malloc0(dt_codec_decoder_bytes(DT_CODEC_PARLOT));
    g_autofree guint16 *words = g_new(guint16, expected->len + 1);
    guint8 nothing_pending[DT_CODEC_PENDING_BYTES] = {0};

    for (gsize bytes = 0; bytes + 1 < code->len; bytes++) {
        g_autofree guint8 *cut = g_memdup2(code->data, bytes);
        dt_codec_decoder_init(DT_CODEC_PARLOT, state, cut, bytes, expected->len, nothing_pending);
        gsize count = dt_codec_decode(DT_CODEC_PARLOT, state, words, expected->len + 1);
        g_assert_cmpuint(count, <=, expected->len);
        dt_assert_same(words, 2 * count, expected->data, 2 * count);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(vectors); i++) {
        g_autofree char *encode = g_strconcat("/codec/parlot/encode/", vectors[i].name, NULL);
        g_autofree char *decode = g_strconcat("/codec/parlot/decode/", vectors[i].name, NULL);
        g_autofree char *cut = g_strconcat("/codec/parlot/cut/", vectors[i].name, NULL);
        g_test_add_data_func(encode, &vectors[i], test_encode);
        g_test_add_data_func(decode, &vectors[i], test_decode);
        g_test_add_data_func(cut, &vectors[i], test_cut);
    }
    return g_test_run();
}
