/** A leaf is recorded as returned when it is entered (leaf.h): here the return is taken back, if something came
 * between. */
#ifndef DT_RUNTIME_OPEN_LEAF_H
#define DT_RUNTIME_OPEN_LEAF_H

#include "runtime.h"

/**
 * If the calling thread is in a leaf at `address`, with the stack pointer `sp`, the leaf has not returned: what is
 * called now is called below it, and it may be the last call of all. Its frame becomes stale when it returns after all.
 * Not seen is a leaf whose words have gone into a batch meanwhile.
 */
void dt_leaf_open_again(struct dt_thread_state *thread, uint64_t address, uint64_t sp);

#endif
