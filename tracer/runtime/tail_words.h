/* Words of a raw tail many at a time. With vector registers, though the stubs save none: what is used of them is put
 * back here. Vectors are of 8 words and aligned. */
#ifndef DT_RUNTIME_TAIL_WORDS_H
#define DT_RUNTIME_TAIL_WORDS_H

#include "format/trace_file.h"
#include "runtime.h"

enum { DT_VECTOR_WORDS = 8 };

#define DT_BROADCAST_UNWRITTEN "movd %[unwritten], %%xmm0\n\tpshufd $0, %%xmm0, %%xmm0\n\t"

static const uint32_t dt_two_unwritten = DT_WORD_UNWRITTEN * 0x10001u;

/* Fills the place of at least one word with DT_WORD_UNWRITTEN, up to a whole vector. */
static inline void dt_tail_clear(uint16_t *tail, size_t words)
{
    uint64_t saved[2];
    size_t vectors = (words + DT_VECTOR_WORDS - 1) / DT_VECTOR_WORDS;
    __asm__ volatile("movups %%xmm0, %[saved]\n\t" DT_BROADCAST_UNWRITTEN "1:\n\t"
                     "movdqa %%xmm0, (%[tail])\n\t"
                     "add $16, %[tail]\n\t"
                     "dec %[vectors]\n\t"
                     "jnz 1b\n\t"
                     "movups %[saved], %%xmm0"
                     : [tail] "+r"(tail), [vectors] "+r"(vectors), [saved] "=m"(saved)
                     : [unwritten] "r"(dt_two_unwritten)
                     : "memory", "cc");
}

/* True if one of the words is DT_WORD_UNWRITTEN: a place that was reserved and not filled. */
static inline bool dt_tail_has_unwritten(const uint16_t *tail, size_t words)
{
    uint64_t saved[6];
    size_t vectors = words / DT_VECTOR_WORDS;
    uint32_t found = 0;
    const uint16_t *end = tail + words, *place = tail;
    if (vectors)
        __asm__ volatile("movups %%xmm0, %[saved]\n\t"
                         "movups %%xmm1, 16+%[saved]\n\t"
                         "movups %%xmm2, 32+%[saved]\n\t" DT_BROADCAST_UNWRITTEN "pxor %%xmm1, %%xmm1\n\t"
                         "1:\n\t"
                         "movdqa (%[place]), %%xmm2\n\t"
                         "pcmpeqw %%xmm0, %%xmm2\n\t"
                         "por %%xmm2, %%xmm1\n\t"
                         "add $16, %[place]\n\t"
                         "dec %[vectors]\n\t"
                         "jnz 1b\n\t"
                         "pmovmskb %%xmm1, %[found]\n\t"
                         "movups %[saved], %%xmm0\n\t"
                         "movups 16+%[saved], %%xmm1\n\t"
                         "movups 32+%[saved], %%xmm2"
                         : [place] "+r"(place), [vectors] "+r"(vectors), [found] "=&r"(found), [saved] "=m"(saved)
                         : [unwritten] "r"(dt_two_unwritten)
                         : "memory", "cc");
    for (; place < end; place++)
        found |= *place == DT_WORD_UNWRITTEN;
    return found != 0;
}

#undef DT_BROADCAST_UNWRITTEN

#endif
