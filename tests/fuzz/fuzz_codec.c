/*
 * Fuzzes a codec (DT_FUZZ_CODEC): its decoder with arbitrary code, or both ways with words; read word by word and row
 * by row, which must give the same.
 *
 * Input: mode, number of words expected (2 bytes), a byte unused, pending bytes, code or words. A few bytes of code may
 * stand for any number of words, so that only so many are asked for: what lies behind is more of the same. LONG asks
 * for many more, as rows take long to be found; words are then a program: 65534, a distance and a number of words are
 * so many words more, from that far back.
 */
#include <string.h>

#include "codec/codec.h"
#include "fuzz_target.h"

#include <glib.h>

enum {
    HEAD_BYTES = 4 + DT_CODEC_PENDING_BYTES,
    BATCH = 700,
    MOST_WORDS = 2048,
    MOST_LONG_WORDS = 1 << 20,
    LONG_FACTOR = 2
};
enum { FINISHED = 1, BOTH_WAYS = 2, LONG = 4 };

typedef struct {
    guint8 *bytes; /* exactly as long as it is */
    gsize size;
    guint64 words;
    guint8 pending[DT_CODEC_PENDING_BYTES];
    gboolean finished;
} Code;

/* ---- decoding --------------------------------------------------------------------------------- */

static void *start_decoder(const Code *code)
{
    void *state = g_malloc0(dt_codec_decoder_bytes(DT_FUZZ_CODEC));
    dt_codec_decoder_init(DT_FUZZ_CODEC, state, code->bytes, code->size, code->words,
                          code->finished ? NULL : code->pending);
    return state;
}

/* Into `out`, which has room for all words; whether the code held nothing more. */
static gsize decode_words(const Code *code, guint16 *out, gboolean *at_end)
{
    g_autofree void *state = start_decoder(code);
    guint16 batch[BATCH];
    gsize count, decoded = 0;
    while ((count = dt_codec_decode(DT_FUZZ_CODEC, state, batch, BATCH)) > 0) {
        if (decoded + count > code->words)
            g_error("%" G_GSIZE_FORMAT " words from a code of %" G_GUINT64_FORMAT, decoded + count, code->words);
        memcpy(out + decoded, batch, count * sizeof(*out));
        decoded += count;
    }
    *at_end = dt_codec_at_end(DT_FUZZ_CODEC, state) != 0;
    return decoded;
}

static gsize decode_rows(const Code *code, guint16 *out, gboolean *at_end)
{
    g_autofree void *state = start_decoder(code);
    g_autofree guint16 *row = g_new(guint16, DT_CODEC_ROW_WORDS);
    gsize count, decoded = 0;
    guint64 times;
    while ((count = dt_codec_decode_row(DT_FUZZ_CODEC, state, row, &times)) > 0) {
        if (times == 0 || times > (code->words - decoded) / count)
            g_error("%" G_GSIZE_FORMAT " words %" G_GUINT64_FORMAT " times are too many", count, times);
        for (; times > 0; times--, decoded += count)
            memcpy(out + decoded, row, count * sizeof(*out));
    }
    *at_end = dt_codec_at_end(DT_FUZZ_CODEC, state) != 0;
    return decoded;
}

/* Both ways; the words, g_free(). */
static guint16 *decode(const Code *code, gsize *count, gboolean *at_end)
{
    guint16 *words = g_new(guint16, code->words + 1);
    g_autofree guint16 *by_rows = g_new(guint16, code->words + 1);
    gboolean rows_at_end;
    *count = decode_words(code, words, at_end);
    if (decode_rows(code, by_rows, &rows_at_end) != *count || memcmp(words, by_rows, *count * sizeof(*words)) != 0 ||
        *at_end != rows_at_end)
        g_error("rows are not the words");
    return words;
}

/* ---- both ways -------------------------------------------------------------------------------- */

static void copy_words(GArray *words, guint distance, guint count)
{
    for (; count > 0 && words->len < MOST_LONG_WORDS; count--) {
        guint16 word = g_array_index(words, guint16, words->len - distance);
        g_array_append_val(words, word);
    }
}

/* (element-type guint16) */
static GArray *read_words(const guint8 *data, gsize bytes, gboolean is_program)
{
    GArray *words = g_array_sized_new(FALSE, FALSE, sizeof(guint16), 1);
    guint16 next[3];
    guint most = is_program ? MOST_LONG_WORDS : MOST_WORDS;
    for (; bytes >= sizeof(*next) && words->len < most; data += sizeof(*next), bytes -= sizeof(*next)) {
        memcpy(next, data, MIN(bytes, sizeof(next)));
        if (!is_program || next[0] != DT_WORD_UNWRITTEN || bytes < sizeof(next)) {
            g_array_append_val(words, next[0]);
            continue;
        }
        if (next[1] > 0 && next[1] <= words->len)
            copy_words(words, next[1], next[2]);
        data += 2 * sizeof(*next);
        bytes -= 2 * sizeof(*next);
    }
    return words;
}

/* In two batches, the second one perhaps suspended. */
static void encode(const GArray *array, Code *code)
{
    const guint16 *words = (const guint16 *)(void *)array->data;
    gsize count = array->len, first = count / 3;
    g_autofree void *state = g_malloc0(dt_codec_encoder_bytes(DT_FUZZ_CODEC));
    /* One byte more: nothing at all is no array. */
    g_autofree guint8 *out = g_malloc(dt_codec_bound(DT_FUZZ_CODEC, first) + dt_codec_bound(DT_FUZZ_CODEC, count) + 1);
    dt_codec_encoder_init(DT_FUZZ_CODEC, state);
    code->size = dt_codec_encode(DT_FUZZ_CODEC, state, words, first, out);
    code->size += dt_codec_encode(DT_FUZZ_CODEC, state, words + first, count - first, out + code->size);
    dt_codec_suspend(DT_FUZZ_CODEC, state, code->pending);
    if (code->finished)
        code->size += dt_codec_finish(DT_FUZZ_CODEC, state, out + code->size);
    code->bytes = g_memdup2(out, code->size);
    code->words = count;
}

static void check_both_ways(const guint8 *data, gsize bytes, guint8 mode)
{
    g_autoptr(GArray) words = read_words(data, bytes, (mode & LONG) != 0);
    Code code = {.finished = (mode & FINISHED) != 0};
    gsize decoded;
    gboolean at_end;
    encode(words, &code);
    g_autofree guint16 *again = decode(&code, &decoded, &at_end);
    if (decoded != words->len || memcmp(words->data, again, decoded * sizeof(*again)) != 0)
        g_error("%u words became %" G_GSIZE_FORMAT " others", words->len, decoded);
    if (!at_end)
        g_error("an intact code holds more than its words");
    g_free(code.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD_BYTES)
        return 0;
    guint8 mode = data[0];
    if (mode & BOTH_WAYS) {
        check_both_ways(data + HEAD_BYTES, size - HEAD_BYTES, mode);
        return 0;
    }
    guint64 words = data[1] | (guint64)data[2] << 8;
    Code code = {.size = size - HEAD_BYTES, .finished = (mode & FINISHED) != 0};
    code.words = mode & LONG ? words * LONG_FACTOR : words % (MOST_WORDS + 1);
    code.bytes = g_memdup2(data + HEAD_BYTES, code.size);
    memcpy(code.pending, data + 4, sizeof(code.pending));
    gsize decoded;
    gboolean at_end;
    g_free(decode(&code, &decoded, &at_end));
    g_free(code.bytes);
    return 0;
}
