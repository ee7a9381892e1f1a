/* The parts of TZ's model that run at explicit events only: learning of slots, finding and dropping of matches. */
#include "tz_model.h"

#include <string.h>

enum {
    VERIFIED_WORDS = 4,
    LONG_MATCH = 24, /* words that a match found by outcomes has to share */
    SHORT_MATCH = 8,
    LONG_MATCH_START = 4, /* explicit events that it gets for free */
    NEW_CONFIDENCE = 36000,
    TAKEN_OVER = 30000,
    WEAK = 20000,
    COUNT_AFTER_ERROR = 7
};

const uint16_t dt_tz_rate[16] = {32768, 21845, 16384, 13107, 10922, 9362, 8192, 7281,
                                 6553,  5957,  5461,  4681,  4096,  3640, 3276, 2730};

void tz_model_init(TzModel *model)
{
    model->trust = TZ_TRUST_LEAST;
    memcpy(&model->trained, &dt_tz_initial, sizeof(model->trained));
}

void tz_step_escape(TzModel *model, uint32_t word, bool surprise)
{
    TzFrame *frame = tz_top(model);
    if (model->escape_left == 0) {
        model->escape_left = 2;
        tz_add_child(frame, DT_WORD_ESCAPE, surprise);
        return;
    }
    tz_add_child(frame, word | 0x8000, surprise);
    if (--model->escape_left > 0)
        model->escape_low = word;
    else
        tz_enter(model, frame->function, model->escape_low | word << 15);
}

void tz_slot_correct(TzSlot *slot, uint32_t check, uint32_t word)
{
    uint32_t count = slot->check & 15u, p = slot->confidence;
    if (!tz_slot_holds(slot, check)) {
        if (count > 3 && p > TZ_SURE)
            slot->check = (uint16_t)(slot->check - 2); /* it stays a while */
        else
            *slot = (TzSlot){(uint16_t)check, (uint16_t)word, TZ_NO_WORD, NEW_CONFIDENCE};
        return;
    }
    p -= p * dt_tz_rate[count] >> 16;
    if (word != slot->second && p >= WEAK) {
        slot->second = (uint16_t)word;
    } else if (word != slot->second || p < 32768) {
        p = word != slot->second ? TAKEN_OVER : 65535 - p;
        slot->second = slot->first;
        slot->first = (uint16_t)word;
    }
    slot->confidence = (uint16_t)p;
    count = count > COUNT_AFTER_ERROR ? COUNT_AFTER_ERROR : count;
    slot->check = (uint16_t)(check | (count + 1));
}

static void drop_match(TzModel *model)
{
    model->distance = model->foretold = model->is_long = 0;
}

void tz_match_broken(TzModel *model)
{
    if (!model->trusted)
        return;
    if (model->position - model->trusted_since >= TZ_TRUST_LONG)
        model->trust = model->trust / 2 > TZ_TRUST_LEAST ? model->trust / 2 : TZ_TRUST_LEAST;
    else
        model->trust = 2 * model->trust < TZ_TRUST_MOST ? 2 * model->trust : TZ_TRUST_MOST;
    drop_match(model);
    model->trusted = 0;
}

/* Whether the last `words` words, a multiple of four, are those of `distance` words ago. */
TZ_INLINE bool is_repetition(const TzModel *model, uint32_t distance, uint32_t words)
{
    uint32_t now = (uint32_t)model->position % TZ_RING_WORDS, then = (now - distance) % TZ_RING_WORDS;
    if (now < words || then < words) {
        for (uint32_t back = 1; back <= words; back++)
            if (tz_word_ago(model, back) != tz_word_ago(model, back + distance))
                return false;
        return true;
    }
    for (uint32_t back = 4; back <= words; back += 4)
        if (tz_four_words(model->ring + now - back) != tz_four_words(model->ring + then - back))
            return false;
    return true;
}

void tz_match_verify(TzModel *model)
{
    if (model->distance && !is_repetition(model, model->distance, VERIFIED_WORDS))
        drop_match(model);
}

void tz_match_update(TzModel *model, uint32_t word, int match)
{
    if (model->distance && match == (int)word)
        model->foretold++;
    else
        drop_match(model);
}

/* The distance to the place that a table names, or 0 if it is too far away; the place is replaced by this one. */
static uint32_t look_up(uint16_t *place, uint64_t position)
{
    uint32_t distance = (uint16_t)(position - *place);
    *place = (uint16_t)position;
    return distance <= TZ_FARTHEST ? distance : 0;
}

void tz_match_find(TzModel *model)
{
    uint32_t outcomes = model->outcomes32;
    outcomes = (outcomes ^ outcomes >> 15) * 0x85EBCA77u >> (32 - TZ_MATCH_BITS);
    uint32_t words = tz_word_ago(model, 1) * TZ_MIX + tz_word_ago(model, 2) * 0x85EBCA77u +
                     tz_word_ago(model, 3) * 0xC2B2AE3Du + tz_word_ago(model, 4) * 0x165667B1u +
                     model->outcomes5 * 0x27D4EB2Fu;
    words = (words ^ words >> 15) * TZ_MIX >> (32 - TZ_MATCH_BITS);
    uint32_t by_outcomes = look_up(&model->by_outcomes[outcomes], model->position);
    uint32_t by_words = look_up(&model->by_words[words], model->position);

    if (model->foretold < model->trust) {
        if (by_outcomes && !model->is_long && by_outcomes != model->distance &&
            is_repetition(model, by_outcomes, LONG_MATCH)) {
            model->distance = by_outcomes;
            model->foretold = LONG_MATCH_START;
            model->is_long = 1;
        }
        if (!model->distance && by_words && is_repetition(model, by_words, SHORT_MATCH)) {
            model->distance = by_words;
            model->foretold = 0;
            model->is_long = 0;
        }
    }
    model->trusted = 0;
    if (model->distance && model->foretold >= model->trust) {
        model->trusted = model->distance;
        model->trusted_since = model->position;
    }
}
