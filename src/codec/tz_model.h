/*
 * What encoder and decoder of TZ know alike: the call stack, the tables of
 * contexts, the match, and the prediction that they give. docs/codec-tz.md
 * describes it; every constant here is part of the format.
 *
 * All zeros but for what tz_model_init() sets, and small by design: tracing has
 * one of it per thread.
 */
#ifndef DT_CODEC_TZ_MODEL_H
#define DT_CODEC_TZ_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/trace_file.h"
#include "ring.h"

#define TZ_INLINE static inline __attribute__((always_inline))

enum {
    TZ_RING_WORDS = DT_RING_WORDS,
    /* The encoder puts so many words into the ring before it looks at them. */
    TZ_AHEAD_WORDS = 1024,
    TZ_FARTHEST = TZ_RING_WORDS - TZ_AHEAD_WORDS - 64,
    TZ_FRAMES = 1024,
    TZ_SLOT_BITS = 11,
    TZ_MATCH_BITS = 11,
    TZ_SURE = 64000,          /* confidence, of 65536, from which a slot alone is believed */
    TZ_SURER = 64300,         /* the same where another slot is there that is not sure */
    TZ_SURE_OUTCOMES = 64700, /* the same of the slot asked last */
    TZ_TRUST_LEAST = 12,      /* explicit events that a match foretold, before it is trusted */
    TZ_TRUST_MOST = 192,
    TZ_TRUST_LONG = 512, /* words; a trusted match that breaks earlier was trusted too early */
    TZ_NOTHING = -1,     /* no prediction, no candidate */
    TZ_NO_WORD = 0xffff, /* in a slot: no second word */
    TZ_RANKS = 4,
    TZ_CASES = 6,
    TZ_LEVELS = 32,
    TZ_MATCH_STATES = 4,
    TZ_AGREEMENTS = 4,
    TZ_RECENT_BITS = 9,
    TZ_RECENT = 16, /* words kept of each of so many functions */
    TZ_LITERAL_NODES = 4096,
    TZ_LITERAL_LENGTHS = 32,
    TZ_STREAK_LENGTHS = 32, /* of positions in a streak; longer ones share the last */
    TZ_FLAG_HISTORIES = 8
};

#define TZ_MIX 0x9E3779B1u

/* The contexts that have a table; the match is one input more. */
enum {
    TZ_HISTORY,   /* all children of the frame, function, caller */
    TZ_CHILDREN,  /* function and its last two children */
    TZ_SURPRISE,  /* as history, but from the frame's last surprise on */
    TZ_OUTCOMES5, /* function, last child, last word, the last 5 explicit outcomes */
    TZ_OUTCOMES11,
    TZ_CONTEXTS,
    TZ_MATCH = TZ_CONTEXTS,
    TZ_INPUTS
};

typedef struct {
    uint16_t check; /* 12 bits of the context's hash, 4 bits count of updates */
    uint16_t first, second;
    uint16_t confidence; /* probability of `first`; 0: the slot is empty */
} TzSlot;

typedef struct {
    uint32_t history, since_surprise;
    uint32_t children; /* the last two */
    uint32_t function;
} TzFrame;

/* What the mixer and the adaptive probabilities (of 65536) have learnt; it does not start from zero. */
typedef struct {
    uint16_t miss_flag[TZ_FLAG_HISTORIES];
    uint16_t streak_length[TZ_STREAK_LENGTHS], streak_top[TZ_STREAK_LENGTHS];
    uint16_t recent[TZ_RANKS + 1][TZ_RECENT];
    uint16_t is_new[2]; /* the second is not used */
    uint16_t literal_length[TZ_LITERAL_LENGTHS];
    uint16_t adaptive[TZ_RANKS][TZ_INPUTS][TZ_CASES][TZ_LEVELS];
    int32_t weight[TZ_RANKS][TZ_MATCH_STATES][TZ_AGREEMENTS][TZ_INPUTS + 1]; /* 65536 is 1; the last is the bias */
} TzTrained;

/* What a model has learnt before its first word. */
extern const TzTrained dt_tz_initial;

typedef struct {
    uint64_t position;  /* words so far */
    uint64_t explained; /* of them those that the code says; the rest are sure hits */
    uint32_t depth;
    uint32_t trusted; /* distance of the match if it is trusted, else 0 */
    uint32_t distance;
    uint32_t foretold; /* explicit events that the match predicted */
    uint32_t trust;    /* how many of these it takes */
    uint32_t is_long;
    uint64_t trusted_since;
    uint32_t outcomes5, outcomes11, outcomes32;
    uint32_t largest_id;
    uint32_t flag_history;
    uint32_t escape_left; /* words of an escape still to come */
    uint32_t escape_low;
    TzTrained trained;
    uint16_t literal[TZ_LITERAL_NODES]; /* probability ^ 32768: zeros are halves */
    uint16_t recent[1 << TZ_RECENT_BITS][TZ_RECENT];
    uint16_t by_outcomes[1 << TZ_MATCH_BITS], by_words[1 << TZ_MATCH_BITS]; /* positions */
    TzFrame frame[TZ_FRAMES];
    TzSlot slot[(TZ_CONTEXTS + 1) << TZ_SLOT_BITS]; /* TZ_HISTORY has twice as many as the others */
    uint16_t ring[TZ_RING_WORDS];
} TzModel;

void tz_model_init(TzModel *model);

TZ_INLINE TzFrame *tz_top(TzModel *model)
{
    return &model->frame[model->depth % TZ_FRAMES];
}

/* The word `back` words ago; 1 is the last one. */
TZ_INLINE uint16_t tz_word_ago(const TzModel *model, uint32_t back)
{
    return model->ring[(uint32_t)(model->position - back) % TZ_RING_WORDS];
}

TZ_INLINE uint64_t tz_four_words(const uint16_t *words)
{
    uint64_t four;
    __builtin_memcpy(&four, words, sizeof(four));
    return four;
}

TZ_INLINE TzSlot *tz_find_slot(TzModel *model, int context, uint32_t hash, uint32_t *check)
{
    hash ^= hash >> 15;
    hash *= 0x2C1B3C6Du;
    *check = hash >> 3 & 0xfff0;
    if (context == TZ_HISTORY)
        return &model->slot[hash >> (32 - TZ_SLOT_BITS - 1)];
    return &model->slot[((uint32_t)(context + 1) << TZ_SLOT_BITS) + (hash >> (32 - TZ_SLOT_BITS))];
}

TZ_INLINE bool tz_slot_holds(const TzSlot *slot, uint32_t check)
{
    return (slot->check & 0xfff0) == check && slot->confidence != 0;
}

TZ_INLINE uint32_t tz_hash_children(const TzFrame *frame)
{
    return frame->children * TZ_MIX + frame->function * 0x27D4EB2Fu;
}

/* The word that comes next in this frame, if a slot is sure, or TZ_NOTHING. */
TZ_INLINE int tz_predict_by_slots(TzModel *model, const TzFrame *frame)
{
    uint32_t check;
    const TzSlot *slot = tz_find_slot(model, TZ_HISTORY, frame->history, &check);
    if (tz_slot_holds(slot, check))
        return slot->confidence > TZ_SURE ? slot->first : TZ_NOTHING;
    const TzSlot *since = tz_find_slot(model, TZ_SURPRISE, frame->since_surprise, &check);
    bool known = tz_slot_holds(since, check);
    if (known && since->confidence > TZ_SURE)
        return since->first;
    slot = tz_find_slot(model, TZ_CHILDREN, tz_hash_children(frame), &check);
    if (tz_slot_holds(slot, check) && slot->confidence > (known ? TZ_SURER : TZ_SURE) &&
        (!known || since->first == slot->first))
        return slot->first;
    return TZ_NOTHING;
}

/* The word that comes next, if the model is sure, or TZ_NOTHING. */
TZ_INLINE int tz_predict(TzModel *model)
{
    return model->trusted ? tz_word_ago(model, model->trusted) : tz_predict_by_slots(model, tz_top(model));
}

TZ_INLINE uint32_t tz_hash_local(const TzModel *model, const TzFrame *frame)
{
    return frame->function * 0x27D4EB2Fu + (frame->children & 0xffff) * 0x165667B1u +
           tz_word_ago(model, 1) * 0x85EBCA77u;
}

/* The same where tz_predict() gives nothing: what followed the last explicit outcomes. */
TZ_INLINE int tz_predict_outcome(TzModel *model)
{
    uint32_t check;
    const TzSlot *slot =
        tz_find_slot(model, TZ_OUTCOMES11, model->outcomes11 + tz_hash_local(model, tz_top(model)), &check);
    return tz_slot_holds(slot, check) && slot->confidence > TZ_SURE_OUTCOMES ? slot->first : TZ_NOTHING;
}

TZ_INLINE void tz_add_outcome(TzModel *model, uint32_t word)
{
    /* The shifts make old outcomes fall out at the top. */
    model->outcomes5 = (model->outcomes5 + word + 1) * (0x2F0B4C47u << 6);
    model->outcomes11 = (model->outcomes11 + word + 1) * (0x2F0B4C47u << 3);
    model->outcomes32 = (model->outcomes32 + word + 1) * (0x2F0B4C47u << 1);
}

TZ_INLINE void tz_add_child(TzFrame *frame, uint32_t word, bool surprise)
{
    frame->history = (frame->history + word) * TZ_MIX;
    frame->since_surprise =
        surprise ? word * 0x7FEB352Du + frame->function * TZ_MIX : (frame->since_surprise + word) * TZ_MIX;
    frame->children = frame->children << 16 | word;
}

/* The frame of `function`, called by `caller`. */
TZ_INLINE TzFrame tz_new_frame(uint32_t caller, uint32_t function)
{
    return (TzFrame){.history = function * 0x85EBCA77u + caller * 0xC2B2AE3Du,
                     .since_surprise = function * 0x3C6EF372u,
                     .children = 0,
                     .function = function};
}

TZ_INLINE void tz_enter(TzModel *model, uint32_t caller, uint32_t function)
{
    model->frame[++model->depth % TZ_FRAMES] = tz_new_frame(caller, function);
}

/* The three words of an escape are children of the frame; the last one enters the function of the id that they make. */
void tz_step_escape(TzModel *model, uint32_t word, bool surprise);

/* Tells the model a word that is in the ring already. */
TZ_INLINE void tz_step(TzModel *model, uint32_t word, bool surprise)
{
    model->position++;
    if (__builtin_expect(word == DT_WORD_ESCAPE || model->escape_left != 0, 0)) {
        tz_step_escape(model, word, surprise);
    } else if (word != DT_WORD_RETURN) {
        TzFrame *frame = tz_top(model);
        tz_add_child(frame, word, surprise);
        tz_enter(model, frame->function, word);
    } else {
        model->depth--;
        if (surprise) {
            TzFrame *frame = tz_top(model);
            frame->since_surprise = frame->since_surprise * 0x2545F491u + frame->function;
        }
    }
}

TZ_INLINE void tz_put(TzModel *model, uint32_t word)
{
    model->ring[model->position % TZ_RING_WORDS] = (uint16_t)word;
}

/* How much of the way to certainty a slot goes, by its count. */
extern const uint16_t dt_tz_rate[16];

/* Learns that the slot's first word came. */
TZ_INLINE void tz_slot_confirm(TzSlot *slot)
{
    uint32_t count = slot->check & 15u;
    slot->confidence = (uint16_t)(slot->confidence + ((65535u - slot->confidence) * dt_tz_rate[count] >> 16));
    slot->check = (uint16_t)(slot->check + (count < 15));
}

/* Learns that `word` came, which is not the first word of what the slot holds for this context, if anything. */
void tz_slot_correct(TzSlot *slot, uint32_t check, uint32_t word);

/* The sure prediction failed: the match, if it made it, ends. */
void tz_match_broken(TzModel *model);

/* Drops a match that does not fit the last words any more. */
void tz_match_verify(TzModel *model);

/* The match had foretold `match`, and `word` came. */
void tz_match_update(TzModel *model, uint32_t word, int match);

/* After an explicit event, the word told to the model: looks for a match, and whether to trust it. */
void tz_match_find(TzModel *model);

#endif
