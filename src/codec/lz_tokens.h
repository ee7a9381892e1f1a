/* Words made tokens, before they are coded. */
#ifndef DT_CODEC_LZ_TOKENS_H
#define DT_CODEC_LZ_TOKENS_H

#include "codec.h"
#include "lz_history.h"

enum {
    LZ_TOKENS_OF_WORD = 3, /* at most */
    LZ_PART_TOKENS = 544,  /* that are made at a time */
    /* `pending` of a commit record: byte 0 is how many bytes, at most, end the code; the last two are a word. */
    LZ_LONGEST_END = 7,
    LZ_HELD_AT = DT_CODEC_PENDING_BYTES - 2
};

typedef struct {
    uint32_t held; /* a function that was entered: the next word tells whether it is childless; 0: none */
    uint16_t tokens[LZ_PART_TOKENS + 4];
} LzTokens;

/* Tokens that say the words, but for one that is held; of as many words as there is room for, `*done`. */
size_t lz_make_tokens(LzTokens *made, const uint16_t *words, size_t count, size_t *done);

#endif
