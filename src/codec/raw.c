/* The codec that does not compress: words as raw tails have them, where a function that is entered and returns takes
 * one. */
#include <string.h>

#include "codec_table.h"
#include "format/tail.h"

typedef struct {
    uint64_t unused; /* the code says everything */
} Encoder;

typedef struct {
    const uint8_t *code, *end;
    uint64_t words;   /* left to decode */
    uint32_t returns; /* 1: the code's last word was a function's that returns, which is still to come */
} Decoder;

static void raw_encoder_init(void *state)
{
    (void)state;
}

static void raw_suspend(const void *state, uint8_t pending[DT_CODEC_PENDING_BYTES])
{
    (void)state;
    (void)pending;
}

static size_t raw_finish(void *state, uint8_t *out)
{
    (void)state;
    (void)out;
    return 0;
}

static void raw_decoder_init(void *state, const uint8_t *code, size_t bytes, uint64_t words, const uint8_t *pending)
{
    Decoder *decoder = state;
    (void)pending;
    *decoder = (Decoder){.code = code, .end = bytes > 0 ? code + bytes : code, .words = words};
}

static int raw_at_end(const void *state)
{
    const Decoder *decoder = state;
    return decoder->code == decoder->end && !decoder->returns;
}

static size_t raw_bound(size_t words)
{
    return 4 * words;
}

static size_t raw_encode(void *state, const uint16_t *words, size_t count, uint8_t *out)
{
    static const uint16_t mark = DT_TAIL_LITERAL;
    const uint8_t *start = out;
    (void)state;
    for (size_t i = 0; i < count; i++) {
        if (dt_tail_is_childless(words[i]) || words[i] == mark) {
            memcpy(out, &mark, sizeof mark);
            out += sizeof mark;
        }
        memcpy(out, &words[i], sizeof *words);
        out += sizeof *words;
    }
    return (size_t)(out - start);
}

static size_t raw_encode_tail(void *state, const uint16_t *tail, size_t count, uint8_t *out)
{
    (void)state;
    memcpy(out, tail, 2 * count);
    return 2 * count;
}

/* False: the code has ended. */
static int next_word(Decoder *decoder, uint16_t *word)
{
    if (decoder->end - decoder->code < 2)
        return 0;
    memcpy(word, decoder->code, sizeof *word);
    decoder->code += sizeof *word;
    return 1;
}

/* The same, of the words that the code stands for. */
static int next_decoded(Decoder *decoder, uint16_t *word)
{
    if (decoder->returns) {
        decoder->returns = 0;
        *word = DT_WORD_RETURN;
        return 1;
    }
    if (!next_word(decoder, word))
        return 0;
    if (*word == DT_TAIL_LITERAL)
        return next_word(decoder, word);
    decoder->returns = dt_tail_is_childless(*word);
    *word ^= (uint16_t)(decoder->returns << 15);
    return 1;
}

static size_t raw_decode(void *state, uint16_t *words, size_t capacity)
{
    Decoder *decoder = state;
    size_t count = decoder->words < capacity ? (size_t)decoder->words : capacity, done = 0;
    while (done < count && next_decoded(decoder, &words[done]))
        done++;
    decoder->words -= done;
    return done;
}

const DtCodecFunctions dt_codec_raw = {
    .encoder_bytes = sizeof(Encoder),
    .decoder_bytes = sizeof(Decoder),
    .bound = raw_bound,
    .encoder_init = raw_encoder_init,
    .encode = raw_encode,
    .encode_tail = raw_encode_tail,
    .suspend = raw_suspend,
    .finish = raw_finish,
    .decoder_init = raw_decoder_init,
    .decode = raw_decode,
    .at_end = raw_at_end,
};
