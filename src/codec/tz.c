/*
 * TZ: a deterministic model of the thread foretells most words, and these cost
 * nothing; the others are coded by mixing what several contexts say of them.
 * docs/codec-tz.md specifies it; the design follows the predictor compressors
 * of execution traces (VPC: Burtscher et al., 2005) and context mixing
 * (PAQ: Mahoney, 2005), made resumable at every word.
 */
#include <string.h>

#include "codec_table.h"
#include "range_coder.h"
#include "tz_decoder.h"
#include "tz_explicit.h"
#include "tz_model.h"
#include "tz_run.h"

enum {
    /* Bits that one decision costs at most: -log2 of its least probability, and one because the interval is made of
       integers. */
    BIT_COST = 12,
    FLAG_COST = 15,
    RANK_COST = 15,
    HALF_COST = 2,
    LITERAL_COST = (1 + 5 + 15) * BIT_COST,
    WORD_COST = FLAG_COST + BIT_COST + TZ_RANKS * RANK_COST + TZ_RECENT * BIT_COST + LITERAL_COST,
    /* The position of a miss costs more, but not more than words that came before it and cost nothing - except at the
       beginning of a batch. */
    STREAK_COST = 64 * BIT_COST + 63 * HALF_COST,
    END_COST = FLAG_COST + 8 * RANGE_END_BYTES
};

_Static_assert(END_COST / 8 < TZ_LONGEST_END, "the end of a code fits a commit record");

typedef struct {
    uint64_t used; /* since its memory was zero */
    RangeCoder coder;
    TzModel model;
} Encoder;

static size_t tz_bound(size_t words)
{
    return (words * WORD_COST + STREAK_COST + END_COST) / 8 + 1;
}

static void tz_encoder_init(void *state)
{
    Encoder *encoder = state;
    /* Memory that is still zero is not touched: its pages may not exist yet. */
    if (encoder->used)
        memset(encoder, 0, sizeof(*encoder));
    encoder->used = 1;
    range_coder_start(&encoder->coder);
    tz_model_init(&encoder->model);
}

static __attribute__((noinline)) void encode_unsure(Encoder *encoder, uint32_t word, int prediction)
{
    TzModel *model = &encoder->model;
    uint64_t streak = model->position - model->explained;
    if (prediction == TZ_NOTHING) {
        prediction = tz_predict_outcome(model);
        if (prediction == (int)word) {
            tz_add_outcome(model, word);
            tz_step(model, word, false);
            return;
        }
    }
    bool missed = prediction != TZ_NOTHING;
    if (missed || streak > 0)
        tz_code_miss_flag(model, &encoder->coder, false, missed);
    if (missed) {
        tz_code_streak(model, &encoder->coder, false, streak);
        tz_match_broken(model);
    }
    tz_code_explicit(model, &encoder->coder, false, word, prediction);
}

/* At most TZ_AHEAD_WORDS words. */
static void encode_part(Encoder *encoder, const uint16_t *words, size_t count)
{
    TzModel *model = &encoder->model;
    size_t at = (size_t)(model->position % TZ_RING_WORDS), straight = TZ_RING_WORDS - at;
    if (straight > count)
        straight = count;
    memcpy(model->ring + at, words, 2 * straight);
    memcpy(model->ring, words + straight, 2 * (count - straight));
    for (size_t i = 0; i < count; i++) {
        int prediction;
        i += tz_run(model, false, (uint16_t *)words + i, count - i, &prediction);
        if (i == count)
            break;
        if (prediction == words[i])
            tz_step(model, words[i], false);
        else
            encode_unsure(encoder, words[i], prediction);
    }
}

static size_t tz_encode(void *state, const uint16_t *words, size_t count, uint8_t *out)
{
    Encoder *encoder = state;
    encoder->coder.out = out;
    while (count > 0) {
        size_t part = count < TZ_AHEAD_WORDS ? count : TZ_AHEAD_WORDS;
        encode_part(encoder, words, part);
        words += part;
        count -= part;
    }
    return (size_t)(encoder->coder.out - out);
}

/* The bytes that end the code: the flag that the sure hits go on to the end, if there are any, and an end of the
   interval. Returns how many. */
static uint32_t end_code(const Encoder *encoder, uint8_t end[TZ_LONGEST_END])
{
    const TzModel *model = &encoder->model;
    RangeCoder coder = encoder->coder;
    coder.out = end;
    if (model->position > model->explained)
        range_code(&coder, false,
                   range_clamp(model->trained.miss_flag[model->flag_history % TZ_FLAG_HISTORIES], TZ_LEAST_FLAG), 0);
    return (uint32_t)(coder.out - end) + range_coder_end(coder.low, coder.high, coder.out);
}

/* Byte 0: how many bytes would end the code here; then these. */
static void tz_suspend(const void *state, uint8_t pending[DT_CODEC_PENDING_BYTES])
{
    pending[0] = (uint8_t)end_code(state, pending + 1);
}

static size_t tz_finish(void *state, uint8_t *out)
{
    uint8_t end[TZ_LONGEST_END];
    uint32_t bytes = end_code(state, end);
    memcpy(out, end, bytes);
    return bytes;
}

const DtCodecFunctions dt_codec_tz = {
    .encoder_bytes = sizeof(Encoder),
    .decoder_bytes = sizeof(TzDecoder),
    .bound = tz_bound,
    .encoder_init = tz_encoder_init,
    .encode = tz_encode,
    .suspend = tz_suspend,
    .finish = tz_finish,
    .decoder_init = tz_decoder_init,
    .decode = tz_decode,
    .decode_row = tz_decode_row,
    .at_end = tz_at_end,
};
