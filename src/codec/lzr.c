/*
 * LZR: what followed the last tokens when they came before is taken to follow again, and only where that breaks is
 * coded (Bloom, LZP: a new data compression algorithm, 1996). Breaks cost little: a token that a context has seen
 * follow is expected there, tells the next match, too, and is coded by a single number. Numbers are Rice's (Rice and
 * Plaunt, Adaptive variable-length coding, 1971), bits as they are. docs/codec-lzr.md specifies it.
 */
#include "codec_table.h"
#include "lz_encoder.h"
#include "lzr_decoder.h"
#include "lzr_explicit.h"

/* Bits. */
enum {
    MOST_LOW_BITS = 12,
    LARGE_COST = LZR_MOST_UNARY + LZR_LENGTH_BITS + 63,
    /* Of a token: that it is not expected, where its run breaks if that is short (what is counted there in unary its
     * tokens have room for), its rank, its place in the list, its id. */
    BREAK_COST = 1 + MOST_LOW_BITS + 2 + 2 * (1 + MOST_LOW_BITS),
    TOKEN_COST = BREAK_COST + LZR_MOST_CANDIDATES + LARGE_COST + 1 + LZR_ID_BITS + 1,
    LONG_RUN_COST = 2 * LARGE_COST,
    END_COST = 1 + MOST_LOW_BITS + 2,
    SLACK_BYTES = 8 /* that putting bits writes behind them */
};

_Static_assert(LZR_MOST_LEARNT >> MOST_LOW_BITS == 0, "numbers have few low bits");
_Static_assert((7 + END_COST + 7) / 8 <= LZ_LONGEST_END, "the end of a code fits a commit record");

typedef struct {
    LzEncoder frame;
    LzrCoder coder;
    LzrModel model;
} Encoder;

static size_t lzr_bound(size_t words)
{
    return ((words + 1) * LZ_TOKENS_OF_WORD * TOKEN_COST + LONG_RUN_COST + END_COST) / 8 + 1 + SLACK_BYTES;
}

static void lzr_encoder_init(void *state)
{
    lz_encoder_start(state, sizeof(Encoder));
}

/* ---- coding ---------------------------------------------------------------------------- */

static __attribute__((noinline)) bool encode_unexpected(Encoder *encoder, uint32_t token, const LzrForetold *foretold,
                                                        bool at_mark)
{
    LzrModel *model = &encoder->model;
    bool is_first;
    if (model->past.distance) {
        LzBreak here = {.at_mark = at_mark, .marks = encoder->frame.run.marks};
        if (!at_mark)
            here.gap = lz_count_gap(&model->past, &encoder->frame.run);
        lzr_code_number(&encoder->coder, false, &model->expected[model->past.order][model->before], 0);
        lzr_code_break(model, &encoder->coder, false, &here);
    }
    lzr_code_token(model, &encoder->coder, false, token, foretold, at_mark, &is_first);
    return is_first;
}

static __attribute__((noinline)) void encode_explicit(LzEncoder *frame, const uint16_t *at, size_t before)
{
    uint16_t copy[LZ_LONGEST_CONTEXT];
    Encoder *encoder = (Encoder *)frame;
    LzrModel *model = &encoder->model;
    LzrForetold foretold;
    uint32_t token = *at;
    uint16_t refuted = lz_foretold(&model->past);
    bool in_run = model->past.distance != 0, at_mark = in_run && refuted & LZ_MARK;
    /* The ring has just been written, and is slow to read where its vectors meet. */
    const uint16_t *end = before >= LZ_LONGEST_CONTEXT ? at : lz_last_tokens(&model->past, copy);
    lzr_foretell(model, end, in_run ? refuted & ~LZ_MARK : LZ_NOTHING, &foretold);
    bool is_first = at_mark && (foretold.token[foretold.first] == token);
    if (__builtin_expect(is_first, 1))
        lzr_code_number(&encoder->coder, false, &model->expected[model->past.order][model->before],
                        encoder->frame.run.marks + 1);
    else
        is_first = encode_unexpected(encoder, token, &foretold, at_mark);
    lzr_take(model, &foretold, token, is_first);
}

static size_t lzr_encode(void *state, const uint16_t *words, size_t count, uint8_t *out)
{
    Encoder *encoder = state;
    encoder->coder.out = out;
    lz_encode_words(&encoder->frame, &encoder->model.past, encode_explicit, words, count);
    return (size_t)(encoder->coder.out - out);
}

static size_t lzr_encode_tail(void *state, const uint16_t *tail, size_t count, uint8_t *out)
{
    Encoder *encoder = state;
    encoder->coder.out = out;
    lz_encode_tail(&encoder->frame, &encoder->model.past, encode_explicit, tail, count);
    return (size_t)(encoder->coder.out - out);
}

/* ---- the end --------------------------------------------------------------------------- */

/* The bytes that end the code: that the run goes on to the end, if there is one, and bits of 0 up to a whole byte.
   Returns how many. */
static uint32_t end_code(const Encoder *encoder, uint8_t end[LZ_LONGEST_END])
{
    const LzrModel *model = &encoder->model;
    uint64_t bits = encoder->coder.bits;
    uint32_t count = encoder->coder.count;
    if (encoder->frame.run.tokens > 0) {
        uint32_t low = lzr_low_bits(model->expected[model->past.order][model->before]);
        bits |= (1 | 2ull << (1 + low)) << count;
        count += 1 + low + 2;
    }
    memcpy(end, &bits, LZ_LONGEST_END);
    return (count + 7) / 8;
}

static void lzr_suspend(const void *state, uint8_t pending[DT_CODEC_PENDING_BYTES])
{
    const Encoder *encoder = state;
    uint8_t end[LZ_LONGEST_END] = {0};
    uint32_t bytes = end_code(encoder, end);
    lz_make_pending(&encoder->frame, end, bytes, pending);
}

static size_t lzr_finish(void *state, uint8_t *out)
{
    Encoder *encoder = state;
    uint8_t end[LZ_LONGEST_END];
    encoder->coder.out = out;
    lz_encode_held(&encoder->frame, &encoder->model.past, encode_explicit);
    uint32_t bytes = end_code(encoder, end);
    memcpy(encoder->coder.out, end, bytes);
    return (size_t)(encoder->coder.out - out) + bytes;
}

const DtCodecFunctions dt_codec_lzr = {
    .encoder_bytes = sizeof(Encoder),
    .decoder_bytes = sizeof(LzrDecoder),
    .bound = lzr_bound,
    .encoder_init = lzr_encoder_init,
    .encode = lzr_encode,
    .encode_tail = lzr_encode_tail,
    .suspend = lzr_suspend,
    .finish = lzr_finish,
    .decoder_init = lzr_decoder_init,
    .decode = lz_decode,
    .decode_row = lz_decode_row,
    .at_end = lzr_at_end,
};
