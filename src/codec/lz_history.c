/* Matches are gone along many tokens at a time. */
#include "lz_history.h"

#include "format/wide_vectors.h"

enum { AT_ONCE = 16, AT_ONCE_WIDE = 64 };

/* A distance at which the run repeats itself, too, and that is not within the tokens handled at once; 0: the run is not
 * long enough yet. */
static uint32_t far_distance(uint32_t distance, uint64_t run, uint32_t at_once)
{
    uint32_t far = distance >= at_once ? distance : (at_once + distance - 1) / distance * distance;
    return run + distance >= far ? far : 0;
}

static size_t go_slowly(LzHistory *history, const uint16_t *tokens, size_t count, uint64_t *marks)
{
    size_t done = 0;
    for (; done < count; done++) {
        uint16_t next = lz_foretold(history);
        if ((next & ~LZ_MARK) != tokens[done])
            break;
        lz_put(history, next);
        *marks += next >> 14 & 1;
    }
    return done;
}

/* Up to where one of the places comes to the ring's end, or fewer are left than are handled at once; `*part` is how far
 * that is. */
static size_t go_quickly(LzHistory *history, const LzRun *run, const uint16_t *tokens, size_t count, size_t *part,
                         uint64_t *marks)
{
    LzAlong *along = dt_lz_along_wide;
    size_t least = 1;
    uint32_t far = dt_has_wide_vectors() ? far_distance(history->distance, run->tokens, AT_ONCE_WIDE) : 0;
    if (!far) {
        along = dt_lz_along;
        least = AT_ONCE;
        far = far_distance(history->distance, run->tokens, AT_ONCE);
    }
    uint32_t to = history->position % LZ_RING_TOKENS, from = (to - far) % LZ_RING_TOKENS;
    uint32_t straight = LZ_RING_TOKENS - (to > from ? to : from);
    *part = far ? (count < straight ? count : straight) / least * least : 0;
    if (*part == 0)
        return 0;
    size_t done = along(history->ring + to, history->ring + from, tokens, *part, marks);
    history->position += done;
    return done;
}

size_t lz_go_along(LzHistory *history, LzRun *run, const uint16_t *tokens, size_t count)
{
    size_t done = 0;
    while (done < count) {
        size_t part, went = go_quickly(history, run, tokens + done, count - done, &part, &run->marks);
        run->tokens += went;
        done += went;
        if (went < part || done == count)
            break;
        part = count - done < AT_ONCE ? count - done : AT_ONCE;
        went = go_slowly(history, tokens + done, part, &run->marks);
        run->tokens += went;
        done += went;
        if (went < part)
            break;
    }
    return done;
}

uint64_t lz_count_gap(LzHistory *history, const LzRun *run)
{
    uint64_t gap = 0;
    if (run->marks == 0)
        return run->tokens;
    while (!(*lz_at(history, history->position - 1 - gap) & LZ_MARK))
        gap++;
    return gap;
}
