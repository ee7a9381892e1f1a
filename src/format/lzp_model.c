/* Matches of LZP: found by the last tokens, and gone along many tokens at a time. */
#include "lzp_model.h"

enum { AGE_BITS = 20 /* of a place's position: what the ring has lost is not taken for something else soon */ };

/* ---- finding ------------------------------------------------------------------------- */

void lzp_find_places(LzpModel *model, LzpPlaces *places)
{
    static const uint8_t steps[LZP_ORDERS] = {8, 3, 1}; /* of four tokens */
    uint64_t last = 0;
    uint32_t done = 0;
    for (int order = LZP_ORDERS - 1; order >= 0; order--) {
        for (; done < steps[order]; done++)
            last = lzp_mix(last + lzp_four_ago(model, 4 * (done + 1)));
        places->place[order] = &model->place[order][last >> (64 - LZP_PLACE_BITS)];
        places->check[order] = (uint32_t)(last >> 32) << AGE_BITS | 1u << AGE_BITS;
        __builtin_prefetch(places->place[order], 1);
    }
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

/* Four tokens at a time, while neither place comes to the ring's end; `*lanes` counts marks by their place. */
RANGE_INLINE size_t go_straight(uint16_t *to, const uint16_t *from, const uint16_t *tokens, size_t count,
                                uint64_t *lanes)
{
    size_t done = 0;
    for (; done + 4 <= count; done += 4) {
        uint64_t copied, wanted;
        memcpy(&copied, from + done, sizeof(copied));
        memcpy(&wanted, tokens + done, sizeof(wanted));
        if ((copied ^ wanted) & ~LZP_FOUR((uint64_t)LZP_MARK))
            break;
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
    while (done < count) {
        uint32_t to = (uint32_t)(model->position % LZP_RING_TOKENS), far = far_distance(model->distance, run + done);
        uint32_t from = (to - far) % LZP_RING_TOKENS, straight = LZP_RING_TOKENS - (to > from ? to : from);
        size_t part = count - done < straight ? count - done : straight;
        part = far ? go_straight(model->ring + to, model->ring + from, tokens + done, part, &lanes) : 0;
        model->position += part;
        done += part;
        if (done == count)
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
