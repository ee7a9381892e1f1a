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

#include "lz_history.h"
#include "range_coder.h"

enum {
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
    uint32_t before; /* the token before it, hashed */
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
    LzHistory past;
} LzpModel;

/* The tokens from `back` ago on, without marks; the earliest is the lowest. */
RANGE_INLINE uint64_t lzp_four_ago(const LzpModel *model, uint32_t back)
{
    uint32_t at = (uint32_t)(model->past.position - back) % LZ_RING_TOKENS;
    uint64_t four = 0;
    if (at <= LZ_RING_TOKENS - 4)
        memcpy(&four, model->past.ring + at, sizeof(four));
    else
        for (uint32_t i = 0; i < 4; i++)
            four |= (uint64_t)model->past.ring[(at + i) % LZ_RING_TOKENS] << (16 * i);
    return four & ~LZ_FOUR((uint64_t)LZ_MARK);
}

RANGE_INLINE uint64_t lzp_mix(uint64_t hash)
{
    hash *= 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
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

#endif
