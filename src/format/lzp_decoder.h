/* The decoder of LZP; its functions mean what codec.h says. */
#ifndef DT_FORMAT_LZP_DECODER_H
#define DT_FORMAT_LZP_DECODER_H

#include "codec_table.h"
#include "lzp_explicit.h"

enum {
    LZP_LONGEST_END = 7,
    LZP_HELD_AT = DT_CODEC_PENDING_BYTES - 2 /* in `pending` */
};

typedef struct {
    RangeCoder coder;
    uint64_t words; /* left to decode, without the held one */
    uint16_t held;
    uint16_t owed;        /* a return that follows what was given last: 1 */
    uint32_t escape_left; /* tokens of an escape still to come */
    uint32_t escape_low;
    bool in_run;
    LzpBreak ahead; /* where the run breaks, counted from here */
    uint8_t pending[LZP_LONGEST_END];

    uint64_t look_at; /* where to look for rows */

    LzpModel model;
} LzpDecoder;

void lzp_decoder_init(void *state, const uint8_t *code, size_t bytes, uint64_t words, const uint8_t *pending);
size_t lzp_decode(void *state, uint16_t *words, size_t capacity);
size_t lzp_decode_row(void *state, uint16_t *words, uint64_t *times);
int lzp_at_end(const void *state);

#endif
