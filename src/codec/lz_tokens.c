#include "lz_tokens.h"

enum { LANES = 4 /* words handled at once */ };

_Static_assert(LZ_CHILDLESS == DT_TAIL_CHILDLESS && LZ_ID == DT_TAIL_LAST_ID, "words of tails are tokens");

/* Tokens of one word, and of the one that is held; returns where the next one goes. */
LZ_INLINE uint16_t *put_word(uint16_t *token, uint32_t *held, uint32_t word)
{
    uint32_t returns = word == DT_WORD_RETURN, is_held = *held != 0;
    *token = (uint16_t)(*held | (returns & is_held) << 15);
    token += is_held;
    *token = 0;
    token += returns & ~is_held;
    *held = word;
    if (__builtin_expect(word > LZ_ID, 0)) {
        *token++ = LZ_ESCAPE;
        *token++ = word & LZ_ID;
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
LZ_INLINE uint16_t *put_words(uint16_t *token, const uint16_t *words, size_t count, size_t *done, bool *told)
{
    const uint64_t large = LZ_FOUR(0xc000ull), not_zero = LZ_FOUR(0x7fffull), top = LZ_FOUR(0x8000ull);
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

size_t lz_make_tokens(LzTokens *made, const uint16_t *words, size_t count, size_t *done)
{
    uint16_t *token = made->tokens, *end = token + LZ_PART_TOKENS;
    uint32_t held = made->held;
    size_t i = 0;
    while (i < count && end - token > LZ_TOKENS_OF_WORD) {
        if (held == 0) {
            size_t room = (size_t)(end - token), quick;
            bool told;
            token = put_words(token, words + i, count - i < room ? count - i : room, &quick, &told);
            i += quick + told;
        }
        for (bool more = i < count; more; more = held != 0 && i < count && end - token > LZ_TOKENS_OF_WORD)
            token = put_word(token, &held, words[i++]);
    }
    made->held = held;
    *done = i;
    return (size_t)(token - made->tokens);
}
