/** Arrays that arguments are: numbered by content, and written down once. */
#ifndef DT_RECORD_ARRAYS_H
#define DT_RECORD_ARRAYS_H

#include <stdint.h>

/** The number of the array of this content; -1: there is no memory for another one. O(count). */
int64_t dt_array_number(const int64_t *elements, uint32_t count);
/** In the child of a fork: its file has no arrays yet. */
void dt_arrays_reset(void);

#endif
