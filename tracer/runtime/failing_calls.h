/** Direct calls of an image, through its PLT, that end the process: dt_api_fails(). */
#ifndef DT_RUNTIME_FAILING_CALLS_H
#define DT_RUNTIME_FAILING_CALLS_H

#include "image_list.h"

enum { DT_MOST_FAILING_CALLS = 16 };

struct dt_failing_calls {
    uint64_t low, high;                     /* where the image's code lies */
    uint64_t places[DT_MOST_FAILING_CALLS]; /* of their entries in the offset table */
    uint32_t count;
};

void dt_failing_calls_find(struct dt_failing_calls *calls, const struct dt_loaded_image *loaded);

/** True if the instruction, a direct call, calls one of them. `calls`: const struct dt_failing_calls *. */
bool dt_is_failing_call(const void *calls, const uint8_t *call);

#endif
