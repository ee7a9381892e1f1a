/* The last words of a stream, as codecs keep them: word number i is at i modulo the ring's size. */
#ifndef DT_CODEC_RING_H
#define DT_CODEC_RING_H

#include <stdint.h>

enum { DT_RING_WORDS = 1 << 16 };

/* Copies the last `count` words before `position`. */
void dt_ring_copy_last(const uint16_t *ring, uint64_t position, uint32_t count, uint16_t *words);

/* Puts there what the ring holds when the `words` words of a row have come `times` times from `position` on. */
void dt_ring_repeat(uint16_t *ring, uint64_t position, const uint16_t *row, uint32_t words, uint64_t times);

#endif
