#include "base/numbers.h"

#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

void dt_sort_numbers(double *values, guint count)
{
    if (count > 0)
        qsort(values, count, sizeof *values, compare_doubles);
}

double dt_median(double *values, guint count)
{
    if (count == 0)
        return 0;
    dt_sort_numbers(values, count);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

guint dt_count_less(const double *sorted, guint count, double value)
{
    guint low = 0;
    for (guint high = count; low < high;) {
        guint middle = low + (high - low) / 2;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

guint dt_count_near(const double *sorted, guint count, double value, double most)
{
    const guint place = dt_count_less(sorted, count, value);
    guint first = 0, end = place;
    for (guint high = place; first < high;) { /* the first that is near */
        guint middle = first + (high - first) / 2;
        if (value - sorted[middle] <= most)
            high = middle;
        else
            first = middle + 1;
    }
    for (guint high = count; end < high;) { /* the first above that is not */
        guint middle = end + (high - end) / 2;
        if (sorted[middle] - value <= most)
            end = middle + 1;
        else
            high = middle;
    }
    return end - first;
}
