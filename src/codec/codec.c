/* The codecs by number, and the public functions that forward to them. */
#include "codec.h"

#include <string.h>

#include "codec_table.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the file's byte order is the machine's");

static const DtCodecFunctions *find_codec(uint32_t codec)
{
    switch (codec) {
    case DT_CODEC_LZR:
        return &dt_codec_lzr;
    case DT_CODEC_TZ:
        return &dt_codec_tz;
    case DT_CODEC_PARLOT:
        return &dt_codec_parlot;
    case DT_CODEC_RAW:
        return &dt_codec_raw;
    default:
        return NULL;
    }
}

size_t dt_codec_encoder_bytes(uint32_t codec)
{
    const DtCodecFunctions *found = find_codec(codec);
    return found ? found->encoder_bytes : 0;
}

size_t dt_codec_decoder_bytes(uint32_t codec)
{
    const DtCodecFunctions *found = find_codec(codec);
    return found ? found->decoder_bytes : 0;
}

size_t dt_codec_bound(uint32_t codec, size_t words)
{
    const DtCodecFunctions *found = find_codec(codec);
    return found ? found->bound(words) : 0;
}

void dt_codec_encoder_init(uint32_t codec, void *state)
{
    const DtCodecFunctions *found = find_codec(codec);
    if (found)
        found->encoder_init(state);
}

size_t dt_codec_encode(uint32_t codec, void *state, const uint16_t *words, size_t count, uint8_t *out)
{
    const DtCodecFunctions *found = find_codec(codec);
    return found ? found->encode(state, words, count, out) : 0;
}

int dt_codec_takes_tails(uint32_t codec)
{
    const DtCodecFunctions *found = find_codec(codec);
    return found && found->encode_tail;
}

size_t dt_codec_encode_tail(uint32_t codec, void *state, const uint16_t *tail, size_t count, uint8_t *out)
{
    const DtCodecFunctions *found = find_codec(codec);
    return found && found->encode_tail ? found->encode_tail(state, tail, count, out) : 0;
}

void dt_codec_suspend(uint32_t codec, const void *state, uint8_t pending[DT_CODEC_PENDING_BYTES])
{
    const DtCodecFunctions *found = find_codec(codec);
    memset(pending, 0, DT_CODEC_PENDING_BYTES);
    if (found)
        found->suspend(state, pending);
}

size_t dt_codec_finish(uint32_t codec, void *state, uint8_t *out)
{
    const DtCodecFunctions *found = find_codec(codec);
    return found ? found->finish(state, out) : 0;
}

void dt_codec_decoder_init(uint32_t codec, void *state, const uint8_t *code, size_t bytes, uint64_t words,
                           const uint8_t *pending)
{
    const DtCodecFunctions *found = find_codec(codec);
    if (found)
        found->decoder_init(state, code, bytes, words, pending);
}

size_t dt_codec_decode(uint32_t codec, void *state, uint16_t *words, size_t capacity)
{
    const DtCodecFunctions *found = find_codec(codec);
    return found ? found->decode(state, words, capacity) : 0;
}

size_t dt_codec_decode_row(uint32_t codec, void *state, uint16_t *words, uint64_t *times)
{
    const DtCodecFunctions *found = find_codec(codec);
    *times = 1;
    if (found && found->decode_row)
        return found->decode_row(state, words, times);
    return found ? found->decode(state, words, DT_CODEC_BATCH_WORDS) : 0;
}

int dt_codec_at_end(uint32_t codec, const void *state)
{
    const DtCodecFunctions *found = find_codec(codec);
    return found ? found->at_end(state) : 0;
}
