/** Many numbers: sorted, their median, how many are where. */
#ifndef DT_BASE_NUMBERS_H
#define DT_BASE_NUMBERS_H

#include <glib.h>

G_BEGIN_DECLS

/** Sorts `count` values, ascending. */
void dt_sort_numbers(double *values, guint count);
/** Median of `count` values, which get sorted. */
double dt_median(double *values, guint count);
/** How many of the sorted values are less than `value`. O(log count). */
guint dt_count_less(const double *sorted, guint count, double value);
/** How many of the sorted values are no further from `value` than `most`. O(log count). */
guint dt_count_near(const double *sorted, guint count, double value, double most);

G_END_DECLS

#endif
