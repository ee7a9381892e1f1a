/* Words of a raw tail many at a time. With vector registers, though the stubs save none: what is used of them is put
 * back here. Vectors are of 8 words and aligned. Eight of them are a block, which is two wide vectors where the
 * processor has them (dt_has_wide_vectors). */
#ifndef DT_RECORD_TAIL_WORDS_H
#define DT_RECORD_TAIL_WORDS_H

#include <stddef.h>

#include "format/trace_file.h"
#include "format/wide_vectors.h"

enum { DT_VECTOR_WORDS = 8, DT_BLOCK_VECTORS = 8 };

static const uint32_t dt_two_unwritten = DT_WORD_UNWRITTEN * 0x10001u;

/* How many blocks the first of so many vectors make. */
static inline size_t dt_wide_blocks(size_t vectors)
{
    return dt_has_wide_vectors() ? vectors / DT_BLOCK_VECTORS : 0;
}

/* Fills the place of at least one word with DT_WORD_UNWRITTEN, up to a whole vector. */
static inline void dt_tail_clear(uint16_t *tail, size_t words)
{
    uint64_t saved[8];
    size_t vectors = (words + DT_VECTOR_WORDS - 1) / DT_VECTOR_WORDS, blocks = dt_wide_blocks(vectors);
    vectors -= blocks * DT_BLOCK_VECTORS;
    if (blocks)
        __asm__ volatile("vmovdqu64 %%zmm16, %[saved]\n\t"
                         "vpbroadcastd %[unwritten], %%zmm16\n\t"
                         "1:\n\t"
                         "vmovdqa64 %%zmm16, (%[tail])\n\t"
                         "vmovdqa64 %%zmm16, 64(%[tail])\n\t"
                         "add $128, %[tail]\n\t"
                         "dec %[blocks]\n\t"
                         "jnz 1b\n\t"
                         "vmovdqu64 %[saved], %%zmm16"
                         : [tail] "+r"(tail), [blocks] "+r"(blocks), [saved] "=m"(saved)
                         : [unwritten] "r"(dt_two_unwritten)
                         : "memory", "cc");
    if (vectors)
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

/* The sum of the eight lanes of each of so many numbers, which are not large. */
static inline uint32_t dt_tail_sum_lanes(const uint64_t *lanes, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += lanes[i];
    return (uint32_t)(sum * 0x0001000100010001u >> 48);
}

/* Highest bits of whole blocks; *others: all words or-ed. */
static inline uint32_t dt_tail_count_highest_wide(const uint16_t *tail, size_t blocks, uint64_t *others)
{
    uint64_t saved[32], counts[8], ored[8];
    __asm__ volatile("vmovdqu64 %%zmm16, (%[saved])\n\t"
                     "vmovdqu64 %%zmm17, 64(%[saved])\n\t"
                     "vmovdqu64 %%zmm18, 128(%[saved])\n\t"
                     "vmovdqu64 %%zmm19, 192(%[saved])\n\t"
                     "vpxorq %%zmm16, %%zmm16, %%zmm16\n\t"
                     "vpxorq %%zmm17, %%zmm17, %%zmm17\n\t"
                     "1:\n\t"
                     "vmovdqu64 (%[tail]), %%zmm18\n\t"
                     "vmovdqu64 64(%[tail]), %%zmm19\n\t"
                     "vpternlogq $0xfe, %%zmm18, %%zmm19, %%zmm16\n\t" /* or of the three */
                     "vpsrlw $15, %%zmm18, %%zmm18\n\t"
                     "vpsrlw $15, %%zmm19, %%zmm19\n\t"
                     "vpaddw %%zmm18, %%zmm17, %%zmm17\n\t"
                     "vpaddw %%zmm19, %%zmm17, %%zmm17\n\t"
                     "add $128, %[tail]\n\t"
                     "dec %[blocks]\n\t"
                     "jnz 1b\n\t"
                     "vmovdqu64 %%zmm16, (%[ored])\n\t"
                     "vmovdqu64 %%zmm17, (%[counts])\n\t"
                     "vmovdqu64 (%[saved]), %%zmm16\n\t"
                     "vmovdqu64 64(%[saved]), %%zmm17\n\t"
                     "vmovdqu64 128(%[saved]), %%zmm18\n\t"
                     "vmovdqu64 192(%[saved]), %%zmm19"
                     : [tail] "+r"(tail), [blocks] "+r"(blocks), "=m"(counts), "=m"(ored)
                     : [saved] "r"(saved), [counts] "r"(counts), [ored] "r"(ored)
                     : "memory", "cc");
    for (int i = 0; i < 8; i++)
        *others |= ored[i];
    return dt_tail_sum_lanes(counts, 8);
}

/* Highest bits of whole vectors; *others: all words or-ed. */
static inline uint32_t dt_tail_count_highest(const uint16_t *tail, size_t vectors, uint64_t *others)
{
    uint64_t saved[6], counts[2], ored[2];
    __asm__ volatile("movups %%xmm0, (%[saved])\n\t"
                     "movups %%xmm1, 16(%[saved])\n\t"
                     "movups %%xmm2, 32(%[saved])\n\t"
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
                     "movups %%xmm0, (%[ored])\n\t"
                     "movups %%xmm1, (%[counts])\n\t"
                     "movups (%[saved]), %%xmm0\n\t"
                     "movups 16(%[saved]), %%xmm1\n\t"
                     "movups 32(%[saved]), %%xmm2"
                     : [tail] "+r"(tail), [vectors] "+r"(vectors), "=m"(counts), "=m"(ored)
                     : [saved] "r"(saved), [counts] "r"(counts), [ored] "r"(ored)
                     : "memory", "cc");
    *others |= ored[0] | ored[1];
    return dt_tail_sum_lanes(counts, 2);
}

/* Of at most a tail. */
static inline struct dt_tail_sums dt_tail_sum(const uint16_t *tail, size_t words)
{
    const uint16_t *end = tail + words;
    struct dt_tail_sums sums = {0, false};
    size_t vectors = words / DT_VECTOR_WORDS, blocks = dt_wide_blocks(vectors), looked_at = blocks * DT_BLOCK_VECTORS;
    uint64_t others = 0;
    if (blocks)
        sums.childless = dt_tail_count_highest_wide(tail, blocks, &others);
    if (vectors > looked_at)
        sums.childless += dt_tail_count_highest(tail + looked_at * DT_VECTOR_WORDS, vectors - looked_at, &others);
    if (others & (DT_TAIL_LAST_ID + 1) * 0x0001000100010001u)
        sums.childless = 0;
    else
        tail += vectors * DT_VECTOR_WORDS;
    dt_tail_sum_rest(tail, end, &sums);
    return sums;
}

#endif
