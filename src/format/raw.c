/* The codecs that do not compress. raw: words as raw tails have them, where a function that is entered and returns
 * takes one. words: as they are, little endian; what raw tails hold once they are expanded, and before format 1.4 raw.
 */
#include <string.h>

#include "codec_table.h"
#include "tail.h"

typedef struct {
    uint64_t unused; /* the code says everything */
} Encoder;

typedef struct {
    const uint8_t *code, *end;
    uint64_t words;   /* left to decode */
    uint32_t returns; /* 1: the code's last word was a function's that returns, which is still to come */
} Decoder;

/* ---- both -------------------------------------------------------------------------------------- */

static void encoder_init(void *state)
{
    (void)state;
}

static void suspend(const void *state, uint8_t pending[DT_CODEC_PENDING_BYTES])
{
    (void)state;
    (void)pending;
}

static size_t finish(void *state, uint8_t *out)
{
    (void)state;
    (void)out;
    return 0;
}

static void decoder_init(void *state, const uint8_t *code, size_t bytes, uint64_t words, const uint8_t *pending)
{
    Decoder *decoder = state;
    (void)pending;
    *decoder = (Decoder){.code = code, .end = bytes > 0 ? code + bytes : code, .words = words};
}

static int at_end(const void *state)
{
    const Decoder *decoder = state;
    return decoder->code == decoder->end && !decoder->returns;
}

/* ---- raw --------------------------------------------------------------------------------------- */

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

const DtCodec dt_codec_raw = {
    .name = "raw",
    .encoder_bytes = sizeof(Encoder),
    .decoder_bytes = sizeof(Decoder),
    .bound = raw_bound,
    .encoder_init = encoder_init,
    .encode = raw_encode,
    .encode_tail = raw_encode_tail,
    .suspend = suspend,
    .finish = finish,
    .decoder_init = decoder_init,
    .decode = raw_decode,
    .at_end = at_end,
};

/* ---- words ------------------------------------------------------------------------------------- */

static size_t words_bound(size_t words)
{
    return 2 * words;
}

static size_t words_encode(void *state, const uint16_t *words, size_t count, uint8_t *out)
{
    (void)state;
    if (count > 0)
        memcpy(out, words, 2 * count);
    return 2 * count;
}

static size_t words_decode(void *state, uint16_t *words, size_t capacity)
{
    Decoder *decoder = state;
    size_t held = (size_t)(decoder->end - decoder->code) / 2, count = capacity < held ? capacity : held;
    if (count > decoder->words)
        count = (size_t)decoder->words;
    if (count == 0)
        return 0;
    memcpy(words, decoder->code, 2 * count);
    decoder->code += 2 * count;
    decoder->words -= count;
    return count;
}

const DtCodec dt_codec_words = {
    .name = "words",
    .encoder_bytes = sizeof(Encoder),
    .decoder_bytes = sizeof(Decoder),
    .bound = words_bound,
    .encoder_init = encoder_init,
    .encode = words_encode,
    .suspend = suspend,
    .finish = finish,
    .decoder_init = decoder_init,
    .decode = words_decode,
    .at_end = at_end,
};
