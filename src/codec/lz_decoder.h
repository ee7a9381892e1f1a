/*
 * What LZR's decoder does without looking at contexts: runs of matches, the words of tokens, and rows of words that
 * need not be looked at.
 */
#ifndef DT_CODEC_LZ_DECODER_H
#define DT_CODEC_LZ_DECODER_H

#include "lz_tokens.h"

typedef struct LzDecoder LzDecoder;

/* What a codec does by itself. Where the code does not say it, `damaged` is set. */
typedef struct {
    /* Where the run that begins breaks. */
    void (*read_break)(LzDecoder *decoder, LzBreak *ahead);
    /* The token that no match foretells; puts it into the history, and looks for a match. `refuted` is what one
     * foretold in vain, or LZ_NOTHING. */
    uint32_t (*read_token)(LzDecoder *decoder, uint32_t refuted);
} LzCoding;

/* A codec's decoder begins with it. */
struct LzDecoder {
    const LzCoding *coding;
    LzHistory *past;
    bool damaged;
    uint64_t words; /* left to decode, without the held one */
    uint16_t held;
    uint16_t owed;        /* a return that follows what was given last: 1 */
    uint32_t escape_left; /* tokens of an escape still to come */
    uint32_t escape_low;
    bool in_run;
    LzBreak ahead; /* where the run breaks, counted from here */
    uint8_t pending[LZ_LONGEST_END];
    uint64_t look_at; /* where to look for rows */
};

/* Of zeros, as dt_codec_decoder_init(); `*more` bytes of `pending` are behind the code. */
void lz_decoder_start(LzDecoder *decoder, const LzCoding *coding, LzHistory *past, uint64_t words,
                      const uint8_t *pending, size_t *more);
size_t lz_decode(void *state, uint16_t *words, size_t capacity);
size_t lz_decode_row(void *state, uint16_t *words, uint64_t *times);
/* Whether the words are all there, and the code need not say more. */
bool lz_decoder_is_done(const LzDecoder *decoder);

#endif
