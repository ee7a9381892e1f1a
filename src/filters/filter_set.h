/**
 * What applying a filter needs to know of its set.
 */
#ifndef DT_FILTERS_FILTER_SET_H
#define DT_FILTERS_FILTER_SET_H

#include "filters/filters.h"

gboolean dt_filter_set_drops_returns(const DtFilterSet *set);

#endif
