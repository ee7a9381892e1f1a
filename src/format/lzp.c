/*
 * LZP: what followed the last tokens when they came before is taken to follow again, and only where that ends is coded
 * (Bloom, LZP: a new data compression algorithm, 1996; ParLOT's codec is one of its kind). Contexts are long and
 * entered at such ends alone, so the tokens between cost a comparison. docs/codec-lzp.md specifies it.
 */
#include <string.h>

#include "codec_table.h"
#include "lzp_decoder.h"
#include "lzp_explicit.h"

enum {
    LANES = 4, /* words handled at once */
    TOKENS_OF_WORD = 3,
    /* That are made before they are coded. */
    PART_TOKENS = 544,
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

_Static_assert(LZP_CHILDLESS == DT_TAIL_CHILDLESS && LZP_ID == DT_TAIL_LAST_ID, "words of tails are tokens");
_Static_assert(END_COST / 8 + 1 <= LZP_LONGEST_END, "the end of a code fits a commit record");

typedef struct {
    uint64_t used; /* since its memory was zero */
    RangeCoder coder;
    uint64_t run, marks; /* of the match: tokens that it foretold, marks among them */
    uint32_t held;       /* a function that was entered: the next word tells whether it is childless; 0: none */
    uint16_t tokens[PART_TOKENS + LANES];
    LzpModel model;
} Encoder;

static size_t lzp_bound(size_t words)
{
    return ((words + 1) * TOKENS_OF_WORD * TOKEN_COST + LONG_RUN_COST + END_COST) / 8 + 1;
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

/* ---- tokens ---------------------------------------------------------------------------- */

/* Tokens of one word, and of the one that is held; returns where the next one goes. */
RANGE_INLINE uint16_t *put_word(uint16_t *token, uint32_t *held, uint32_t word)
{
    uint32_t returns = word == DT_WORD_RETURN, is_held = *held != 0;
    *token = (uint16_t)(*held | (returns & is_held) << 15);
    token += is_held;
    *token = 0;
    token += returns & ~is_held;
    *held = word;
    if (__builtin_expect(word > LZP_ID, 0)) {
        *token++ = LZP_ESCAPE;
        *token++ = word & LZP_ID;
        *token++ = (uint16_t)(word >> 14);
        *held = 0;
    }
    return token;
}

/* How four tokens close up when some of them, a bit each, are left out; never two that are neighbours. */
static const struct {
    uint64_t stay, by_one, by_two; /* where tokens stay in place, and go one or two places down */
    uint64_t kept;
} gaps[1 << LANES] = {
    [0] = {0xffffffffffffffff, 0, 0, 4},  [1] = {0, 0xffffffffffff, 0, 3},
    [2] = {0xffff, 0xffffffff0000, 0, 3}, [4] = {0xffffffff, 0xffff00000000, 0, 3},
    [5] = {0, 0xffff, 0xffff0000, 2},     [8] = {0xffffffffffff, 0, 0, 3},
    [9] = {0, 0xffffffff, 0, 2},          [10] = {0xffff, 0xffff0000, 0, 2},
};

/* The same of `count` words at a time, without one that is held and up to an escape: four together, each with the word
 * behind it. `*done` are looked at; the return behind them is told if `*told`. */
RANGE_INLINE uint16_t *put_words(uint16_t *token, const uint16_t *words, size_t count, size_t *done, bool *told)
{
    const uint64_t large = LZP_FOUR(0xc000ull), not_zero = LZP_FOUR(0x7fffull), top = LZP_FOUR(0x8000ull);
    /* A product with it has the lowest bits of all lanes in the highest one. */
    const uint64_t gather = 1ull << 48 | 1ull << 33 | 1ull << 18 | 1ull << 3;
    uint64_t left_out = 0;
    size_t i = 0;
    for (; i + LANES < count; i += LANES) {
        uint64_t four, behind;
        memcpy(&four, words + i, sizeof(four));
        memcpy(&behind, words + i + 1, sizeof(behind));
        if ((four | behind) & large)
            break;
        uint64_t childless = (four + not_zero) & ~(behind + not_zero) & top;
        left_out |= childless << 16;
        four |= childless;
        uint64_t gap = (left_out >> 15) * gather >> 48;
        four = (four & gaps[gap].stay) | (four >> 16 & gaps[gap].by_one) | (four >> 32 & gaps[gap].by_two);
        memcpy(token, &four, sizeof(four));
        token += gaps[gap].kept;
        left_out = childless >> 48;
    }
    *done = i;
    *told = left_out != 0;
    return token;
}

/* Tokens that say the words, but for one that is held; of as many words as there is room for. */
static size_t make_tokens(Encoder *encoder, const uint16_t *words, size_t count, size_t *done)
{
    uint16_t *token = encoder->tokens, *end = token + PART_TOKENS;
    uint32_t held = encoder->held;
    size_t i = 0;
    while (i < count && end - token > TOKENS_OF_WORD) {
        if (held == 0) {
            size_t room = (size_t)(end - token), quick;
            bool told;
            token = put_words(token, words + i, count - i < room ? count - i : room, &quick, &told);
            i += quick + told;
        }
        for (bool more = i < count; more; more = held != 0 && i < count && end - token > TOKENS_OF_WORD)
            token = put_word(token, &held, words[i++]);
    }
    encoder->held = held;
    *done = i;
    return (size_t)(token - encoder->tokens);
}

/* ---- coding ---------------------------------------------------------------------------- */

/* Tokens of the run behind its last mark. */
static uint64_t count_gap(LzpModel *model, uint64_t run, uint64_t marks)
{
    uint64_t gap = 0;
    if (marks == 0)
        return run;
    while (!(*lzp_at(model, model->position - 1 - gap) & LZP_MARK))
        gap++;
    return gap;
}

/* Where the next match is looked for, as soon as it can be told: the memory there is seldom in a cache. */
static void find_next_places(LzpModel *model, uint32_t token, LzpPlaces *places)
{
    *lzp_at(model, model->position++) = (uint16_t)token;
    lzp_find_places(model, places);
    model->position--;
}

static __attribute__((noinline)) void encode_explicit(Encoder *encoder, uint32_t token)
{
    LzpModel *model = &encoder->model;
    LzpInputs inputs;
    LzpPlaces places;
    uint16_t foretold = *lzp_at(model, model->position - model->distance);
    uint32_t refuted = model->distance ? foretold & ~LZP_MARK : LZP_NOTHING;
    lzp_find_slots(model, &inputs, refuted);
    find_next_places(model, token, &places);
    if (model->distance) {
        LzpBreak here = {.at_mark = foretold & LZP_MARK, .marks = encoder->marks};
        if (!here.at_mark)
            here.gap = count_gap(model, encoder->run, encoder->marks);
        lzp_code_break(model, &encoder->coder, false, &here);
    }
    lzp_code_token(model, &encoder->coder, false, token, refuted, &inputs);
    lzp_find_match(model, &places);
    encoder->run = encoder->marks = 0;
}

static void encode_tokens(Encoder *encoder, const uint16_t *tokens, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (encoder->model.distance) {
            size_t run = lzp_go_along(&encoder->model, tokens + i, count - i, encoder->run, &encoder->marks);
            encoder->run += run;
            i += run;
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
        size_t part, tokens = make_tokens(encoder, words, count, &part);
        encode_tokens(encoder, encoder->tokens, tokens);
        words += part;
        count -= part;
    }
    return (size_t)(encoder->coder.out - out);
}

/* A word that is held comes from a tail that was expanded. */
static size_t lzp_encode_tail(void *state, const uint16_t *tail, size_t count, uint8_t *out)
{
    Encoder *encoder = state;
    uint16_t held = (uint16_t)encoder->held;
    encoder->coder.out = out;
    encode_tokens(encoder, &held, held != 0);
    encoder->held = 0;
    encode_tokens(encoder, tail, count);
    return (size_t)(encoder->coder.out - out);
}

/* ---- the end --------------------------------------------------------------------------- */

/* The bytes that end the code: that the run goes on to the end, if there is one, and an end of the interval. Returns
   how many. */
static uint32_t end_code(const Encoder *encoder, uint8_t end[LZP_LONGEST_END])
{
    RangeCoder coder = encoder->coder;
    coder.out = end;
    if (encoder->run > 0)
        range_code(&coder, false, LZP_LEAST_END, 1);
    return (uint32_t)(coder.out - end) + range_coder_end(coder.low, coder.high, coder.out);
}

/* Byte 0: how many bytes would end the code here; then these. The last two bytes: the word that is held. */
static void lzp_suspend(const void *state, uint8_t pending[DT_CODEC_PENDING_BYTES])
{
    const Encoder *encoder = state;
    uint16_t held = (uint16_t)encoder->held;
    pending[0] = (uint8_t)end_code(encoder, pending + 1);
    memcpy(pending + LZP_HELD_AT, &held, sizeof(held));
}

static size_t lzp_finish(void *state, uint8_t *out)
{
    Encoder *encoder = state;
    uint8_t end[LZP_LONGEST_END];
    uint16_t held = (uint16_t)encoder->held;
    encoder->coder.out = out;
    encode_tokens(encoder, &held, held != 0);
    encoder->held = 0;
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
    .decode = lzp_decode,
    .decode_row = lzp_decode_row,
    .at_end = lzp_at_end,
};
