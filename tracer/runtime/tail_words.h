/* Words of a raw tail many at a time. With vector registers, though the stubs save none: what is used of them is put
 * back here. Vectors are of 8 words and aligned. */
#ifndef DT_RUNTIME_TAIL_WORDS_H
#define DT_RUNTIME_TAIL_WORDS_H

#include "format/trace_file.h"
#include "runtime.h"

enum { DT_VECTOR_WORDS = 8 };

static const uint32_t dt_two_unwritten = DT_WORD_UNWRITTEN * 0x10001u;

/* Fills the place of at least one word with DT_WORD_UNWRITTEN, up to a whole vector. */
static inline void dt_tail_clear(uint16_t *tail, size_t words)
{
    uint64_t saved[2];
    size_t vectors = (words + DT_VECTOR_WORDS - 1) / DT_VECTOR_WORDS;
    __asm__ volatile("movups %%xmm0, %[saved]\n\t"
                     "movd %[unwritten], %%xmm0\n\t"
                     "pshufd $0, %%xmm0, %%xmm0\n\t"
                     "1:\n\t"
                     "movdqa %%xmm0, (%[tail])\n\t"
                     "add $16, %[tail]\n\t"
                     "dec %[vectors]\n\t"
                     "jnz 1b\n\t"
                     "movups %[saved], %%xmm0"
                     : [tail] "+r"(tail), [vectors] "+r"(vectors), [saved] "=m"(saved)
                     : [unwritten] "r"(dt_two_unwritten)
                     : "memory", "cc");
}

struct dt_tail_sums {
    uint32_t childless; /* words with DT_TAIL_CHILDLESS alone */
    bool has_others;    /* than those, returns, and ids up to DT_TAIL_LAST_ID */
};

/* A word at a time: the few behind the last vector, and tails that hold others, whose highest bits mean something else.
 */
static inline void dt_tail_sum_rest(const uint16_t *place, const uint16_t *end, struct dt_tail_sums *sums)
{
    for (; place < end; place++) {
        sums->childless += place[0] >> 14 == DT_TAIL_CHILDLESS >> 14;
        sums->has_others |= (place[0] & (DT_TAIL_LAST_ID + 1)) != 0;
    }
}

/* Highest bits of whole vectors; *others: all words or-ed. */
static inline uint32_t dt_tail_count_highest(const uint16_t *tail, size_t vectors, uint64_t *others)
{
    uint64_t saved[6], counts[2], ored[2];
    __asm__ volatile(
        "movups %%xmm0, %[saved]\n\t"
        "movups %%xmm1, 16+%[saved]\n\t"
        "movups %%xmm2, 32+%[saved]\n\t"
        "pxor %%xmm0, %%xmm0\n\t"
        "pxor %%xmm1, %%xmm1\n\t"
        "1:\n\t"
        "movdqa (%[tail]), %%xmm2\n\t"
        "por %%xmm2, %%xmm0\n\t"
        "psrlw $15, %%xmm2\n\t"
        "paddw %%xmm2, %%xmm1\n\t"
        "add $16, %[tail]\n\t"
        "dec %[vectors]\n\t"
        "jnz 1b\n\t"
        "movups %%xmm0, %[ored]\n\t"
        "movups %%xmm1, %[counts]\n\t"
        "movups %[saved], %%xmm0\n\t"
        "movups 16+%[saved], %%xmm1\n\t"
        "movups 32+%[saved], %%xmm2"
        : [tail] "+r"(tail), [vectors] "+r"(vectors), [saved] "=m"(saved), [counts] "=m"(counts), [ored] "=m"(ored)
        :
        : "memory", "cc");
    uint64_t sum = counts[0] + counts[1];
    *others = ored[0] | ored[1];
    return (uint32_t)(sum * 0x0001000100010001u >> 48);
}

/* Of at most a tail. */
static inline struct dt_tail_sums dt_tail_sum(const uint16_t *tail, size_t words)
{
    const uint16_t *end = tail + words;
    struct dt_tail_sums sums = {0, false};
    size_t vectors = words / DT_VECTOR_WORDS;
    uint64_t others = 0;
    if (vectors)
        sums.childless = dt_tail_count_highest(tail, vectors, &others);
    if (others & (DT_TAIL_LAST_ID + 1) * 0x0001000100010001u)
        sums.childless = 0;
    else
        tail += vectors * DT_VECTOR_WORDS;
    dt_tail_sum_rest(tail, end, &sums);
    return sums;
}

#endif
