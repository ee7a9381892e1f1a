/*
 * The range coder of TZ: binary decisions, 32 bits, without carries, so
 * that bytes once written never change. One source for both directions:
 * `decoding` is a constant wherever these functions are used.
 *
 * [low, high] is the interval of all codes that begin as this one does. The
 * decoder holds the next four bytes of the code in `window`; behind the end of
 * the code it does not know them, and `unknown` has their bits: a decision that
 * depends on them is not made, but sets `damaged`.
 */
#ifndef DT_CODEC_RANGE_CODER_H
#define DT_CODEC_RANGE_CODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RANGE_INLINE static inline __attribute__((always_inline))

enum {
    RANGE_LEAST_BIT = 32, /* least probability of a decision that adapts, of 65536 */
    RANGE_END_BYTES = 4   /* most bytes that end a code */
};

typedef struct {
    uint32_t low, high;
    uint8_t *out;              /* encoder */
    const uint8_t *next, *end; /* decoder; two pieces: the code, and what `pending` adds to it */
    const uint8_t *more, *more_end;
    uint32_t window, unknown;
    uint64_t missing; /* bytes read behind the end */
    bool damaged;
} RangeCoder;

RANGE_INLINE void range_coder_start(RangeCoder *coder)
{
    coder->low = 0;
    coder->high = 0xffffffffu;
}

RANGE_INLINE void range_coder_read(RangeCoder *coder)
{
    coder->window <<= 8;
    coder->unknown <<= 8;
    if (coder->next == coder->end) {
        coder->next = coder->more;
        coder->end = coder->more_end;
        coder->more = coder->more_end;
    }
    if (coder->next != coder->end) {
        coder->window |= *coder->next++;
    } else {
        coder->unknown |= 255;
        coder->missing++;
    }
}

/* Starts to decode. `more` is what follows behind the code. */
static inline void range_coder_open(RangeCoder *coder, const uint8_t *code, size_t bytes, const uint8_t *more,
                                    size_t more_bytes)
{
    range_coder_start(coder);
    coder->next = code;
    coder->end = bytes > 0 ? code + bytes : code;
    coder->more = more;
    coder->more_end = more + more_bytes;
    for (int i = 0; i < 4; i++)
        range_coder_read(coder);
}

/* One decision, whose probability to be 1 is `probability` of 65536. */
RANGE_INLINE int range_code(RangeCoder *coder, const bool decoding, uint32_t probability, int bit)
{
    uint32_t middle = coder->low + (uint32_t)((uint64_t)(coder->high - coder->low) * probability >> 16);
    if (decoding) {
        bit = coder->window <= middle;
        coder->damaged |= bit != ((coder->window | coder->unknown) <= middle);
    }
    if (bit)
        coder->high = middle;
    else
        coder->low = middle + 1;
    while ((coder->low ^ coder->high) >> 24 == 0) {
        if (decoding)
            range_coder_read(coder);
        else
            *coder->out++ = (uint8_t)(coder->high >> 24);
        coder->low <<= 8;
        coder->high = coder->high << 8 | 255;
    }
    return bit;
}

RANGE_INLINE uint32_t range_clamp(uint32_t probability, uint32_t least)
{
    return probability < least ? least : probability > 65536 - least ? 65536 - least : probability;
}

/* A decision with a probability that adapts. */
RANGE_INLINE int range_code_bit(RangeCoder *coder, const bool decoding, uint16_t *probability, int bit)
{
    uint32_t p = *probability;
    bit = range_code(coder, decoding, range_clamp(p, RANGE_LEAST_BIT), bit);
    *probability = (uint16_t)(bit ? p + ((65535 - p) >> 4) : p - (p >> 4));
    return bit;
}

/* A number of `bits` bits by a binary tree of probabilities, kept as p ^ 32768. */
RANGE_INLINE uint32_t range_code_tree_bit(RangeCoder *coder, const bool decoding, uint16_t *probability, uint32_t bit)
{
    uint16_t p = *probability ^ 32768;
    bit = (uint32_t)range_code_bit(coder, decoding, &p, (int)bit);
    *probability = p ^ 32768;
    return bit;
}

/*
 * How a code ends, without the bytes that were written: the shortest bytes
 * after which any bytes may follow. Returns how many.
 */
static inline uint32_t range_coder_end(uint32_t low, uint32_t high, uint8_t end[RANGE_END_BYTES])
{
    uint64_t value = low;
    uint32_t bytes = 0;
    for (; bytes < RANGE_END_BYTES; bytes++) {
        uint64_t rest = 0xffffffffu >> (8 * bytes);
        value = (low + rest) & ~rest;
        if (value + rest <= high)
            break;
    }
    if (bytes == RANGE_END_BYTES)
        value = low;
    for (uint32_t i = 0; i < bytes; i++)
        end[i] = (uint8_t)(value >> (24 - 8 * i));
    return bytes;
}

/* Whether an encoder would have ended the code here with these bytes and no others. */
static inline bool range_coder_is_at_end(const RangeCoder *coder)
{
    uint8_t end[RANGE_END_BYTES];
    uint32_t bytes = range_coder_end(coder->low, coder->high, end), window = 0;
    for (uint32_t i = 0; i < bytes; i++)
        window |= (uint32_t)end[i] << (24 - 8 * i);
    return !coder->damaged && coder->next == coder->end && coder->more == coder->more_end &&
           coder->missing == RANGE_END_BYTES - bytes && window == coder->window;
}

#endif
