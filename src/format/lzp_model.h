/*
 * What encoder and decoder of LZP know alike: the last tokens, where a context was last seen, what followed it.
 * docs/codec-lzp.md describes it; every constant here is part of the format.
 *
 * All zeros at first, and small by design: tracing has one of it per thread.
 */
#ifndef DT_FORMAT_LZP_MODEL_H
#define DT_FORMAT_LZP_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "range_coder.h"
#include "ring.h"

/* A token: the id of a function that is entered, 0 for a return, with LZP_CHILDLESS if the return follows at once. */
#define LZP_CHILDLESS 0x8000u
#define LZP_ID        0x3fffu
#define LZP_ESCAPE    LZP_CHILDLESS /* two tokens follow, the low 14 and the high 2 bits of a word */
/* In the ring: here a match broke, or where this was copied from. */
#define LZP_MARK    0x4000u
#define LZP_NOTHING LZP_MARK /* no token */

enum {
    LZP_RING_TOKENS = DT_RING_WORDS,
    LZP_ORDERS = 3, /* contexts that find a match: the last 32, 12, 4 tokens */
    LZP_PLACE_BITS = 11,
    LZP_BEFORE_BITS = 4,
    LZP_BEFORE = 1 << LZP_BEFORE_BITS,
    LZP_LENGTHS = 32, /* of numbers; longer ones share the last */
    LZP_CONTEXTS = 4, /* contexts that foretell a token */
    LZP_SLOT_BITS = 11,
    LZP_RANKS = 5,   /* candidates that are tried */
    LZP_STATES = 5,  /* what a context says of a candidate */
    LZP_SETTLED = 3, /* a first token that came more often is another state */
    LZP_MOST_COUNT = 200,
    LZP_WEAK = 2, /* a first token that came so often, at most, gives way at once */
    LZP_RECENT_BITS = 9,
    LZP_RECENT = 16,
    LZP_ID_NODES = 4096,
    LZP_MOST_SEEN = 30, /* decisions after which a probability adapts at its slowest */
    LZP_LEAST_END = 4   /* probability, of 65536, that a run goes on to the end */
};

/* A probability: in the upper half that of 1, of 65536, xor 32768; below how often it was asked. */
typedef uint32_t LzpBit;

/* How a number is coded. */
typedef LzpBit LzpLength[LZP_LENGTHS];

typedef struct {
    uint16_t check;
    uint16_t first, second;
    uint8_t count; /* of `first`; 0: the slot is empty */
    uint8_t has_second;
} LzpSlot;

typedef struct {
    uint64_t position; /* tokens so far */
    uint32_t distance; /* of the match; 0: there is none */
    uint32_t order;    /* of the context that found it */
    uint32_t before;   /* the token before it, hashed */
    uint32_t largest_id;
    uint32_t history; /* of `at_mark` */
    LzpBit at_mark[8];
    LzpLength marks[2][LZP_ORDERS][LZP_BEFORE], gap;
    LzpBit upper_bits[LZP_LENGTHS][4];
    LzpBit candidate[LZP_RANKS][2][LZP_STATES * LZP_STATES * LZP_STATES * LZP_STATES];
    LzpBit recent_bit[LZP_RECENT];
    LzpBit is_new, is_childless[2];
    LzpBit id[LZP_ID_NODES];
    uint16_t recent[1 << LZP_RECENT_BITS][LZP_RECENT];
    uint32_t place[LZP_ORDERS][1 << LZP_PLACE_BITS]; /* below a position, above a check; 0: empty */
    LzpSlot slot[LZP_CONTEXTS][1 << LZP_SLOT_BITS];
    uint16_t ring[LZP_RING_TOKENS];
} LzpModel;

RANGE_INLINE uint16_t *lzp_at(LzpModel *model, uint64_t position)
{
    return &model->ring[position % LZP_RING_TOKENS];
}

#define LZP_FOUR(token) ((token)*0x0001000100010001u)

/* The tokens from `back` ago on, without marks; the earliest is the lowest. */
RANGE_INLINE uint64_t lzp_four_ago(const LzpModel *model, uint32_t back)
{
    uint32_t at = (uint32_t)(model->position - back) % LZP_RING_TOKENS;
    uint64_t four = 0;
    if (at <= LZP_RING_TOKENS - 4)
        memcpy(&four, model->ring + at, sizeof(four));
    else
        for (uint32_t i = 0; i < 4; i++)
            four |= (uint64_t)model->ring[(at + i) % LZP_RING_TOKENS] << (16 * i);
    return four & ~LZP_FOUR((uint64_t)LZP_MARK);
}

RANGE_INLINE uint64_t lzp_mix(uint64_t hash)
{
    hash *= 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

/* The next token, with its mark. */
RANGE_INLINE void lzp_put(LzpModel *model, uint32_t token)
{
    *lzp_at(model, model->position++) = (uint16_t)token;
}

/* Where a context has its place, and what tells it from others that have the same. */
typedef struct {
    uint32_t *place[LZP_ORDERS];
    uint32_t check[LZP_ORDERS];
} LzpPlaces;

/* Those of the last tokens. */
void lzp_find_places(LzpModel *model, LzpPlaces *places);

/* Behind a token that no match foretold: looks where the last tokens stood before, and enters where they stand now. */
void lzp_find_match(LzpModel *model, const LzpPlaces *places);

/* Goes along the match as far as it foretells `tokens`; returns how far. `run` is how many it foretold before; `*marks`
 * grows by the marks passed. */
size_t lzp_go_along(LzpModel *model, const uint16_t *tokens, size_t count, uint64_t run, uint64_t *marks);

#endif
