/*
 * LZP: what followed the last tokens when they came before is taken to follow again, and only where that ends is coded
 * (Bloom, LZP: a new data compression algorithm, 1996; ParLOT's codec is one of its kind). Contexts are long and
 * entered at such ends alone, so the tokens between cost a comparison. docs/codec-lzp.md specifies it.
 */
#include <string.h>

#include "codec_table.h"
#include "lz_encoder.h"
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
    LzEncoder frame;
    RangeCoder coder;
    LzpModel model;
} Encoder;

static size_t lzp_bound(size_t words)
{
    return ((words + 1) * LZ_TOKENS_OF_WORD * TOKEN_COST + LONG_RUN_COST + END_COST) / 8 + 1;
}

static void lzp_encoder_init(void *state)
{
    Encoder *encoder = state;
    lz_encoder_start(&encoder->frame, sizeof(*encoder));
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

static __attribute__((noinline)) void encode_explicit(LzEncoder *frame, const uint16_t *at, size_t before)
{
    uint32_t token = *at;
    (void)before;
    Encoder *encoder = (Encoder *)frame;
    LzpModel *model = &encoder->model;
    LzpInputs inputs;
    LzpPlaces places;
    uint16_t foretold = lz_foretold(&model->past);
    uint32_t refuted = model->past.distance ? foretold & ~LZ_MARK : LZ_NOTHING;
    lzp_find_slots(model, &inputs, refuted);
    find_next_places(model, token, &places);
    if (model->past.distance) {
        LzBreak here = {.at_mark = foretold & LZ_MARK, .marks = encoder->frame.run.marks};
        if (!here.at_mark)
            here.gap = lz_count_gap(&model->past, &encoder->frame.run);
        lzp_code_break(model, &encoder->coder, false, &here);
    }
    lzp_code_token(model, &encoder->coder, false, token, refuted, &inputs);
    lzp_find_match(model, &places);
}

static size_t lzp_encode(void *state, const uint16_t *words, size_t count, uint8_t *out)
{
    Encoder *encoder = state;
    encoder->coder.out = out;
    lz_encode_words(&encoder->frame, &encoder->model.past, encode_explicit, words, count);
    return (size_t)(encoder->coder.out - out);
}

static size_t lzp_encode_tail(void *state, const uint16_t *tail, size_t count, uint8_t *out)
{
    Encoder *encoder = state;
    encoder->coder.out = out;
    lz_encode_tail(&encoder->frame, &encoder->model.past, encode_explicit, tail, count);
    return (size_t)(encoder->coder.out - out);
}

/* ---- the end --------------------------------------------------------------------------- */

/* The bytes that end the code: that the run goes on to the end, if there is one, and an end of the interval. Returns
   how many. */
static uint32_t end_code(const Encoder *encoder, uint8_t end[LZ_LONGEST_END])
{
    RangeCoder coder = encoder->coder;
    coder.out = end;
    if (encoder->frame.run.tokens > 0)
        range_code(&coder, false, LZP_LEAST_END, 1);
    return (uint32_t)(coder.out - end) + range_coder_end(coder.low, coder.high, coder.out);
}

static void lzp_suspend(const void *state, uint8_t pending[DT_CODEC_PENDING_BYTES])
{
    const Encoder *encoder = state;
    uint8_t end[LZ_LONGEST_END] = {0};
    uint32_t bytes = end_code(encoder, end);
    lz_make_pending(&encoder->frame, end, bytes, pending);
}

static size_t lzp_finish(void *state, uint8_t *out)
{
    Encoder *encoder = state;
    uint8_t end[LZ_LONGEST_END];
    encoder->coder.out = out;
    lz_encode_held(&encoder->frame, &encoder->model.past, encode_explicit);
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
