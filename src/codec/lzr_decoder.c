/* The decoder of LZR: docs/codec-lzr.md. */
#include "lzr_decoder.h"

#include "lzr_explicit.h"

static void read_break(LzDecoder *state, LzBreak *ahead)
{
    LzrDecoder *decoder = (LzrDecoder *)state;
    LzrModel *model = &decoder->model;
    LzrCoder *coder = &decoder->coder;
    uint64_t expected = lzr_code_number(coder, true, &model->expected[model->past.order][model->before], 0);
    decoder->is_expected = expected > 0;
    if (decoder->is_expected)
        *ahead = (LzBreak){.at_mark = true, .marks = expected - 1};
    else
        lzr_code_break(model, coder, true, ahead);
    decoder->at_mark = ahead->at_mark;
    state->damaged |= coder->damaged;
}

static uint32_t read_token(LzDecoder *state, uint32_t refuted)
{
    LzrDecoder *decoder = (LzrDecoder *)state;
    LzrModel *model = &decoder->model;
    LzrForetold foretold;
    bool is_first = refuted != LZ_NOTHING && decoder->is_expected;
    uint16_t copy[LZ_LONGEST_CONTEXT];
    lzr_foretell(model, lz_last_tokens(&model->past, copy), refuted, &foretold);
    uint32_t token = foretold.token[foretold.first];
    if (!is_first)
        token = lzr_code_token(model, &decoder->coder, true, 0, &foretold, refuted != LZ_NOTHING && decoder->at_mark,
                               &is_first);
    state->damaged |= decoder->coder.damaged || token == LZ_NOTHING;
    lzr_take(model, &foretold, token & ~LZ_MARK, is_first);
    return token & ~LZ_MARK;
}

static const LzCoding coding = {.read_break = read_break, .read_token = read_token};

void lzr_decoder_init(void *state, const uint8_t *code, size_t bytes, uint64_t words, const uint8_t *pending)
{
    LzrDecoder *decoder = state;
    LzrCoder *coder = &decoder->coder;
    size_t more;
    memset(decoder, 0, sizeof(*decoder));
    lz_decoder_start(&decoder->frame, &coding, &decoder->model.past, words, pending, &more);
    coder->next = code;
    coder->end = bytes > 0 ? code + bytes : code;
    coder->more = decoder->frame.pending;
    coder->more_end = coder->more + more;
}

int lzr_at_end(const void *state)
{
    const LzrDecoder *decoder = state;
    const LzrCoder *coder = &decoder->coder;
    bool is_empty = coder->next == coder->end && coder->more == coder->more_end && coder->count < 8 && coder->bits == 0;
    return lz_decoder_is_done(&decoder->frame) && is_empty;
}
