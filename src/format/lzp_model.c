/* Matches of LZP: found by the last tokens, and gone along many tokens at a time. */
#include "lzp_model.h"

enum {
    AGE_BITS = 20, /* of a place's position: what the ring has lost is not taken for something else soon */
    LZP_LONGEST_CONTEXT = 32
};

/* ---- finding ------------------------------------------------------------------------- */

/* Mixes in the four tokens that end `groups` fours before `end`. */
RANGE_INLINE uint64_t mix_four(uint64_t hash, const uint16_t *end, uint32_t groups)
{
    uint64_t four;
    memcpy(&four, end - 4 * (groups + 1), sizeof(four));
    return lzp_mix(hash + (four & ~LZP_FOUR((uint64_t)LZP_MARK)));
}

RANGE_INLINE void find_place(LzpModel *model, LzpPlaces *places, int order, uint64_t hash)
{
    places->place[order] = &model->place[order][hash >> (64 - LZP_PLACE_BITS)];
    places->check[order] = (uint32_t)(hash >> 32) << AGE_BITS | 1u << AGE_BITS;
    __builtin_prefetch(places->place[order], 1);
}

/* Behind the last tokens, which lie in front of it one after the other; `copy` has room for them. */
static const uint16_t *last_tokens(LzpModel *model, uint16_t copy[LZP_LONGEST_CONTEXT])
{
    uint32_t at = model->position % LZP_RING_TOKENS;
    if (at >= LZP_LONGEST_CONTEXT)
        return model->ring + at;
    for (uint32_t i = 0; i < LZP_LONGEST_CONTEXT; i++)
        copy[i] = *lzp_at(model, model->position - LZP_LONGEST_CONTEXT + i);
    return copy + LZP_LONGEST_CONTEXT;
}

void lzp_find_places(LzpModel *model, LzpPlaces *places)
{
    uint16_t copy[LZP_LONGEST_CONTEXT];
    const uint16_t *end = last_tokens(model, copy);
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
    model->distance = 0;
    for (uint32_t order = 0; order < LZP_ORDERS; order++) {
        uint32_t *place = places->place[order], check = places->check[order];
        uint32_t now = (uint32_t)model->position % (1u << AGE_BITS), distance = 0;
        if (*place >> AGE_BITS == check >> AGE_BITS)
            distance = (now - *place) % (1u << AGE_BITS);
        *place = check | now;
        if (!model->distance && distance && distance < LZP_RING_TOKENS) {
            model->distance = distance;
            model->order = order;
        }
    }
}

/* ---- going along --------------------------------------------------------------------- */

/* Of four tokens those before the first one that `differs` from what was foretold; returns how many. */
RANGE_INLINE size_t go_some(uint16_t *to, uint64_t copied, uint64_t differs, uint64_t *lanes)
{
    uint32_t right = (uint32_t)__builtin_ctzll(differs) / 16;
    uint64_t kept = (1ull << (16 * right)) - 1, behind;
    memcpy(&behind, to, sizeof(behind));
    behind = (behind & ~kept) | (copied & kept);
    memcpy(to, &behind, sizeof(behind));
    *lanes += (copied & kept) >> 14 & LZP_FOUR(1ull);
    return right;
}

/* Four tokens at a time, while neither place comes to the ring's end; `*lanes` counts marks by their place. `*ends`:
 * the next token is not the one foretold. */
RANGE_INLINE size_t go_straight(uint16_t *to, const uint16_t *from, const uint16_t *tokens, size_t count,
                                uint64_t *lanes, bool *ends)
{
    size_t done = 0;
    for (; done + 4 <= count; done += 4) {
        uint64_t copied, wanted;
        memcpy(&copied, from + done, sizeof(copied));
        memcpy(&wanted, tokens + done, sizeof(wanted));
        uint64_t differs = (copied ^ wanted) & ~LZP_FOUR((uint64_t)LZP_MARK);
        if (differs) {
            *ends = true;
            return done + go_some(to + done, copied, differs, lanes);
        }
        memcpy(to + done, &copied, sizeof(copied));
        *lanes += copied >> 14 & LZP_FOUR(1ull);
    }
    return done;
}

/* A distance at which the run repeats itself, too, and that is not within the four tokens handled at once; 0: the run
 * is not long enough yet. */
RANGE_INLINE uint32_t far_distance(uint32_t distance, uint64_t run)
{
    uint32_t far = distance >= 4 ? distance : distance == 3 ? 6 : 4;
    return run + distance >= far ? far : 0;
}

size_t lzp_go_along(LzpModel *model, const uint16_t *tokens, size_t count, uint64_t run, uint64_t *marks)
{
    size_t done = 0;
    uint64_t lanes = 0;
    bool ends = false;
    while (done < count) {
        uint32_t to = (uint32_t)(model->position % LZP_RING_TOKENS), far = far_distance(model->distance, run + done);
        uint32_t from = (to - far) % LZP_RING_TOKENS, straight = LZP_RING_TOKENS - (to > from ? to : from);
        size_t part = count - done < straight ? count - done : straight;
        part = far ? go_straight(model->ring + to, model->ring + from, tokens + done, part, &lanes, &ends) : 0;
        model->position += part;
        done += part;
        if (ends || done == count)
            break;
        uint16_t next = *lzp_at(model, model->position - model->distance);
        if ((next & ~LZP_MARK) != tokens[done])
            break;
        lzp_put(model, next);
        lanes += (uint64_t)(next >> 14 & 1);
        done++;
    }
    *marks += lanes * LZP_FOUR(1ull) >> 48;
    return done;
}
