/*
 * What encoder and decoder of LZR know alike: the last tokens, and where what followed some of them came.
 * docs/codec-lzr.md describes it; every constant here is part of the format.
 *
 * All zeros at first, and small by design: tracing has one of it per thread.
 */
#ifndef DT_CODEC_LZR_MODEL_H
#define DT_CODEC_LZR_MODEL_H

#include "lzr_coder.h"

enum {
    LZR_ORDERS = 3, /* contexts: the last 32, 12, 3 tokens */
    LZR_SLOT_BITS = 11,
    LZR_AGE_BITS = 20, /* of a position: what the ring has lost is not taken for something else soon */
    LZR_BEFORE_BITS = 4,
    LZR_BEFORE = 1 << LZR_BEFORE_BITS,
    LZR_RECENT_BITS = 9,
    LZR_RECENT = 16,
    LZR_ID_BITS = 14
};

/* Two tokens that came behind a context: the last one, the last other one. */
typedef struct {
    uint32_t last_at, other_at; /* positions; last_at's upper bits: the context's check, 0 if the slot is empty */
    uint16_t last, other;       /* `other` may be LZ_NOTHING */
    uint32_t unused;            /* a slot is in one line of a cache */
} LzrSlot;

typedef struct {
    uint32_t before;     /* the token before the match, hashed */
    uint32_t largest_id; /* that was a literal */
    /* Means of numbers. Marks of runs that end as they are expected to, and of others. */
    uint16_t expected[LZR_ORDERS][LZR_BEFORE], marks[LZR_ORDERS][LZR_BEFORE];
    uint16_t gap, place[2];
    uint16_t recent[1 << LZR_RECENT_BITS][LZR_RECENT];
    LzrSlot slot[LZR_ORDERS][1 << LZR_SLOT_BITS];
    LzHistory past;
} LzrModel;

/* What the contexts foretell in place of a refuted token. */
typedef struct {
    LzrSlot *slot[LZR_ORDERS];
    LzrSlot was[LZR_ORDERS];
    uint32_t check[LZR_ORDERS]; /* where a position's check is */
    bool holds[LZR_ORDERS];
    uint32_t token[LZR_ORDERS];    /* or LZ_NOTHING */
    uint32_t distance[LZR_ORDERS]; /* of the match there */
    uint32_t first;                /* the first order that foretells a token; if there is none, the last */
    uint32_t refuted;
    uint32_t before_two; /* the two tokens before */
} LzrForetold;

LZ_INLINE uint64_t lzr_mix(uint64_t sum)
{
    return (sum ^ sum >> 32) * 0x9E3779B97F4A7C15u;
}

/* The slot of a context, and what it foretells. */
LZ_INLINE void lzr_ask(LzrModel *model, int order, uint64_t hash, LzrForetold *foretold)
{
    const uint32_t now = (uint32_t)model->past.position;
    LzrSlot *slot = &model->slot[order][hash >> (64 - LZR_SLOT_BITS)], was = *slot;
    uint32_t check = (uint32_t)(hash >> 32) << LZR_AGE_BITS | 1u << LZR_AGE_BITS;
    bool holds = (was.last_at ^ check) >> LZR_AGE_BITS == 0, is_other = was.last == foretold->refuted;
    uint32_t distance = (now - (is_other ? was.other_at : was.last_at)) % (1u << LZR_AGE_BITS);
    foretold->slot[order] = slot;
    foretold->was[order] = was;
    foretold->check[order] = check;
    foretold->holds[order] = holds;
    foretold->distance[order] = distance;
    /* The match may go on there: other data has come between since. */
    __builtin_prefetch(lz_at(&model->past, now + 1 - distance));
    uint32_t token = is_other ? was.other : was.last;
    bool says = holds & (distance - 1 < LZ_RING_TOKENS - 1);
    foretold->token[order] = says ? token : LZ_NOTHING;
}

/* `end`: behind the last tokens. */
LZ_INLINE void lzr_foretell(LzrModel *model, const uint16_t *end, uint32_t refuted, LzrForetold *foretold)
{
    uint64_t four = lz_four(end, 0);
    uint64_t three = (four >> 16) * 0x9E3779B97F4A7C15u;
    uint64_t twelve =
        four * 0x9E3779B97F4A7C15u + lz_four(end, 1) * 0xC2B2AE3D27D4EB4Fu + lz_four(end, 2) * 0x165667B19E3779F9u;
    uint64_t all = (twelve + lz_four(end, 3) * 0xD6E8FEB86659FD93u) +
                   ((lz_four(end, 4) * 0xA0761D6478BD642Fu + lz_four(end, 5) * 0xE7037ED1A0B428DBu) +
                    (lz_four(end, 6) * 0x8EBC6AF09C88C6E3u + lz_four(end, 7) * 0x589965CC75374CC3u));
    foretold->refuted = refuted;
    foretold->before_two = (uint32_t)(four >> 32);
    lzr_ask(model, 0, lzr_mix(all), foretold);
    lzr_ask(model, 1, lzr_mix(twelve), foretold);
    lzr_ask(model, 2, lzr_mix(three), foretold);
    uint32_t first = foretold->token[1] != LZ_NOTHING ? 1 : 2;
    foretold->first = foretold->token[0] != LZ_NOTHING ? 0 : first;
}

/* Of the token that comes now. */
LZ_INLINE void lzr_learn(LzrModel *model, const LzrForetold *foretold, uint32_t token)
{
    uint32_t now = (uint32_t)model->past.position % (1u << LZR_AGE_BITS);
    for (int order = 0; order < LZR_ORDERS; order++) {
        const LzrSlot *was = &foretold->was[order];
        bool again = was->last == token;
        uint16_t other = again ? was->other : was->last;
        *foretold->slot[order] = (LzrSlot){.last_at = foretold->check[order] | now,
                                           .other_at = again ? was->other_at : was->last_at,
                                           .last = (uint16_t)token,
                                           .other = foretold->holds[order] ? other : LZ_NOTHING};
    }
}

/* Behind a token: the match by the first of the contexts before it that has seen it follow, if that is what `is_first`
 * says, else by the longest that the ring still knows. */
LZ_INLINE void lzr_find_match(LzrModel *model, const LzrForetold *foretold, uint32_t token, bool is_first)
{
    LzHistory *past = &model->past;
    uint32_t now = (uint32_t)past->position;
    past->order = foretold->first;
    past->distance = is_first ? foretold->distance[foretold->first] : 0;
    for (uint32_t order = 0; order < LZR_ORDERS && !past->distance; order++) {
        const LzrSlot *was = &foretold->was[order];
        uint32_t distance = (now - (was->last == token ? was->last_at : was->other_at)) % (1u << LZR_AGE_BITS);
        if (foretold->holds[order] && (was->last == token || was->other == token) &&
            distance - 1 < LZ_RING_TOKENS - 1) {
            past->distance = distance;
            past->order = order;
        }
    }
}

#endif
