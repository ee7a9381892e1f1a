/* What LZR's encoder does with most words: makes them tokens, and goes along a match as far as it foretells them. */
#ifndef DT_CODEC_LZ_ENCODER_H
#define DT_CODEC_LZ_ENCODER_H

#include "lz_tokens.h"

/* A codec's encoder begins with it. */
typedef struct {
    uint64_t used; /* since its memory was zero */
    LzRun run;     /* of the match */
    LzTokens words;
} LzEncoder;

/* What a codec does by itself: codes a token that no match foretells, puts it into the history, and looks for a match.
   So many tokens `before` it are where it is. */
typedef void LzEncodeExplicit(LzEncoder *encoder, const uint16_t *token, size_t before);

/* Makes an encoder of so many bytes ready. Memory that is still zero is not touched: its pages may not exist yet. */
static inline void lz_encoder_start(LzEncoder *encoder, size_t bytes)
{
    if (encoder->used)
        memset(encoder, 0, bytes);
    encoder->used = 1;
}

LZ_INLINE void lz_encode_tokens(LzEncoder *encoder, LzHistory *past, LzEncodeExplicit *encode_explicit,
                                const uint16_t *tokens, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (past->distance) {
            i += lz_go_along(past, &encoder->run, tokens + i, count - i);
            if (i == count)
                break;
        }
        encode_explicit(encoder, tokens + i, i);
        encoder->run = (LzRun){0, 0};
    }
}

LZ_INLINE void lz_encode_words(LzEncoder *encoder, LzHistory *past, LzEncodeExplicit *encode_explicit,
                               const uint16_t *words, size_t count)
{
    while (count > 0) {
        size_t part, tokens = lz_make_tokens(&encoder->words, words, count, &part);
        lz_encode_tokens(encoder, past, encode_explicit, encoder->words.tokens, tokens);
        words += part;
        count -= part;
    }
}

/* The word that is held will not be followed by its return. */
LZ_INLINE void lz_encode_held(LzEncoder *encoder, LzHistory *past, LzEncodeExplicit *encode_explicit)
{
    uint16_t held = (uint16_t)encoder->words.held;
    encoder->words.held = 0;
    lz_encode_tokens(encoder, past, encode_explicit, &held, held != 0);
}

/* Words of a tail, which are tokens. A word that is held comes from a tail that was expanded. */
LZ_INLINE void lz_encode_tail(LzEncoder *encoder, LzHistory *past, LzEncodeExplicit *encode_explicit,
                              const uint16_t *tail, size_t count)
{
    lz_encode_held(encoder, past, encode_explicit);
    lz_encode_tokens(encoder, past, encode_explicit, tail, count);
}

/* `pending` of a commit record: byte 0 is how many bytes end the code here; then these. The last two are the word that
 * is held. */
static inline void lz_make_pending(const LzEncoder *encoder, const uint8_t *end, uint32_t bytes,
                                   uint8_t pending[DT_CODEC_PENDING_BYTES])
{
    uint16_t held = (uint16_t)encoder->words.held;
    pending[0] = (uint8_t)bytes;
    memcpy(pending + 1, end, LZ_LONGEST_END);
    memcpy(pending + LZ_HELD_AT, &held, sizeof(held));
}

#endif
