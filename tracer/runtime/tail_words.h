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

/* A word at a time: few are left behind the last vector. */
static inline void dt_tail_sum_rest(const uint16_t *place, const uint16_t *end, struct dt_tail_sums *sums)
{
    for (; place < end; place++) {
        sums->childless += place[0] >> 14 == DT_TAIL_CHILDLESS >> 14;
        sums->has_others |= (place[0] & (DT_TAIL_LAST_ID + 1)) != 0;
    }
}

/* Words of the form 10xx... are childless, those of the form x1xx... others. */
static inline struct dt_tail_sums dt_tail_sum(const uint16_t *tail, size_t words)
{
    uint64_t saved[8], counts[2] = {0, 0};
    size_t vectors = words / DT_VECTOR_WORDS;
    uint32_t others = 0;
    const uint16_t *end = tail + words, *place = tail;
    if (vectors)
        __asm__ volatile("movups %%xmm0, %[saved]\n\t"
                         "movups %%xmm1, 16+%[saved]\n\t"
                         "movups %%xmm2, 32+%[saved]\n\t"
                         "movups %%xmm3, 48+%[saved]\n\t"
                         "pxor %%xmm0, %%xmm0\n\t"
                         "pxor %%xmm1, %%xmm1\n\t"
                         "1:\n\t"
                         "movdqa (%[place]), %%xmm2\n\t"
                         "movdqa %%xmm2, %%xmm3\n\t"
                         "psllw $1, %%xmm3\n\t" /* 0x4000 is in the highest bit */
                         "por %%xmm3, %%xmm0\n\t"
                         "pandn %%xmm2, %%xmm3\n\t"
                         "psrlw $15, %%xmm3\n\t"
                         "paddw %%xmm3, %%xmm1\n\t"
                         "add $16, %[place]\n\t"
                         "dec %[vectors]\n\t"
                         "jnz 1b\n\t"
                         "psraw $15, %%xmm0\n\t"
                         "pmovmskb %%xmm0, %[others]\n\t"
                         "pxor %%xmm0, %%xmm0\n\t"
                         "movdqa %%xmm1, %%xmm2\n\t"
                         "punpcklwd %%xmm0, %%xmm1\n\t"
                         "punpckhwd %%xmm0, %%xmm2\n\t"
                         "paddd %%xmm2, %%xmm1\n\t"
                         "movups %%xmm1, %[counts]\n\t"
                         "movups %[saved], %%xmm0\n\t"
                         "movups 16+%[saved], %%xmm1\n\t"
                         "movups 32+%[saved], %%xmm2\n\t"
                         "movups 48+%[saved], %%xmm3"
                         : [place] "+r"(place), [vectors] "+r"(vectors), [others] "=&r"(others), [saved] "=m"(saved),
                           [counts] "=m"(counts)
                         :
                         : "memory", "cc");
    uint64_t sum = counts[0] + counts[1];
    struct dt_tail_sums sums = {(uint32_t)(sum + (sum >> 32)), others != 0};
    dt_tail_sum_rest(place, end, &sums);
    return sums;
}

#endif
