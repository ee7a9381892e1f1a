/* The decoder of LZP; its functions mean what codec.h says. */
#ifndef DT_FORMAT_LZP_DECODER_H
#define DT_FORMAT_LZP_DECODER_H

#include "lz_decoder.h"
#include "lzp_explicit.h"

typedef struct {
    LzDecoder frame;
    RangeCoder coder;
    LzpModel model;
} LzpDecoder;

void lzp_decoder_init(void *state, const uint8_t *code, size_t bytes, uint64_t words, const uint8_t *pending);
int lzp_at_end(const void *state);

#endif
