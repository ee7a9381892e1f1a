/* The decoder of LZP: docs/codec-lzp.md. */
#include "lzp_decoder.h"

static void read_break(LzDecoder *state, LzBreak *ahead)
{
    LzpDecoder *decoder = (LzpDecoder *)state;
    lzp_code_break(&decoder->model, &decoder->coder, true, ahead);
    state->damaged |= decoder->coder.damaged;
}

static uint32_t read_token(LzDecoder *state, uint32_t refuted)
{
    LzpDecoder *decoder = (LzpDecoder *)state;
    LzpModel *model = &decoder->model;
    LzpInputs inputs;
    LzpPlaces places;
    lzp_find_slots(model, &inputs, refuted);
    uint32_t token = lzp_code_token(model, &decoder->coder, true, 0, refuted, &inputs);
    lzp_find_places(model, &places);
    lzp_find_match(model, &places);
    state->damaged |= decoder->coder.damaged;
    return token;
}

static const LzCoding coding = {.read_break = read_break, .read_token = read_token};

void lzp_decoder_init(void *state, const uint8_t *code, size_t bytes, uint64_t words, const uint8_t *pending)
{
    LzpDecoder *decoder = state;
    size_t more;
    memset(decoder, 0, sizeof(*decoder));
    lz_decoder_start(&decoder->frame, &coding, &decoder->model.past, words, pending, &more);
    range_coder_open(&decoder->coder, code, bytes, decoder->frame.pending, more);
}

int lzp_at_end(const void *state)
{
    const LzpDecoder *decoder = state;
    return lz_decoder_is_done(&decoder->frame) && range_coder_is_at_end(&decoder->coder);
}
