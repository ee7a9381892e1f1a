/** A leaf is recorded as returned when it is entered (leaf.h): here the return is taken back, if something came
 * between. */
#ifndef DT_STACK_OPEN_LEAF_H
#define DT_STACK_OPEN_LEAF_H

#include "record/runtime.h"

/**
 * If the calling thread is in a leaf at `address`, with the stack pointer `sp`, the leaf has not returned: what is
 * called now is called below it, and it may be the last call of all. Its frame becomes stale when it returns after all.
 * Not seen is a leaf behind whose word a signal's handler has recorded others.
 */
void dt_leaf_open_again(struct dt_thread_state *thread, uint64_t address, uint64_t sp);

/** The function is a reporting leaf (leaf.h). False: there are too many, it cannot be one. Only while hooks are set. */
bool dt_leaf_reports(uint32_t index);

/** Records the call whose frame is the topmost. If it reports, and a leaf has made it, that is opened again first. */
void dt_record_pushed_call(uint64_t index);

#endif
