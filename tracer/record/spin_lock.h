/**
 * Locks that are held for some instructions. Signals are blocked meanwhile; where a filter of system calls forbids
 * that, a handler records nothing while its thread has a lock, so that it cannot come to wait for it.
 */
#ifndef DT_RECORD_SPIN_LOCK_H
#define DT_RECORD_SPIN_LOCK_H

#include "record/thread.h"

/** Gives what dt_lock_drop() takes. */
static inline uint64_t dt_lock_take(uint32_t *lock)
{
    uint64_t mask = dt_sys_block_signals();
    if (mask == DT_NOT_BLOCKED)
        dt_guard_raise();
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
        dt_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
    return mask;
}

static inline void dt_lock_drop(uint32_t *lock, uint64_t mask)
{
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
    if (mask == DT_NOT_BLOCKED)
        dt_guard_lower();
    dt_sys_restore_signals(mask);
}

/* ---- in calls with arguments ------------------------------------------------------------------- */

/** Never held while anything of the program's runs but MPI's own functions; false after a long wait. */
bool dt_spin_wait(uint32_t *lock);
static inline bool dt_spin_lock(uint32_t *lock)
{
    return !__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) || dt_spin_wait(lock);
}
static inline void dt_spin_unlock(uint32_t *lock)
{
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

#endif
