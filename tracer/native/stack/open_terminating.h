/** A terminating function is recorded as returned when it is entered (terminating.h): here the return is taken back, if
 * something came between. */
#ifndef DT_STACK_OPEN_TERMINATING_H
#define DT_STACK_OPEN_TERMINATING_H

#include "record/thread.h"

/**
 * If the calling thread is in a terminating function at `address`, with the stack pointer `sp`, the function has not
 * returned: what is called now is called below it, and it may be the last call of all. Its frame becomes stale when it
 * returns after all. Not seen is one behind whose word a signal's handler has recorded others.
 */
void dt_terminating_open_again(struct dt_thread_state *thread, uint64_t address, uint64_t sp);

/** The function is a reporting one (terminating.h). False: there are too many, it cannot be one. Only while hooks are
 * set. */
bool dt_terminating_reports(uint32_t index);

/** Records the call whose frame is the topmost. If it reports, and a terminating function has made it, that one is
 * opened again first. */
void dt_record_pushed_call(uint64_t index);

#endif
