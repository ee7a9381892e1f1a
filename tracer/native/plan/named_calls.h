/** Direct calls of an image, through its PLT, to functions of certain names. */
#ifndef DT_PLAN_NAMED_CALLS_H
#define DT_PLAN_NAMED_CALLS_H

#include "images/loaded_image.h"

enum { DT_MOST_NAMED_CALLS = 32 };

struct dt_named_calls {
    uint64_t low, high;                   /* where the image's code lies */
    uint64_t places[DT_MOST_NAMED_CALLS]; /* of their entries in the offset table */
    uint32_t count;
};

void dt_named_calls_find(struct dt_named_calls *calls, const struct dt_loaded_image *loaded,
                         bool (*wanted)(const char *name));

/** True if the instruction, a direct call, calls one of them. `calls`: const struct dt_named_calls *. */
bool dt_is_named_call(const void *calls, const uint8_t *call);

#endif
