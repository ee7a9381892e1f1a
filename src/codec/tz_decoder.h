/* The decoder of TZ; its functions mean what codec.h says. */
#ifndef DT_CODEC_TZ_DECODER_H
#define DT_CODEC_TZ_DECODER_H

#include "codec_table.h"
#include "range_coder.h"
#include "tz_model.h"

enum { TZ_LONGEST_END = DT_CODEC_PENDING_BYTES - 1 };

typedef struct {
    RangeCoder coder;
    uint64_t words; /* left to decode */
    int streak;     /* what is known of the sure hits: FLAG_NEXT, NO_MISS, or 0: a miss after... */
    uint64_t hits;  /* ...so many more */
    uint8_t pending[TZ_LONGEST_END];

    /* Rows: positions from which on all words were sure hits of the match or of slots, and where to look for rows
       again; the distance of repetitions, 0 if none is known. */
    uint64_t foretold_since, look_at;
    uint32_t distance;

    TzModel model;
} TzDecoder;

void tz_decoder_init(void *state, const uint8_t *code, size_t bytes, uint64_t words, const uint8_t *pending);
size_t tz_decode(void *state, uint16_t *words, size_t capacity);
size_t tz_decode_row(void *state, uint16_t *words, uint64_t *times);
int tz_at_end(const void *state);

#endif
