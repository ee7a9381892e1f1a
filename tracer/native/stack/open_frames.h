/**
 * What is kept of open calls when the process ends in a way that we see: where each of them returns to. It goes into
 * the threads' records, so that nothing has to be allocated where the program may have destroyed everything.
 */
#ifndef DT_STACK_OPEN_FRAMES_H
#define DT_STACK_OPEN_FRAMES_H

#include <ucontext.h>

#include "record/thread.h"

/** Where a signal hit the calling thread. */
struct dt_open_hit {
    const ucontext_t *context;
    uint64_t top; /* dt_hot.top then */
    uint64_t fault_address;
};
/** Of all threads, those that run at present included. `hit`: NULL if no signal hit the calling one. */
void dt_open_frames_keep(enum dt_open_cause cause, const struct dt_open_hit *hit);

/** Memory that may not be there; false: it is not. */
bool dt_memory_read(uint64_t from, void *to, size_t bytes);

#endif
