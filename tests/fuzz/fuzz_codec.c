/*
 * Fuzzes a codec (DT_FUZZ_CODEC): its decoder with arbitrary code, or both ways with arbitrary words.
 * Input: mode, number of words expected (2 bytes), a byte unused, pending bytes, code or words. A few bytes of code may
 * stand for any number of words, so that only so many are asked for: what lies behind is more of the same.
 */
#include <string.h>

#include "format/codec.h"
#include "fuzz_target.h"

#include <glib.h>

enum { HEAD_BYTES = 4 + DT_CODEC_PENDING_BYTES, BATCH = 700, MOST_WORDS = 2048, FINISHED = 1, BOTH_WAYS = 2 };

static gsize decode(const guint8 *code, gsize bytes, guint64 words, const guint8 *pending, guint16 *out)
{
    g_autofree void *state = g_malloc0(dt_codec_decoder_bytes(DT_FUZZ_CODEC));
    guint16 batch[BATCH];
    gsize count, decoded = 0;
    dt_codec_decoder_init(DT_FUZZ_CODEC, state, code, bytes, words, pending);
    while ((count = dt_codec_decode(DT_FUZZ_CODEC, state, batch, BATCH)) > 0) {
        if (decoded + count > words)
            g_error("%" G_GSIZE_FORMAT " words from a code of %" G_GUINT64_FORMAT, decoded + count, words);
        if (out)
            memcpy(out + decoded, batch, count * sizeof(*out));
        decoded += count;
    }
    if (dt_codec_at_end(DT_FUZZ_CODEC, state) == 0 && out)
        g_error("an intact code holds more than its words");
    return decoded;
}

/* In two batches, the second one perhaps suspended. */
static void check_both_ways(const guint8 *data, gsize bytes, gboolean finished)
{
    gsize count = MIN(bytes / sizeof(guint16), MOST_WORDS), first = count / 3, used;
    g_autofree guint16 *words = g_new(guint16, count + 1), *again = g_new(guint16, count + 1);
    g_autofree void *state = g_malloc0(dt_codec_encoder_bytes(DT_FUZZ_CODEC));
    g_autofree guint8 *code = g_malloc(dt_codec_bound(DT_FUZZ_CODEC, first) + dt_codec_bound(DT_FUZZ_CODEC, count));
    guint8 pending[DT_CODEC_PENDING_BYTES];
    memcpy(words, data, count * sizeof(*words));
    dt_codec_encoder_init(DT_FUZZ_CODEC, state);
    used = dt_codec_encode(DT_FUZZ_CODEC, state, words, first, code);
    used += dt_codec_encode(DT_FUZZ_CODEC, state, words + first, count - first, code + used);
    dt_codec_suspend(DT_FUZZ_CODEC, state, pending);
    if (finished)
        used += dt_codec_finish(DT_FUZZ_CODEC, state, code + used);
    g_autofree guint8 *exact = g_memdup2(code, used);
    gsize decoded = decode(exact, used, count, finished ? NULL : pending, again);
    if (decoded != count || memcmp(words, again, count * sizeof(*words)) != 0)
        g_error("%" G_GSIZE_FORMAT " words became %" G_GSIZE_FORMAT " others", count, decoded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD_BYTES)
        return 0;
    gsize bytes = size - HEAD_BYTES;
    gboolean finished = (data[0] & FINISHED) != 0;
    if (data[0] & BOTH_WAYS) {
        check_both_ways(data + HEAD_BYTES, bytes, finished);
        return 0;
    }
    /* Where the code begins and ends exactly. */
    g_autofree guint8 *code = g_memdup2(data + HEAD_BYTES, bytes);
    decode(code, bytes, (data[1] | (guint64)data[2] << 8) % (MOST_WORDS + 1), finished ? NULL : data + 4, NULL);
    return 0;
}
