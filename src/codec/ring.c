#include "ring.h"

#include <string.h>

void dt_ring_copy_last(const uint16_t *ring, uint64_t position, uint32_t count, uint16_t *words)
{
    uint32_t from = (uint32_t)(position - count) % DT_RING_WORDS, straight = DT_RING_WORDS - from;
    straight = straight < count ? straight : count;
    memcpy(words, ring + from, 2 * (size_t)straight);
    memcpy(words + straight, ring, 2 * (size_t)(count - straight));
}

void dt_ring_repeat(uint16_t *ring, uint64_t position, const uint16_t *row, uint32_t words, uint64_t times)
{
    if (words == 0)
        return;
    uint64_t all = words * times;
    uint32_t count = all < DT_RING_WORDS ? (uint32_t)all : DT_RING_WORDS, done = 0;
    uint32_t first = (uint32_t)((all - count) % words), start = (uint32_t)(position + all - count) % DT_RING_WORDS;
    for (; done < count && done < words; done++)
        ring[(start + done) % DT_RING_WORDS] = row[(first + done) % words];
    while (done < count) {
        /* Whole rows are there: pieces double. */
        uint32_t offset = done % words, piece = done - offset < count - done ? done - offset : count - done;
        uint32_t from = (start + offset) % DT_RING_WORDS, to = (start + done) % DT_RING_WORDS;
        uint32_t straight = DT_RING_WORDS - (from > to ? from : to);
        piece = piece < straight ? piece : straight;
        memcpy(ring + to, ring + from, 2 * (size_t)piece);
        done += piece;
    }
}
