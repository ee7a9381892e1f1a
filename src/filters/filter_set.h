/**
 * What applying a filter needs to know of its set.
 */
#ifndef DT_FILTERS_FILTER_SET_H
#define DT_FILTERS_FILTER_SET_H

#include "filters/filters.h"

gboolean dt_filter_set_drops_returns(const DtFilterSet *set);

/** The bit of function f, of 1..*last, whom its name keeps: bit f % 64 of word f / 64. Borrowed. */
const guint64 *dt_filter_set_bits(const DtFilterSet *set, guint32 *last);

#endif
