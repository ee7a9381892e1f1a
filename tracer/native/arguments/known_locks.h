/** What is known of calls that a thread has made before: the head of it, and those that lock. */
#ifndef DT_ARGUMENTS_KNOWN_LOCKS_H
#define DT_ARGUMENTS_KNOWN_LOCKS_H

#include "native/arguments/calls.h"

/** The head of what is known of a call that the thread has made before. Calls that api_stubs.S enters by itself are
 * quick. */
struct dt_quick_call {
    uint64_t site;
    uint32_t function, caller; /* on top of the shadow stack when it was made */
    uint32_t epoch, id;
    uint32_t requests_epoch;
    uint32_t named_bytes; /* of the requests that it names and tests */
    const int *flag; /* NULL: it is not looked at when it returns; else 0 there says then that nothing has happened */
    uint32_t parameter_count; /* that follow and have to be the same; or DT_NOT_QUICK */
};
enum { DT_NOT_QUICK = UINT8_MAX };

/** Calls that lock and unlock, as this thread made them lately: their ids without asking for numbers and signatures. */
struct dt_known_locks {
    struct dt_known_lock {
        struct dt_quick_call quick;
        uint64_t address;
    } calls[64];
};
static inline uint32_t dt_known_lock_place(uint64_t site, uint64_t address)
{
    return (uint32_t)(((address ^ site << 1) * 0x9e3779b97f4a7c15u) >> 58);
}
static inline bool dt_known_lock_is(const struct dt_known_lock *call, uint64_t function, uint64_t site,
                                    uint64_t address)
{
    return call->address == address && call->quick.site == site && call->quick.function == function;
}
/** NULL: not known. */
static inline struct dt_known_lock *dt_known_lock_find(struct dt_known_locks *known, uint64_t function, uint64_t site,
                                                       uint64_t address)
{
    uint32_t place = dt_known_lock_place(site, address);
    struct dt_known_lock *call = &known->calls[place];
    if (!dt_known_lock_is(call, function, site, address))
        call = &known->calls[place ^ 1];
    return dt_known_lock_is(call, function, site, address) &&
                   call->quick.epoch == __atomic_load_n(&dt_signature_epoch, __ATOMIC_ACQUIRE)
               ? call
               : NULL;
}
/** `epoch`: from before the id was asked for. */
void dt_known_lock_add(struct dt_known_locks *known, uint64_t function, uint64_t site, uint64_t address, uint32_t epoch,
                       uint32_t id);

#endif
