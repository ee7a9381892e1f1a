/** Calls that are entered on one thread and return on another: those of fibers that migrate while calls are open. */
#ifndef DT_STACK_MIGRATED_CALLS_H
#define DT_STACK_MIGRATED_CALLS_H

#include "record/thread.h"

/** Threads whose calls may return on others, if their end will be seen: until then their thread-local
 * memory is there. */
void dt_migrated_join(struct dt_thread_state *thread);
void dt_migrated_leave(struct dt_thread_state *thread);
/** In the child of a fork. */
void dt_migrated_reset(struct dt_thread_state *thread);
/** Around what is done to a frame on a stack that is not the thread's own. */
uint64_t dt_migrated_lock(void);
/** False: it cannot be had soon. */
bool dt_migrated_try_lock(uint64_t *mask);
void dt_migrated_unlock(uint64_t mask);
/** The first of them, under the lock. */
struct dt_thread_state *dt_migrated_threads(void);
/** Under the lock: the frame's call may be returning on another thread. */
void dt_migrated_forget(const struct dt_frame *frame);
/** A call that was entered on another thread returns: where to? False: it is not known. */
bool dt_migrated_take(uint64_t slot, uint64_t content, uint64_t *return_address);

#endif
