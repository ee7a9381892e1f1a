/** Call signatures: an event id for each combination of a function and its arguments. */
#ifndef DT_RECORD_SIGNATURES_H
#define DT_RECORD_SIGNATURES_H

#include "format/arguments.h"
#include "format/trace_file.h"

struct dt_signature {
    uint32_t count;
    int64_t arguments[DT_FUNCTION_ARGUMENTS];
};

/** The event id of a call that returns to `site`; arguments that vary too much there are replaced in `signature`. */
uint32_t dt_signature_id(uint64_t function, uint64_t site, struct dt_signature *signature);
/** Changes when an id may no longer be that of the same call; never 0. */
extern uint32_t dt_signature_epoch;
void dt_signatures_changed(void);
/** In the child of a fork: its file has no ids yet. */
void dt_signatures_reset(void);

#endif
