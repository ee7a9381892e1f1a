/* Words as they are, little endian: what raw tails hold, once they are expanded. Before format 1.4 the codec raw. */
#include <string.h>

#include "codec_table.h"

typedef struct {
    uint64_t unused; /* the code says everything */
} Encoder;

typedef struct {
    const uint8_t *code, *end;
    uint64_t words; /* left to decode */
} Decoder;

static size_t words_bound(size_t words)
{
    return 2 * words;
}

static void words_encoder_init(void *state)
{
    (void)state;
}

static size_t words_encode(void *state, const uint16_t *words, size_t count, uint8_t *out)
{
    (void)state;
    if (count > 0)
        memcpy(out, words, 2 * count);
    return 2 * count;
}

static void words_suspend(const void *state, uint8_t pending[DT_CODEC_PENDING_BYTES])
{
    (void)state;
    (void)pending;
}

static size_t words_finish(void *state, uint8_t *out)
{
    (void)state;
    (void)out;
    return 0;
}

static void words_decoder_init(void *state, const uint8_t *code, size_t bytes, uint64_t words, const uint8_t *pending)
{
    Decoder *decoder = state;
    uint64_t held = bytes / 2;
    (void)pending;
    decoder->code = code;
    decoder->end = bytes > 0 ? code + bytes : code;
    decoder->words = words < held ? words : held;
}

static size_t words_decode(void *state, uint16_t *words, size_t capacity)
{
    Decoder *decoder = state;
    size_t count = decoder->words < capacity ? (size_t)decoder->words : capacity;
    if (count == 0)
        return 0;
    memcpy(words, decoder->code, 2 * count);
    decoder->code += 2 * count;
    decoder->words -= count;
    return count;
}

static int words_at_end(const void *state)
{
    const Decoder *decoder = state;
    return decoder->code == decoder->end;
}

const DtCodec dt_codec_words = {
    .name = "words",
    .encoder_bytes = sizeof(Encoder),
    .decoder_bytes = sizeof(Decoder),
    .bound = words_bound,
    .encoder_init = words_encoder_init,
    .encode = words_encode,
    .suspend = words_suspend,
    .finish = words_finish,
    .decoder_init = words_decoder_init,
    .decode = words_decode,
    .at_end = words_at_end,
};
