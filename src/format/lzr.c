/*
 * LZR: LZP's matches, with breaks that cost little. What is expected at one, a token that a context has seen follow,
 * tells the next match, too, and is coded by a single number; numbers are Rice's (Rice and Plaunt, Adaptive
 * variable-length coding, 1971), bits as they are. docs/codec-lzr.md specifies it.
 */
#include "codec_table.h"
#include "lz_tokens.h"
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
    uint64_t used; /* since its memory was zero */
    LzrCoder coder;
    LzRun run; /* of the match */
    LzTokens words;
    LzrModel model;
} Encoder;

static size_t lzr_bound(size_t words)
{
    return ((words + 1) * LZ_TOKENS_OF_WORD * TOKEN_COST + LONG_RUN_COST + END_COST) / 8 + 1 + SLACK_BYTES;
}

static void lzr_encoder_init(void *state)
{
    Encoder *encoder = state;
    /* Memory that is still zero is not touched: its pages may not exist yet. */
    if (encoder->used)
        memset(encoder, 0, sizeof(*encoder));
    encoder->used = 1;
}

/* ---- coding ---------------------------------------------------------------------------- */

static __attribute__((noinline)) bool encode_unexpected(Encoder *encoder, uint32_t token, const LzrForetold *foretold,
                                                        bool at_mark)
{
    LzrModel *model = &encoder->model;
    bool is_first;
    if (model->past.distance) {
        LzBreak here = {.at_mark = at_mark, .marks = encoder->run.marks};
        if (!at_mark)
            here.gap = lz_count_gap(&model->past, &encoder->run);
        lzr_code_number(&encoder->coder, false, &model->expected[model->past.order][model->before], 0);
        lzr_code_break(model, &encoder->coder, false, &here);
    }
    lzr_code_token(model, &encoder->coder, false, token, foretold, at_mark, &is_first);
    return is_first;
}

static __attribute__((noinline)) void encode_explicit(Encoder *encoder, uint32_t token)
{
    LzrModel *model = &encoder->model;
    LzrForetold foretold;
    uint16_t refuted = lz_foretold(&model->past);
    bool in_run = model->past.distance != 0, at_mark = in_run && refuted & LZ_MARK;
    lzr_foretell(model, in_run ? refuted & ~LZ_MARK : LZ_NOTHING, &foretold);
    bool is_first = at_mark && (foretold.token[foretold.first] == token);
    if (__builtin_expect(is_first, 1))
        lzr_code_number(&encoder->coder, false, &model->expected[model->past.order][model->before],
                        encoder->run.marks + 1);
    else
        is_first = encode_unexpected(encoder, token, &foretold, at_mark);
    lzr_take(model, &foretold, token, is_first);
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

static size_t lzr_encode(void *state, const uint16_t *words, size_t count, uint8_t *out)
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
static size_t lzr_encode_tail(void *state, const uint16_t *tail, size_t count, uint8_t *out)
{
    Encoder *encoder = state;
    uint16_t held;
    encoder->coder.out = out;
    encode_tokens(encoder, &held, lz_let_held(&encoder->words, &held));
    encode_tokens(encoder, tail, count);
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
    if (encoder->run.tokens > 0) {
        uint32_t low = lzr_low_bits(model->expected[model->past.order][model->before]);
        bits |= (1 | 2ull << (1 + low)) << count;
        count += 1 + low + 2;
    }
    uint32_t bytes = (count + 7) / 8;
    for (uint32_t i = 0; i < bytes; i++)
        end[i] = (uint8_t)(bits >> (8 * i));
    return bytes;
}

/* Byte 0: how many bytes would end the code here; then these. The last two bytes: the word that is held. */
static void lzr_suspend(const void *state, uint8_t pending[DT_CODEC_PENDING_BYTES])
{
    const Encoder *encoder = state;
    uint16_t held = (uint16_t)encoder->words.held;
    pending[0] = (uint8_t)end_code(encoder, pending + 1);
    memcpy(pending + LZ_HELD_AT, &held, sizeof(held));
}

static size_t lzr_finish(void *state, uint8_t *out)
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

const DtCodec dt_codec_lzr = {
    .name = "lzr",
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
