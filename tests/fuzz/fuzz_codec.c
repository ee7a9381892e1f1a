/* Fuzzes the codecs' decoders. Input: codec, finished or not, words expected, pending bytes, code. */
#include <string.h>

#include "format/codec.h"
#include "fuzz_target.h"

#include <glib.h>

enum { HEAD_BYTES = 4 + DT_CODEC_PENDING_BYTES, BATCH = 700 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD_BYTES)
        return 0;
    static const guint32 codecs[] = {DT_CODEC_RAW, DT_CODEC_PARLOT, DT_CODEC_TZ};
    guint32 codec = codecs[data[0] % G_N_ELEMENTS(codecs)];
    guint64 words = data[2] | (guint64)data[3] << 8, decoded = 0;
    const guint8 *pending = data[1] % 2 ? data + 4 : NULL;
    gsize bytes = size - HEAD_BYTES, count;
    guint16 batch[BATCH];
    g_autofree void *state = g_malloc0(dt_codec_decoder_bytes(codec));
    /* Where the code begins and ends exactly. */
    g_autofree guint8 *code = g_memdup2(data + HEAD_BYTES, bytes);
    dt_codec_decoder_init(codec, state, code, bytes, words, pending);
    while ((count = dt_codec_decode(codec, state, batch, BATCH)) > 0)
        decoded += count;
    if (decoded > words)
        g_error("%" G_GUINT64_FORMAT " words from a code of %" G_GUINT64_FORMAT, decoded, words);
    dt_codec_at_end(codec, state);
    return 0;
}
