/*
 * LZR's last tokens, and a match among them that foretells the next ones.
 */
#ifndef DT_CODEC_LZ_HISTORY_H
#define DT_CODEC_LZ_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ring.h"

#define LZ_INLINE static inline __attribute__((always_inline))

/* A token: the id of a function that is entered, 0 for a return, with LZ_CHILDLESS if the return follows at once. */
#define LZ_CHILDLESS 0x8000u
#define LZ_ID        0x3fffu
#define LZ_ESCAPE    LZ_CHILDLESS /* two tokens follow, the low 14 and the high 2 bits of a word */
/* In the ring: here a match broke, or where this was copied from. */
#define LZ_MARK    0x4000u
#define LZ_NOTHING LZ_MARK /* no token */

enum { LZ_RING_TOKENS = DT_RING_WORDS };

typedef struct {
    uint64_t position; /* tokens so far */
    uint32_t distance; /* of the match; 0: there is none */
    uint32_t order;    /* of the context that found it */
    uint16_t ring[LZ_RING_TOKENS];
} LzHistory;

/* Where the match's run breaks: at the first mark behind `marks` others, or `gap` tokens behind the last of these. */
typedef struct {
    uint64_t marks, gap;
    bool to_end; /* nowhere */
    bool at_mark;
} LzBreak;

LZ_INLINE uint16_t *lz_at(LzHistory *history, uint64_t position)
{
    return &history->ring[position % LZ_RING_TOKENS];
}

/* What the match foretells, with its mark. */
LZ_INLINE uint16_t lz_foretold(const LzHistory *history)
{
    return history->ring[(history->position - history->distance) % LZ_RING_TOKENS];
}

#define LZ_FOUR(token) ((token)*0x0001000100010001u)

/* The next token, with its mark. */
LZ_INLINE void lz_put(LzHistory *history, uint32_t token)
{
    *lz_at(history, history->position++) = (uint16_t)token;
}

enum { LZ_LONGEST_CONTEXT = 32 };

/* Behind the last tokens, LZ_LONGEST_CONTEXT of which lie in front of it one after the other; `copy` has room for
 * them. */
LZ_INLINE const uint16_t *lz_last_tokens(const LzHistory *history, uint16_t copy[LZ_LONGEST_CONTEXT])
{
    uint32_t at = history->position % LZ_RING_TOKENS;
    if (at >= LZ_LONGEST_CONTEXT)
        return history->ring + at;
    for (uint32_t i = 0; i < LZ_LONGEST_CONTEXT; i++)
        copy[i] = history->ring[(history->position - LZ_LONGEST_CONTEXT + i) % LZ_RING_TOKENS];
    return copy + LZ_LONGEST_CONTEXT;
}

/* The four tokens that end `groups` fours before `end`, without marks; the earliest is the lowest. */
LZ_INLINE uint64_t lz_four(const uint16_t *end, uint32_t groups)
{
    uint64_t four;
    memcpy(&four, end - 4 * (groups + 1), sizeof(four));
    return four & ~LZ_FOUR((uint64_t)LZ_MARK);
}

/* A run: how far the match has held. */
typedef struct {
    uint64_t tokens, marks; /* that it foretold, and marks among them */
} LzRun;

/* What goes along it many tokens at a time: lz_along.S, lz_along_wide.S. */
typedef size_t LzAlong(uint16_t *to, const uint16_t *from, const uint16_t *tokens, size_t count, uint64_t *marks);
LzAlong dt_lz_along, dt_lz_along_wide;

/* Goes along the match as far as it foretells `tokens`; returns how far. */
size_t lz_go_along(LzHistory *history, LzRun *run, const uint16_t *tokens, size_t count);

/* Tokens of the run behind its last mark. */
uint64_t lz_count_gap(LzHistory *history, const LzRun *run);

#endif
