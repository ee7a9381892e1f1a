/*
 * The bits of LZR: first come the lowest ones of a byte. One source for both directions: `decoding` is a constant
 * wherever these functions are used; the decoder passes any value and gets the one that was coded.
 */
#ifndef DT_CODEC_LZR_CODER_H
#define DT_CODEC_LZR_CODER_H

#include "lz_history.h"

enum {
    LZR_MOST_UNARY = 16,   /* zeros before a number whose bits are counted */
    LZR_LENGTH_BITS = 6,   /* of how many they are */
    LZR_MEAN_BITS = 4,     /* a mean is a sixteenth, and goes a sixteenth of the way to each number */
    LZR_MOST_LEARNT = 4000 /* a larger number counts as that */
};

typedef struct {
    uint64_t bits; /* encoder: not written yet, below 8; decoder: the next ones */
    uint32_t count;
    uint8_t *out;
    const uint8_t *next, *end; /* two pieces: the code, and what `pending` adds to it */
    const uint8_t *more, *more_end;
    bool damaged; /* bits were asked for behind the end */
} LzrCoder;

/* Up to 56 bits. Writes 8 bytes, whatever is behind them. */
LZ_INLINE void lzr_put(LzrCoder *coder, uint64_t value, uint32_t count)
{
    uint64_t bits = coder->bits | value << coder->count;
    count += coder->count;
    memcpy(coder->out, &bits, sizeof(bits));
    coder->out += count / 8;
    coder->bits = bits >> (count & ~7u);
    coder->count = count % 8;
}

/* Up to 32 bits. */
static inline uint64_t lzr_get(LzrCoder *coder, uint32_t count)
{
    while (coder->count < count) {
        if (coder->next == coder->end) {
            coder->next = coder->more;
            coder->end = coder->more_end;
            coder->more = coder->more_end;
        }
        if (coder->next == coder->end) {
            coder->damaged = true;
            return 0;
        }
        coder->bits |= (uint64_t)*coder->next++ << coder->count;
        coder->count += 8;
    }
    uint64_t value = coder->bits & ((1ull << count) - 1);
    coder->bits >>= count;
    coder->count -= count;
    return value;
}

LZ_INLINE uint64_t lzr_code_bits(LzrCoder *coder, const bool decoding, uint64_t value, uint32_t count)
{
    if (decoding)
        return lzr_get(coder, count);
    lzr_put(coder, value, count);
    return value;
}

/* How many zeros are before the next one, up to `most`; behind `most` of them there is none. */
static inline uint32_t lzr_get_zeros(LzrCoder *coder, uint32_t most)
{
    uint32_t zeros = 0;
    while (zeros < most && !lzr_get(coder, 1) && !coder->damaged)
        zeros++;
    return zeros;
}

/* Bits of a number that are not counted, by the mean. */
LZ_INLINE uint32_t lzr_low_bits(uint16_t mean)
{
    return 31 - (uint32_t)__builtin_clz(mean >> LZR_MEAN_BITS | 1);
}

/* By how many bits it has, 32 at a time; the first one is always 1. */
static __attribute__((noinline)) uint64_t lzr_code_large(LzrCoder *coder, const bool decoding, uint64_t number)
{
    uint32_t length = decoding ? 0 : 63 - (uint32_t)__builtin_clzll(number + 1);
    length = (uint32_t)lzr_code_bits(coder, decoding, length, LZR_LENGTH_BITS);
    uint32_t low = length < 32 ? length : 32;
    uint64_t value = lzr_code_bits(coder, decoding, (number + 1) & ((1ull << low) - 1), low);
    uint64_t high = (number + 1) >> 32 & ((1ull << (length - low)) - 1);
    value |= lzr_code_bits(coder, decoding, high, length - low) << 32;
    return (value | 1ull << length) - 1;
}

/* A number, as Rice does: what is above its low bits in unary, then these. */
LZ_INLINE uint64_t lzr_code_number(LzrCoder *coder, const bool decoding, uint16_t *mean, uint64_t number)
{
    uint32_t low = lzr_low_bits(*mean);
    if (decoding) {
        uint32_t high = lzr_get_zeros(coder, LZR_MOST_UNARY);
        number = high < LZR_MOST_UNARY ? (uint64_t)high << low | lzr_get(coder, low) : lzr_code_large(coder, true, 0);
    } else if (__builtin_expect(number >> low < LZR_MOST_UNARY, 1)) {
        uint32_t high = (uint32_t)(number >> low);
        lzr_put(coder, (1 | (number & ((1ull << low) - 1)) << 1) << high, high + 1 + low);
    } else {
        lzr_put(coder, 0, LZR_MOST_UNARY);
        lzr_code_large(coder, false, number);
    }
    uint32_t learnt = (uint32_t)(number < LZR_MOST_LEARNT ? number : LZR_MOST_LEARNT);
    *mean = (uint16_t)(*mean + (((int32_t)(learnt << LZR_MEAN_BITS) - *mean) >> LZR_MEAN_BITS));
    return number;
}

#endif
