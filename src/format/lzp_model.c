/* Matches of LZP are found by the last tokens. */
#include "lzp_model.h"

enum {
    AGE_BITS = 20 /* of a place's position: what the ring has lost is not taken for something else soon */
};

/* Mixes in the four tokens that end `groups` fours before `end`. */
RANGE_INLINE uint64_t mix_four(uint64_t hash, const uint16_t *end, uint32_t groups)
{
    return lzp_mix(hash + lz_four(end, groups));
}

RANGE_INLINE void find_place(LzpModel *model, LzpPlaces *places, int order, uint64_t hash)
{
    places->place[order] = &model->place[order][hash >> (64 - LZP_PLACE_BITS)];
    places->check[order] = (uint32_t)(hash >> 32) << AGE_BITS | 1u << AGE_BITS;
    __builtin_prefetch(places->place[order], 1);
}

void lzp_find_places(LzpModel *model, LzpPlaces *places)
{
    uint16_t copy[LZ_LONGEST_CONTEXT];
    const uint16_t *end = lz_last_tokens(&model->past, copy);
    uint64_t hash = mix_four(0, end, 0);
    find_place(model, places, 2, hash);
    hash = mix_four(mix_four(hash, end, 1), end, 2);
    find_place(model, places, 1, hash);
    hash = mix_four(mix_four(mix_four(hash, end, 3), end, 4), end, 5);
    hash = mix_four(mix_four(hash, end, 6), end, 7);
    find_place(model, places, 0, hash);
}

void lzp_find_match(LzpModel *model, const LzpPlaces *places)
{
    model->past.distance = 0;
    for (uint32_t order = 0; order < LZP_ORDERS; order++) {
        uint32_t *place = places->place[order], check = places->check[order];
        uint32_t now = (uint32_t)model->past.position % (1u << AGE_BITS), distance = 0;
        if (*place >> AGE_BITS == check >> AGE_BITS)
            distance = (now - *place) % (1u << AGE_BITS);
        *place = check | now;
        if (!model->past.distance && distance && distance < LZ_RING_TOKENS) {
            model->past.distance = distance;
            model->past.order = order;
        }
    }
}
