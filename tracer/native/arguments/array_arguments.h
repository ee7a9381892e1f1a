/** Arguments that are arrays: what a program passes by address, and how many elements of it there are. */
#ifndef DT_ARGUMENTS_ARRAY_ARGUMENTS_H
#define DT_ARGUMENTS_ARRAY_ARGUMENTS_H

#include "native/arguments/call_reading.h"

/** The array of that content, as an argument; unknown if there is no memory for it. */
int64_t dt_array_argument(enum dt_argument_kind kind, const int64_t *elements, uint32_t count);
/** The array that parameter `number` is; 0: the call has none there, or how long it is cannot be known. */
int64_t dt_call_array(const struct dt_reading *reading, uint32_t number);

#endif
