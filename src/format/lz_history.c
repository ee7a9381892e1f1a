/* Matches are gone along sixteen tokens at a time. */
#include "lz_history.h"

enum { AT_ONCE = 16 };

/* lz_along.S */
size_t dt_lz_along(uint16_t *to, const uint16_t *from, const uint16_t *tokens, size_t count, uint64_t *marks);

/* A distance at which the run repeats itself, too, and that is not within the tokens handled at once; 0: the run is not
 * long enough yet. */
static uint32_t far_distance(uint32_t distance, uint64_t run)
{
    static const uint8_t far_of_near[AT_ONCE] = {0, 16, 16, 18, 16, 20, 18, 21, 16, 18, 20, 22, 24, 26, 28, 30};
    uint32_t far = distance >= AT_ONCE ? distance : far_of_near[distance];
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

/* Up to where one of the places comes to the ring's end, or fewer than AT_ONCE are left; `*part` is how far that is. */
static size_t go_quickly(LzHistory *history, const LzRun *run, const uint16_t *tokens, size_t count, size_t *part,
                         uint64_t *marks)
{
    uint32_t far = far_distance(history->distance, run->tokens), to = history->position % LZ_RING_TOKENS;
    uint32_t from = (to - far) % LZ_RING_TOKENS, straight = LZ_RING_TOKENS - (to > from ? to : from);
    *part = far ? (count < straight ? count : straight) / AT_ONCE * AT_ONCE : 0;
    if (*part == 0)
        return 0;
    size_t done = dt_lz_along(history->ring + to, history->ring + from, tokens, *part, marks);
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
        if (went < part)
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
