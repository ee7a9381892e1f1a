/** The words of a raw tail, as the writer leaves them and as they count. */
#ifndef DT_FORMAT_TAIL_H
#define DT_FORMAT_TAIL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "trace_file.h"

/** 1: one word for a function that is entered and returns. */
static inline uint32_t dt_tail_is_childless(uint16_t word)
{
    return word >> 14 == DT_TAIL_CHILDLESS >> 14;
}

/** How many words a word of a tail stands for. */
static inline uint32_t dt_tail_count(uint16_t word)
{
    return 1 + dt_tail_is_childless(word) - (word == DT_WORD_UNWRITTEN);
}

/** Writes the words that `count` words of a tail stand for, twice as many at most; returns how many. `words` has room
 * for one more than that. */
static inline size_t dt_tail_expand(uint16_t *words, const uint16_t *tail, size_t count)
{
    size_t done = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t two = tail[i] ^ dt_tail_is_childless(tail[i]) << 15; /* and a return, if it counts */
        memcpy(words + done, &two, sizeof two);
        done += dt_tail_count(tail[i]);
    }
    return done;
}

#endif
