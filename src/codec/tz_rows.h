/*
 * Rows of whole calls that sure hits repeat: found and skipped without looking at every word. Nothing here is part of
 * the format: a decoder that goes word by word gives the same words.
 */
#ifndef DT_CODEC_TZ_ROWS_H
#define DT_CODEC_TZ_ROWS_H

#include "tz_model.h"

enum {
    TZ_ROW_TIMES = 4,       /* fewer are not worth the trouble */
    TZ_ROW_LOOK = 2048,     /* words from one look to the next, and that a row's repetitions must have */
    TZ_ROW_WINDOW = 1 << 15 /* words that are searched for a period */
};

/*
 * Where the last `period` words, coming again, are a row of whole calls: in how many words that is, 0 to `period` - 1,
 * or TZ_NOTHING if they never are. O(period).
 */
int tz_row_begins(const TzModel *model, uint32_t period);

/* The smallest period of the last `count` words, at most half of them; 0: none. `scratch` has room for them. O(count).
 */
uint32_t tz_find_period(const TzModel *model, uint32_t count, uint16_t *scratch);

/* Whether the last 2 `period` words have that period. */
bool tz_has_period(const TzModel *model, uint32_t period);

/*
 * The model steps over `times` rows, which the match foretells; at least two.
 */
void tz_skip_matched(TzModel *model, const uint16_t *row, uint32_t words, uint64_t times);

/*
 * The same as often, up to `most`, as slots foretell the row, whose last two rounds they did foretell; returns how
 * often. Looks at the children of the top frame only. `scratch` has room for a word each.
 */
uint64_t tz_skip_foretold(TzModel *model, const uint16_t *row, uint32_t words, uint64_t most, uint16_t *scratch);

#endif
