/* The decoder of TZ: docs/codec-tz.md, and rows of words that need not be looked at. */
#include "tz_decoder.h"

#include <string.h>

#include "ring.h"
#include "tz_explicit.h"
#include "tz_rows.h"
#include "tz_run.h"

enum { FLAG_NEXT = -2, NO_MISS = -1 };

void tz_decoder_init(void *state, const uint8_t *code, size_t bytes, uint64_t words, const uint8_t *pending)
{
    TzDecoder *decoder = state;
    size_t more = pending && pending[0] <= TZ_LONGEST_END ? pending[0] : 0;
    memset(decoder, 0, sizeof(*decoder));
    tz_model_init(&decoder->model);
    decoder->words = words;
    decoder->streak = FLAG_NEXT;
    if (more)
        memcpy(decoder->pending, pending + 1, more);
    range_coder_open(&decoder->coder, code, bytes, decoder->pending, more);
}

static __attribute__((noinline)) uint32_t decode_explicit(TzDecoder *decoder, int prediction)
{
    if (prediction != TZ_NOTHING)
        tz_match_broken(&decoder->model);
    decoder->streak = FLAG_NEXT;
    return tz_code_explicit(&decoder->model, &decoder->coder, true, 0, prediction);
}

static __attribute__((noinline)) void read_streak(TzDecoder *decoder)
{
    TzModel *model = &decoder->model;
    decoder->streak = NO_MISS;
    if (tz_code_miss_flag(model, &decoder->coder, true, 0)) {
        decoder->hits = tz_code_streak(model, &decoder->coder, true, 0);
        decoder->streak = 0;
    }
}

/* `prediction` is tz_predict()'s. */
static inline uint32_t decode_word(TzDecoder *decoder, int prediction)
{
    TzModel *model = &decoder->model;
    bool by_outcome = prediction == TZ_NOTHING;
    if (by_outcome)
        prediction = tz_predict_outcome(model);
    if (prediction == TZ_NOTHING)
        return decode_explicit(decoder, TZ_NOTHING);
    if (__builtin_expect(decoder->streak == FLAG_NEXT, 0))
        read_streak(decoder);
    if (decoder->streak != NO_MISS && decoder->hits-- == 0)
        return decode_explicit(decoder, prediction);
    tz_put(model, (uint32_t)prediction);
    if (by_outcome)
        tz_add_outcome(model, (uint32_t)prediction);
    tz_step(model, (uint32_t)prediction, false);
    return (uint32_t)prediction;
}

/* Sure hits as far as the streak is known. If there are fewer than `most`, `*next` is tz_predict() of the next word. */
static size_t decode_run(TzDecoder *decoder, uint16_t *words, size_t most, int *next)
{
    TzModel *model = &decoder->model;
    size_t known = decoder->streak == FLAG_NEXT ? 0 : most, done;
    if (decoder->streak >= 0 && decoder->hits < most)
        known = (size_t)decoder->hits;
    done = known ? tz_run(model, true, words, known, next) : 0;
    if (done == known)
        *next = tz_predict(model);
    if (decoder->streak >= 0)
        decoder->hits -= done;
    return done;
}

size_t tz_decode(void *state, uint16_t *words, size_t capacity)
{
    TzDecoder *decoder = state;
    size_t most = decoder->words < capacity ? (size_t)decoder->words : capacity, count = 0;
    while (count < most && !decoder->coder.damaged) {
        int next;
        count += decode_run(decoder, words + count, most - count, &next);
        if (count == most)
            break;
        words[count] = (uint16_t)decode_word(decoder, next);
        decoder->foretold_since = decoder->model.position;
        count += !decoder->coder.damaged;
    }
    decoder->words -= count;
    return count;
}

/* ---- rows ------------------------------------------------------------------------------ */

/* The words that certainly are sure hits. */
static uint64_t sure_words(const TzDecoder *decoder)
{
    if (decoder->streak == FLAG_NEXT || decoder->model.escape_left)
        return 0;
    return decoder->streak == NO_MISS || decoder->hits > decoder->words ? decoder->words : decoder->hits;
}

/* The distance at which the sure hits of late repeat themselves; 0: none is known. */
static uint32_t find_distance(TzDecoder *decoder, uint16_t *scratch)
{
    const TzModel *model = &decoder->model;
    if (model->trusted)
        return model->trusted;
    uint64_t foretold = model->position - decoder->foretold_since;
    if (decoder->distance && 2 * decoder->distance <= foretold && tz_has_period(model, decoder->distance))
        return decoder->distance;
    return foretold < TZ_ROW_LOOK
               ? 0
               : tz_find_period(model, foretold < TZ_ROW_WINDOW ? (uint32_t)foretold : TZ_ROW_WINDOW, scratch);
}

_Static_assert((int)TZ_ROW_WINDOW <= (int)DT_CODEC_ROW_WORDS,
               "a row that slots foretell has room, and its children behind it");

/* A row that sure hits repeat, or 0 and when to look again. */
static size_t skip_rows(TzDecoder *decoder, uint16_t *words, uint64_t *times)
{
    TzModel *model = &decoder->model;
    uint64_t sure = sure_words(decoder), foretold = model->position - decoder->foretold_since;
    decoder->look_at = model->position + TZ_ROW_LOOK;
    if (sure < TZ_ROW_LOOK)
        return 0;
    uint32_t distance = find_distance(decoder, words);
    int begins = distance ? tz_row_begins(model, distance) : TZ_NOTHING;
    /* What a match has trusted may be longer than a row with its children has room for. */
    decoder->distance = begins == TZ_NOTHING || model->trusted ? 0 : distance;
    if (begins == TZ_NOTHING || sure / distance < TZ_ROW_TIMES) {
        /* So that looking costs little, whatever it costs. */
        decoder->look_at += 4 * distance + (foretold < TZ_ROW_WINDOW ? foretold : TZ_ROW_WINDOW);
        return 0;
    }
    if (begins > 0) {
        decoder->look_at = model->position + (uint64_t)begins;
        return 0;
    }
    dt_ring_copy_last(model->ring, model->position, distance, words);
    *times = sure / distance;
    if (model->trusted)
        tz_skip_matched(model, words, distance, *times);
    else
        *times = tz_skip_foretold(model, words, distance, *times, words + distance);
    decoder->words -= distance * *times;
    if (decoder->streak != NO_MISS)
        decoder->hits -= distance * *times;
    return *times ? distance : 0;
}

size_t tz_decode_row(void *state, uint16_t *words, uint64_t *times)
{
    TzDecoder *decoder = state;
    const uint64_t *position = &decoder->model.position;
    size_t count = *position >= decoder->look_at ? skip_rows(decoder, words, times) : 0;
    if (count > 0)
        return count;
    uint64_t before_look = decoder->look_at > *position ? decoder->look_at - *position : DT_CODEC_BATCH_WORDS;
    *times = 1;
    return tz_decode(decoder, words, before_look < DT_CODEC_BATCH_WORDS ? (size_t)before_look : DT_CODEC_BATCH_WORDS);
}

/* ---- the end --------------------------------------------------------------------------- */

int tz_at_end(const void *state)
{
    const TzDecoder *decoder = state;
    return decoder->words == 0 && decoder->streak < 0 && range_coder_is_at_end(&decoder->coder);
}
