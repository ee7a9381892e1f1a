/*
 * How TZ codes the events that its model is not sure of, or was wrong about.
 * One source for both directions, see range_coder.h; the decoder passes any word
 * and gets the one that was coded.
 */
#ifndef DT_CODEC_TZ_EXPLICIT_H
#define DT_CODEC_TZ_EXPLICIT_H

#include "range_coder.h"
#include "tz_model.h"
#include "tz_tables.h"

enum {
    TZ_CANDIDATES = 2 * TZ_INPUTS,
    TZ_MATCH_FIRST = 8, /* explicit events foretold, from which the match is the first candidate */
    TZ_LEARNING_SHIFT = 13,
    TZ_ADAPTING_SHIFT = 6,
    TZ_LEAST_ERROR = 256, /* of 16384: from smaller ones nothing is learnt */
    TZ_BIAS_INPUT = 64,
    TZ_LEAST_FLAG = 4 /* probability, of 65536, of the flag that a prediction failed */
};

/* What the inputs say of the next word. */
typedef struct {
    TzSlot *slot[TZ_CONTEXTS];
    uint32_t check[TZ_CONTEXTS];
    int first[TZ_INPUTS], second[TZ_INPUTS]; /* words, or TZ_NOTHING */
    /* Places in TzTrained's `adaptive`: of this input's level, for case and rank 0; what its case adds if it names
       another word, and if that is its second word 2 TZ_LEVELS less. */
    uint32_t row[TZ_INPUTS], other[TZ_INPUTS];
    uint32_t valid;       /* bit per input */
    uint32_t match_state; /* 0: none; 1 to 3: how much it foretold */
} TzInputs;

/* The cases: the candidate is the input's first word; its second or another one, while the first is not refuted and
   after that; there is no input. */
enum { TZ_IS_FIRST = 0, TZ_IS_SECOND = 1, TZ_IS_OTHER = 3, TZ_NO_INPUT = 5 };

/* `refuted` is not TZ_NOTHING, which an input without a word has. */
TZ_INLINE uint32_t tz_case_of_others(bool valid, int first, int refuted)
{
    return (TZ_NO_INPUT - (TZ_NO_INPUT - TZ_IS_OTHER) * (uint32_t)valid + (first == refuted)) * TZ_LEVELS;
}

TZ_INLINE void tz_ask(TzModel *model, TzInputs *inputs, int refuted)
{
    if (refuted == TZ_NOTHING)
        refuted = TZ_NOTHING - 1;
    const TzFrame *frame = tz_top(model);
    uint32_t local = tz_hash_local(model, frame);
    const uint32_t hash[TZ_CONTEXTS] = {frame->history, tz_hash_children(frame), frame->since_surprise,
                                        model->outcomes5 + local, model->outcomes11 + local};
    inputs->valid = 0;
    for (int i = 0; i < TZ_CONTEXTS; i++) {
        const TzSlot *slot = inputs->slot[i] = tz_find_slot(model, i, hash[i], &inputs->check[i]);
        bool valid = tz_slot_holds(slot, inputs->check[i]);
        inputs->first[i] = valid ? slot->first : TZ_NOTHING;
        inputs->second[i] = valid && slot->second != TZ_NO_WORD ? slot->second : TZ_NOTHING;
        inputs->row[i] = (uint32_t)(i * TZ_CASES * TZ_LEVELS) + (valid ? dt_tz_level[slot->confidence >> 8] : 0u);
        inputs->valid |= (uint32_t)valid << i;
        inputs->other[i] = tz_case_of_others(valid, inputs->first[i], refuted);
    }
    tz_match_verify(model);
    uint32_t foretold = model->foretold;
    inputs->first[TZ_MATCH] = model->distance ? tz_word_ago(model, model->distance) : TZ_NOTHING;
    inputs->second[TZ_MATCH] = TZ_NOTHING;
    inputs->row[TZ_MATCH] = TZ_MATCH * TZ_CASES * TZ_LEVELS + (foretold > TZ_LEVELS - 1 ? TZ_LEVELS - 1u : foretold);
    inputs->other[TZ_MATCH] = tz_case_of_others(model->distance != 0, inputs->first[TZ_MATCH], refuted);
    inputs->valid |= (uint32_t)(model->distance != 0) << TZ_MATCH;
    inputs->match_state = !model->distance ? 0 : foretold < 4 ? 1 : foretold < 16 ? 2 : 3;
}

/* The words to try, best first; with repetitions and TZ_NOTHING. */
TZ_INLINE int tz_candidate(const TzModel *model, const TzInputs *inputs, int index)
{
    static const int8_t order[TZ_CANDIDATES] = {TZ_MATCH,     TZ_OUTCOMES11, TZ_HISTORY,   TZ_SURPRISE,
                                                TZ_OUTCOMES5, TZ_CHILDREN,   TZ_MATCH,     TZ_OUTCOMES11,
                                                TZ_HISTORY,   TZ_SURPRISE,   TZ_OUTCOMES5, TZ_CHILDREN};
    if (index == 0 && model->foretold < TZ_MATCH_FIRST)
        return TZ_NOTHING;
    return index <= 6 ? inputs->first[order[index]] : inputs->second[order[index]];
}

TZ_INLINE uint32_t tz_squash(int64_t logit)
{
    int64_t index = (logit * 170 >> 8) + 2048;
    return dt_tz_squash[index < 0 ? 0 : index > 4095 ? 4095 : index];
}

/* The decision whether the next word is `candidate`. */
TZ_INLINE int tz_code_rank(TzModel *model, RangeCoder *coder, const bool decoding, const TzInputs *inputs, int rank,
                           int candidate, int is_it)
{
    uint16_t *adaptive = model->trained.adaptive[rank][0][0];
    uint32_t place[TZ_INPUTS];
    int input[TZ_INPUTS];
    uint32_t agree = 0;
    for (int i = 0; i < TZ_INPUTS; i++) {
        uint32_t is_first = inputs->first[i] == candidate;
        uint32_t is_second = inputs->second[i] == candidate;
        uint32_t which = inputs->other[i] - is_second * ((TZ_IS_OTHER - TZ_IS_SECOND) * TZ_LEVELS);
        agree |= is_first << i;
        place[i] = inputs->row[i] + (is_first ? TZ_IS_FIRST : which);
        input[i] = dt_tz_stretch[(uint32_t)adaptive[place[i]] >> 4];
    }
    const uint32_t all = (1u << TZ_CONTEXTS) - 1, main_two = 1u << TZ_HISTORY | 1u << TZ_OUTCOMES11;
    uint32_t agreement = (agree & all) == (inputs->valid & all) ? 3
                         : (agree & main_two) == main_two       ? 2
                         : agree & main_two                     ? 1
                                                                : 0;
    int32_t *weight = model->trained.weight[rank][inputs->match_state][agreement];
    int64_t sum = (int64_t)weight[TZ_INPUTS] * TZ_BIAS_INPUT;
    for (int i = 0; i < TZ_INPUTS; i++)
        sum += (int64_t)weight[i] * input[i];
    uint32_t probability = tz_squash(sum >> 16);
    int bit = range_code(coder, decoding, probability, is_it);
    int target = bit ? 65535 : 0;
    int error = (target - (int)probability) >> 2;
    if (error < TZ_LEAST_ERROR && error > -TZ_LEAST_ERROR)
        return bit;
    for (int i = 0; i < TZ_INPUTS; i++) {
        weight[i] += (input[i] * error + (1 << (TZ_LEARNING_SHIFT - 1))) >> TZ_LEARNING_SHIFT;
        uint16_t *learnt = &adaptive[place[i]];
        *learnt = (uint16_t)(*learnt + ((target - *learnt) >> TZ_ADAPTING_SHIFT));
    }
    weight[TZ_INPUTS] += TZ_BIAS_INPUT * error >> (TZ_LEARNING_SHIFT + 1);
    return bit;
}

/* A word that no input named. */
static __attribute__((noinline)) uint32_t tz_code_literal(TzModel *model, RangeCoder *coder, const bool decoding,
                                                          uint32_t word)
{
    uint32_t next_new = (model->largest_id + 1) & 0xffff, bits = 0, value = 1;
    if (range_code_bit(coder, decoding, &model->trained.is_new[0], word == next_new)) {
        word = next_new;
    } else {
        uint32_t length = word ? 32 - (uint32_t)__builtin_clz(word) : 0;
        for (int i = 4; i >= 0; i--) {
            bits = length >> i & 1;
            value = value << 1 |
                    (uint32_t)range_code_bit(coder, decoding, &model->trained.literal_length[value], (int)bits);
        }
        length = value & 31;
        value = length ? 1 : 0;
        for (int i = (int)length - 2; i >= 0; i--) {
            uint32_t node = value < 2048 ? value : (value * TZ_MIX >> 21) | 2048;
            value = value << 1 | range_code_tree_bit(coder, decoding, &model->literal[node], word >> i & 1);
        }
        word = value & 0xffff;
    }
    if (word > model->largest_id && word != DT_WORD_ESCAPE && model->escape_left == 0)
        model->largest_id = word;
    return word;
}

/* One of the words that the function had lately where no input named them, or any other. Return stands in each list
   from the start. */
static __attribute__((noinline)) uint32_t tz_code_unforeseen(TzModel *model, RangeCoder *coder, const bool decoding,
                                                             uint32_t word, int refuted, const int *tried, int ranks)
{
    uint16_t *recent = model->recent[tz_top(model)->function * TZ_MIX >> 16 & ((1 << TZ_RECENT_BITS) - 1)];
    uint16_t *probability = model->trained.recent[ranks];
    int place = 0;
    bool found = false;
    for (; place < TZ_RECENT; place++) {
        int candidate = recent[place];
        bool is_new = candidate != refuted;
        for (int i = 0; i < ranks; i++)
            is_new &= tried[i] != candidate;
        for (int i = 0; i < place; i++)
            is_new &= recent[i] != candidate;
        if (!is_new)
            continue;
        found = range_code_bit(coder, decoding, probability++, (int)word == candidate);
        if (found) {
            word = (uint32_t)candidate;
            break;
        }
    }
    if (!found) {
        word = tz_code_literal(model, coder, decoding, word);
        place = TZ_RECENT - 1;
    }
    for (; place > 0; place--)
        recent[place] = recent[place - 1];
    recent[0] = (uint16_t)word;
    return word;
}

TZ_INLINE void tz_learn(TzModel *model, const TzInputs *inputs, uint32_t word)
{
    for (int i = 0; i < TZ_CONTEXTS; i++)
        if (inputs->first[i] == (int)word)
            tz_slot_confirm(inputs->slot[i]);
        else
            tz_slot_correct(inputs->slot[i], inputs->check[i], word);
    tz_add_outcome(model, word);
    tz_match_update(model, word, inputs->first[TZ_MATCH]);
}

/* Codes a word of which the model is not sure; `refuted` is a sure prediction that it is not, or TZ_NOTHING. */
TZ_INLINE uint32_t tz_code_explicit(TzModel *model, RangeCoder *coder, const bool decoding, uint32_t word, int refuted)
{
    TzInputs inputs;
    int tried[TZ_RANKS], ranks = 0;
    bool found = false, surprise = refuted != TZ_NOTHING;
    tz_ask(model, &inputs, refuted);
    /* Lest the compiler copy each of its members to other places on the stack. */
    __asm__("" : : "r"(&inputs) : "memory");
    for (int index = 0; index < TZ_CANDIDATES && ranks < TZ_RANKS && !found; index++) {
        int candidate = tz_candidate(model, &inputs, index);
        bool is_new = candidate != TZ_NOTHING && candidate != refuted;
        for (int i = 0; i < ranks; i++)
            is_new &= tried[i] != candidate;
        if (!is_new)
            continue;
        int rank = ranks == 0 && refuted != TZ_NOTHING ? TZ_RANKS - 1 : ranks;
        found = tz_code_rank(model, coder, decoding, &inputs, rank, candidate, (int)word == candidate);
        tried[ranks++] = candidate;
        if (found) {
            word = (uint32_t)candidate;
            break;
        }
        surprise = true;
        for (int i = 0; i < TZ_INPUTS; i++)
            inputs.other[i] += (uint32_t)(inputs.first[i] == candidate) * TZ_LEVELS;
    }
    if (!found)
        word = tz_code_unforeseen(model, coder, decoding, word, refuted, tried, ranks);
    surprise |= ranks == 0;
    tz_learn(model, &inputs, word);
    if (decoding)
        tz_put(model, word);
    tz_step(model, word, surprise);
    tz_match_find(model);
    model->explained = model->position;
    return word;
}

/* Whether the sure predictions that begin here end with one that fails; the flag's own probability adapts. */
TZ_INLINE int tz_code_miss_flag(TzModel *model, RangeCoder *coder, const bool decoding, int missed)
{
    uint16_t *probability = &model->trained.miss_flag[model->flag_history % TZ_FLAG_HISTORIES];
    uint32_t p = *probability;
    missed = range_code(coder, decoding, range_clamp(p, TZ_LEAST_FLAG), missed);
    if (missed)
        *probability = (uint16_t)(p + ((65535 - p) >> 5));
    else
        *probability = (uint16_t)(p - (p >> 5) - (p < 32 && p > 4));
    model->flag_history = model->flag_history << 1 | (uint32_t)missed;
    return missed;
}

/* Sure hits before the miss: their number plus 1 by its length, then its bits below the top one. */
static __attribute__((noinline)) uint64_t tz_code_streak(TzModel *model, RangeCoder *coder, const bool decoding,
                                                         uint64_t streak)
{
    uint64_t value = streak + 1, decoded = 1;
    int length = 63 - __builtin_clzll(value), coded = 0;
    while (coded < 63) {
        uint16_t *probability =
            &model->trained.streak_length[coded < TZ_STREAK_LENGTHS ? coded : TZ_STREAK_LENGTHS - 1];
        if (!range_code_bit(coder, decoding, probability, coded < length))
            break;
        coded++;
    }
    for (int i = coded - 1; i >= 0; i--) {
        int bit = (int)(value >> i & 1);
        if (i == coded - 1)
            bit = range_code_bit(coder, decoding, &model->trained.streak_top[coded % TZ_STREAK_LENGTHS], bit);
        else
            bit = range_code(coder, decoding, 32768, bit);
        decoded = decoded << 1 | (uint64_t)bit;
    }
    return decoded - 1;
}

#endif
