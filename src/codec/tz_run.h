/*
 * Runs of sure hits: what tz_predict() and tz_step() do word by word, with the top frame kept in registers. Nothing
 * here is part of the format.
 */
#ifndef DT_CODEC_TZ_RUN_H
#define DT_CODEC_TZ_RUN_H

#include <string.h>

#include "tz_model.h"

/* Tells the frames words that are no escapes. */
TZ_INLINE void tz_step_run(TzModel *model, const uint16_t *words, size_t count)
{
    TzFrame *frame = model->frame, top = *tz_top(model);
    uint32_t depth = model->depth;
    const uint16_t *end = words + count;
    while (words < end) {
        uint32_t word = *words++;
        if (word == DT_WORD_RETURN) {
            frame[depth-- % TZ_FRAMES] = top;
            top = frame[depth % TZ_FRAMES];
            continue;
        }
        tz_add_child(&top, word, false);
        TzFrame callee = tz_new_frame(top.function, word);
        if (words < end && *words == DT_WORD_RETURN) {
            /* Most functions call nothing: the caller does not leave the registers. */
            frame[(depth + 1) % TZ_FRAMES] = callee;
            words++;
        } else {
            frame[depth++ % TZ_FRAMES] = top;
            top = callee;
        }
    }
    frame[depth % TZ_FRAMES] = top;
    model->depth = depth;
    model->position += count;
}

/* How many words are the same, up to the first that differs or is an escape. */
TZ_INLINE size_t tz_same_words(const uint16_t *words, const uint16_t *past, size_t count)
{
    const uint64_t ones = 0x0001000100010001u;
    size_t same = 0;
    while (same + 4 <= count) {
        uint64_t now, then;
        memcpy(&now, words + same, sizeof(now));
        memcpy(&then, past + same, sizeof(then));
        if (now != then || ((~now - ones) & now & ones << 15))
            break;
        same += 4;
    }
    while (same < count && words[same] == past[same] && words[same] != DT_WORD_ESCAPE)
        same++;
    return same;
}

/* The words that the match foretells, in the encoder as far as it is right. */
TZ_INLINE size_t tz_run_by_match(TzModel *model, const bool decoding, uint16_t *words, size_t count)
{
    uint16_t *ring = model->ring;
    uint32_t at = (uint32_t)model->position % TZ_RING_WORDS, past = (at - model->trusted) % TZ_RING_WORDS;
    size_t straight = TZ_RING_WORDS - (at > past ? at : past), done = 0;
    count = count < straight ? count : straight;
    if (decoding)
        for (; done < count && ring[past + done] != DT_WORD_ESCAPE; done++)
            words[done] = ring[at + done] = ring[past + done];
    else
        done = tz_same_words(words, ring + past, count);
    tz_step_run(model, words, done);
    return done;
}

TZ_INLINE size_t tz_run_by_slots(TzModel *model, const bool decoding, uint16_t *words, size_t count, int *next)
{
    TzFrame *frame = model->frame, top = *tz_top(model);
    uint32_t depth = model->depth, at = (uint32_t)model->position;
    size_t done = 0;
    while (done < count) {
        int prediction = *next = tz_predict_by_slots(model, &top);
        if (prediction == TZ_NOTHING || prediction == DT_WORD_ESCAPE || (!decoding && prediction != words[done]))
            break;
        uint32_t word = decoding ? (uint32_t)prediction : words[done];
        /* Lest the compiler take the one for the other: so the encoder need not wait for the slot to go on. */
        if (!decoding)
            __asm__("" : "+r"(word));
        if (decoding)
            words[done] = model->ring[(at + done) % TZ_RING_WORDS] = (uint16_t)word;
        done++;
        if (word == DT_WORD_RETURN) {
            frame[depth-- % TZ_FRAMES] = top;
            top = frame[depth % TZ_FRAMES];
        } else {
            tz_add_child(&top, word, false);
            frame[depth++ % TZ_FRAMES] = top;
            top = tz_new_frame(top.function, word);
        }
    }
    frame[depth % TZ_FRAMES] = top;
    model->depth = depth;
    model->position += done;
    return done;
}

/*
 * Goes on for `count` words at most, while predictions are sure and, in the encoder, right. Returns how many came,
 * which may be fewer than could; if fewer, `*next` is tz_predict() of the next word. The encoder's words are in the
 * ring already; the decoder's are put there.
 */
TZ_INLINE size_t tz_run(TzModel *model, const bool decoding, uint16_t *words, size_t count, int *next)
{
    if (!model->trusted && !model->escape_left)
        return tz_run_by_slots(model, decoding, words, count, next);
    size_t done = model->escape_left ? 0 : tz_run_by_match(model, decoding, words, count);
    *next = tz_predict(model);
    return done;
}

#endif
