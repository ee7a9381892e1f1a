/*
 * How LZP codes where a match breaks, and tokens that none foretells. One source for both directions, see
 * range_coder.h; the decoder passes any value and gets the one that was coded.
 */
#ifndef DT_FORMAT_LZP_EXPLICIT_H
#define DT_FORMAT_LZP_EXPLICIT_H

#include "lzp_model.h"

/* ---- numbers ------------------------------------------------------------------------- */

RANGE_INLINE int lzp_code_bit(LzpBit *bit, RangeCoder *coder, const bool decoding, int value)
{
    static const uint16_t rate[LZP_MOST_SEEN + 1] = {
        32768, 21845, 16384, 13107, 10922, 9362, 8192, 7281, 6553, 5957, 5461, 5041, 4681, 4369, 4096, 3855,
        3640,  3449,  3276,  3120,  2978,  2849, 2730, 2621, 2520, 2427, 2340, 2259, 2184, 2114, 2048};
    uint32_t p = *bit >> 16 ^ 32768, seen = *bit & 0xffff;
    value = range_code(coder, decoding, range_clamp(p, RANGE_LEAST_BIT), value);
    p = value ? p + ((65535 - p) * rate[seen] >> 16) : p - (p * rate[seen] >> 16);
    *bit = (p ^ 32768) << 16 | (seen + (seen < LZP_MOST_SEEN));
    return value;
}

RANGE_INLINE int lzp_length(int bits)
{
    return bits < LZP_LENGTHS ? bits : LZP_LENGTHS - 1;
}

/* A number, plus 1, by its length and then its bits below the top one. */
static __attribute__((noinline)) uint64_t lzp_code_number(LzpModel *model, RangeCoder *coder, const bool decoding,
                                                          LzpBit *length, uint64_t number)
{
    uint64_t value = number + 1, decoded = 1;
    int bits = 63 - __builtin_clzll(value), coded = 0;
    while (coded < 63 && lzp_code_bit(&length[lzp_length(coded)], coder, decoding, coded < bits))
        coded++;
    for (int i = coded - 1; i >= 0; i--) {
        int bit = (int)(value >> i & 1), upper = coded - 1 - i;
        if (upper < 2)
            bit = lzp_code_bit(&model->upper_bits[lzp_length(coded)][upper == 0 ? 1 : 2 + (decoded & 1)], coder,
                               decoding, bit);
        else
            bit = range_code(coder, decoding, 32768, bit);
        decoded = decoded << 1 | (uint64_t)bit;
    }
    return decoded - 1;
}

/* ---- breaks ---------------------------------------------------------------------------- */

RANGE_INLINE void lzp_code_break(LzpModel *model, RangeCoder *coder, const bool decoding, LzBreak *where)
{
    where->to_end = range_code(coder, decoding, LZP_LEAST_END, 0);
    if (where->to_end)
        return;
    where->at_mark = lzp_code_bit(&model->at_mark[model->history % 8], coder, decoding, where->at_mark);
    model->history = model->history << 1 | where->at_mark;
    where->marks = lzp_code_number(model, coder, decoding,
                                   model->marks[where->at_mark][model->past.order][model->before], where->marks);
    if (!where->at_mark)
        where->gap = lzp_code_number(model, coder, decoding, model->gap, where->gap);
}

/* ---- tokens ---------------------------------------------------------------------------- */

typedef struct {
    LzpSlot *slot[LZP_CONTEXTS];
    uint16_t check[LZP_CONTEXTS];
    uint32_t first[LZP_CONTEXTS], second[LZP_CONTEXTS]; /* tokens, or LZ_NOTHING */
} LzpInputs;

RANGE_INLINE uint16_t *lzp_recent(LzpModel *model)
{
    uint32_t before = (uint32_t)(lzp_four_ago(model, 4) >> 48);
    return model->recent[before * 0x9E3779B1u >> (32 - LZP_RECENT_BITS)];
}

/* Looks up the contexts of the next token; their slots are not looked at yet, but are on their way from memory. */
RANGE_INLINE void lzp_find_slots(LzpModel *model, LzpInputs *inputs, uint32_t refuted)
{
    uint64_t four = lzp_four_ago(model, 4), last_four = lzp_mix(four);
    uint64_t last_twelve = lzp_mix(lzp_mix(last_four + lzp_four_ago(model, 8)) + lzp_four_ago(model, 12));
    const uint64_t hash[LZP_CONTEXTS] = {last_twelve, last_four, lzp_mix((four >> 32) + ((uint64_t)refuted << 32) + 1),
                                         lzp_mix((four >> 48) + 1)};
    for (int i = 0; i < LZP_CONTEXTS; i++) {
        inputs->slot[i] = &model->slot[i][hash[i] >> (64 - LZP_SLOT_BITS)];
        inputs->check[i] = (uint16_t)(hash[i] >> 32);
        __builtin_prefetch(inputs->slot[i], 1);
    }
    __builtin_prefetch(lzp_recent(model), 1);
}

RANGE_INLINE void lzp_ask(LzpInputs *inputs)
{
    for (int i = 0; i < LZP_CONTEXTS; i++) {
        const LzpSlot *slot = inputs->slot[i];
        bool holds = slot->count > 0 && slot->check == inputs->check[i];
        inputs->first[i] = holds ? slot->first : LZ_NOTHING;
        inputs->second[i] = holds && slot->has_second ? slot->second : LZ_NOTHING;
    }
}

/* What a context says of a candidate: nothing at all, its first token often or seldom, its second, another. */
RANGE_INLINE uint32_t lzp_state(const LzpInputs *inputs, int i, uint32_t candidate)
{
    if (inputs->first[i] == LZ_NOTHING)
        return 0;
    if (inputs->first[i] == candidate)
        return inputs->slot[i]->count > LZP_SETTLED ? 1 : 2;
    return inputs->second[i] == candidate ? 3 : 4;
}

RANGE_INLINE void lzp_learn(LzpSlot *slot, uint16_t check, bool holds, uint16_t token)
{
    if (!holds) {
        *slot = (LzpSlot){.check = check, .first = token, .count = 1};
    } else if (slot->first == token) {
        slot->count = (uint8_t)(slot->count + (slot->count < LZP_MOST_COUNT));
    } else if ((slot->has_second && slot->second == token) || slot->count <= LZP_WEAK) {
        slot->second = slot->first;
        slot->has_second = 1;
        slot->first = token;
        slot->count = 1;
    } else {
        slot->second = token;
        slot->has_second = 1;
        slot->count /= 2;
    }
}

/* A token that nothing named. */
static __attribute__((noinline)) uint32_t lzp_code_literal(LzpModel *model, RangeCoder *coder, const bool decoding,
                                                           uint32_t token)
{
    uint32_t id = token & LZ_ID;
    if (lzp_code_bit(&model->is_new, coder, decoding, id == model->largest_id + 1)) {
        id = (model->largest_id + 1) & LZ_ID;
    } else {
        uint32_t value = 1;
        for (int i = 13; i >= 0; i--) {
            uint32_t node = value < LZP_ID_NODES / 2 ? value : (value * 0x9E3779B1u >> 21) | LZP_ID_NODES / 2;
            value = value << 1 | (uint32_t)lzp_code_bit(&model->id[node], coder, decoding, id >> i & 1);
        }
        id = value & LZ_ID;
    }
    int childless = lzp_code_bit(&model->is_childless[id == 0], coder, decoding, token >= LZ_CHILDLESS);
    if (id > model->largest_id)
        model->largest_id = id;
    return id | (childless ? LZ_CHILDLESS : 0);
}

/* One of the tokens that came lately where the same was before them and no context named them, or any other. */
static __attribute__((noinline)) uint32_t lzp_code_unforeseen(LzpModel *model, RangeCoder *coder, const bool decoding,
                                                              uint32_t token, uint32_t refuted, const uint32_t *tried,
                                                              int ranks)
{
    uint16_t *recent = lzp_recent(model);
    LzpBit *bit = model->recent_bit;
    int place = 0;
    bool found = false, had_zero = false; /* no other token is there twice */
    for (; place < LZP_RECENT; place++) {
        uint32_t candidate = recent[place];
        bool is_known = candidate == refuted || (candidate == 0 && had_zero);
        for (int i = 0; i < ranks; i++)
            is_known |= tried[i] == candidate;
        had_zero |= candidate == 0;
        if (is_known)
            continue;
        found = lzp_code_bit(bit++, coder, decoding, token == candidate);
        if (found) {
            token = candidate;
            break;
        }
    }
    if (!found) {
        token = lzp_code_literal(model, coder, decoding, token);
        place = LZP_RECENT - 1;
    }
    for (; place > 0; place--)
        recent[place] = recent[place - 1];
    recent[0] = (uint16_t)token;
    return token;
}

/* Codes a token that no match foretells; `refuted` is what one foretold in vain, or LZ_NOTHING. A match is to be
 * looked for then. */
RANGE_INLINE uint32_t lzp_code_token(LzpModel *model, RangeCoder *coder, const bool decoding, uint32_t token,
                                     uint32_t refuted, LzpInputs *inputs)
{
    uint32_t tried[LZP_RANKS];
    int ranks = 0;
    bool found = false;
    lzp_ask(inputs);
    for (int i = 0; i < 2 * LZP_CONTEXTS && ranks < LZP_RANKS && !found; i++) {
        uint32_t candidate = i < LZP_CONTEXTS ? inputs->first[i] : inputs->second[i - LZP_CONTEXTS], states = 0;
        bool is_known = candidate == LZ_NOTHING || candidate == refuted;
        for (int rank = 0; rank < ranks; rank++)
            is_known |= tried[rank] == candidate;
        if (is_known)
            continue;
        for (int context = 0; context < LZP_CONTEXTS; context++)
            states = states * LZP_STATES + lzp_state(inputs, context, candidate);
        found =
            lzp_code_bit(&model->candidate[ranks][refuted != LZ_NOTHING][states], coder, decoding, token == candidate);
        tried[ranks++] = candidate;
        if (found)
            token = candidate;
    }
    if (!found)
        token = lzp_code_unforeseen(model, coder, decoding, token, refuted, tried, ranks);
    for (int i = 0; i < LZP_CONTEXTS; i++)
        lzp_learn(inputs->slot[i], inputs->check[i], inputs->first[i] != LZ_NOTHING, (uint16_t)token);
    lz_put(&model->past, token | (refuted != LZ_NOTHING ? LZ_MARK : 0));
    model->before = token * 0x9E3779B1u >> (32 - LZP_BEFORE_BITS);
    return token;
}

#endif
