/**
 * What is kept of open calls when the process ends in a way that we see: where each of them returns to. It goes into
 * the threads' records, so that nothing has to be allocated where the program may have destroyed everything.
 */
#ifndef DT_STACK_OPEN_FRAMES_H
#define DT_STACK_OPEN_FRAMES_H

#include <ucontext.h>

#include "record/thread.h"

/** Of all threads, those that run at present included. Of the calling one, if a signal hit it, also where: `context`;
 * else NULL. */
void dt_open_frames_keep(enum dt_open_cause cause, uint64_t fault_address, const ucontext_t *context);

#endif
