/* The decoder of LZR; its functions mean what codec.h says. */
#ifndef DT_CODEC_LZR_DECODER_H
#define DT_CODEC_LZR_DECODER_H

#include "lz_decoder.h"
#include "lzr_model.h"

typedef struct {
    LzDecoder frame;
    LzrCoder coder;
    bool is_expected; /* the run breaks at a mark, and what follows is what the contexts foretell there */
    bool at_mark;     /* it broke there */
    LzrModel model;
} LzrDecoder;

void lzr_decoder_init(void *state, const uint8_t *code, size_t bytes, uint64_t words, const uint8_t *pending);
int lzr_at_end(const void *state);

#endif
