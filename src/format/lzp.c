/*
 * LZP: what followed the last tokens when they came before is taken to follow again, and only where that ends is coded
 * (Bloom, LZP: a new data compression algorithm, 1996; ParLOT's codec is one of its kind). Contexts are long and
 * entered at such ends alone, so the tokens between cost a comparison. docs/codec-lzp.md specifies it.
 */
#include <string.h>

#include "codec_table.h"
#include "lz_tokens.h"
#include "lzp_decoder.h"
#include "lzp_explicit.h"

enum {
    /* Bits that one decision costs at most. */
    BIT_COST = 12,
    END_FLAG_COST = 15,
    /* Numbers of a token without a run; what a run's length adds, its tokens have room for. */
    NUMBER_COST = BIT_COST,
    RUN_COST = 4 * BIT_COST,
    ID_COST = (1 + 14 + 1) * BIT_COST,
    TOKEN_COST = BIT_COST + 2 * NUMBER_COST + RUN_COST + LZP_RANKS * BIT_COST + LZP_RECENT * BIT_COST + ID_COST,
    /* A run that began in an earlier batch. */
    LONG_RUN_COST = 2 * 127 * BIT_COST,
    END_COST = END_FLAG_COST + 8 * RANGE_END_BYTES
};

_Static_assert(END_COST / 8 + 1 <= LZ_LONGEST_END, "the end of a code fits a commit record");

typedef struct {
    uint64_t used; /* since its memory was zero */
    RangeCoder coder;
    LzRun run; /* of the match */
    LzTokens words;
    LzpModel model;
} Encoder;

static size_t lzp_bound(size_t words)
{
    return ((words + 1) * LZ_TOKENS_OF_WORD * TOKEN_COST + LONG_RUN_COST + END_COST) / 8 + 1;
}

static void lzp_encoder_init(void *state)
{
    Encoder *encoder = state;
    /* Memory that is still zero is not touched: its pages may not exist yet. */
    if (encoder->used)
        memset(encoder, 0, sizeof(*encoder));
    encoder->used = 1;
    range_coder_start(&encoder->coder);
}

/* ---- coding ---------------------------------------------------------------------------- */

/* Where the next match is looked for, as soon as it can be told: the memory there is seldom in a cache. */
static void find_next_places(LzpModel *model, uint32_t token, LzpPlaces *places)
{
    lz_put(&model->past, token);
    lzp_find_places(model, places);
    model->past.position--;
}

static __attribute__((noinline)) void encode_explicit(Encoder *encoder, uint32_t token)
{
    LzpModel *model = &encoder->model;
    LzpInputs inputs;
    LzpPlaces places;
    uint16_t foretold = lz_foretold(&model->past);
    uint32_t refuted = model->past.distance ? foretold & ~LZ_MARK : LZ_NOTHING;
    lzp_find_slots(model, &inputs, refuted);
    find_next_places(model, token, &places);
    if (model->past.distance) {
        LzBreak here = {.at_mark = foretold & LZ_MARK, .marks = encoder->run.marks};
        if (!here.at_mark)
            here.gap = lz_count_gap(&model->past, &encoder->run);
        lzp_code_break(model, &encoder->coder, false, &here);
    }
    lzp_code_token(model, &encoder->coder, false, token, refuted, &inputs);
    lzp_find_match(model, &places);
    encoder->run = (LzRun){0, 0};
}

static void encode_tokens(Encoder *encoder, const uint16_t *tokens, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (encoder->model.past.distance) {
            i += lz_go_along(&encoder->model.past, &encoder->run, tokens + i, count - i);
            if (i == count)
                break;
        }
        encode_explicit(encoder, tokens[i]);
    }
}

static size_t lzp_encode(void *state, const uint16_t *words, size_t count, uint8_t *out)
{
    Encoder *encoder = state;
    encoder->coder.out = out;
    while (count > 0) {
        size_t part, tokens = lz_make_tokens(&encoder->words, words, count, &part);
        encode_tokens(encoder, encoder->words.tokens, tokens);
        words += part;
        count -= part;
    }
    return (size_t)(encoder->coder.out - out);
}

/* A word that is held comes from a tail that was expanded. */
static size_t lzp_encode_tail(void *state, const uint16_t *tail, size_t count, uint8_t *out)
{
    Encoder *encoder = state;
    uint16_t held;
    encoder->coder.out = out;
    encode_tokens(encoder, &held, lz_let_held(&encoder->words, &held));
    encode_tokens(encoder, tail, count);
    return (size_t)(encoder->coder.out - out);
}

/* ---- the end --------------------------------------------------------------------------- */

/* The bytes that end the code: that the run goes on to the end, if there is one, and an end of the interval. Returns
   how many. */
static uint32_t end_code(const Encoder *encoder, uint8_t end[LZ_LONGEST_END])
{
    RangeCoder coder = encoder->coder;
    coder.out = end;
    if (encoder->run.tokens > 0)
        range_code(&coder, false, LZP_LEAST_END, 1);
    return (uint32_t)(coder.out - end) + range_coder_end(coder.low, coder.high, coder.out);
}

/* Byte 0: how many bytes would end the code here; then these. The last two bytes: the word that is held. */
static void lzp_suspend(const void *state, uint8_t pending[DT_CODEC_PENDING_BYTES])
{
    const Encoder *encoder = state;
    uint16_t held = (uint16_t)encoder->words.held;
    pending[0] = (uint8_t)end_code(encoder, pending + 1);
    memcpy(pending + LZ_HELD_AT, &held, sizeof(held));
}

static size_t lzp_finish(void *state, uint8_t *out)
{
    Encoder *encoder = state;
    uint8_t end[LZ_LONGEST_END];
    uint16_t held;
    encoder->coder.out = out;
    encode_tokens(encoder, &held, lz_let_held(&encoder->words, &held));
    uint32_t bytes = end_code(encoder, end);
    memcpy(encoder->coder.out, end, bytes);
    return (size_t)(encoder->coder.out - out) + bytes;
}

const DtCodec dt_codec_lzp = {
    .name = "lzp",
    .encoder_bytes = sizeof(Encoder),
    .decoder_bytes = sizeof(LzpDecoder),
    .bound = lzp_bound,
    .encoder_init = lzp_encoder_init,
    .encode = lzp_encode,
    .encode_tail = lzp_encode_tail,
    .suspend = lzp_suspend,
    .finish = lzp_finish,
    .decoder_init = lzp_decoder_init,
    .decode = lz_decode,
    .decode_row = lz_decode_row,
    .at_end = lzp_at_end,
};
