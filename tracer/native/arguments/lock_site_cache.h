/** The call-site cache: what heads an entry, and the entries of calls that lock. */
#ifndef DT_ARGUMENTS_LOCK_SITE_CACHE_H
#define DT_ARGUMENTS_LOCK_SITE_CACHE_H

#include <stddef.h>

#include "record/signatures.h"

/** Of a call that the thread has made before. api_stubs.S enters by itself the calls that are shown to it. */
struct dt_cached_head {
    uint64_t site;
    uint32_t function, caller; /* on top of the shadow stack when it was made */
    uint32_t epoch, id;
    uint32_t requests_epoch;
    uint32_t named_bytes; /* of the requests that it names and tests */
    const int *flag; /* NULL: it is not looked at when it returns; else 0 there says then that nothing has happened */
    uint32_t parameter_count; /* that follow and have to be the same; or DT_NOT_SHOWN */
    uint8_t tests;            /* that found nothing, modulo 256; since times are recorded */
    bool untimed;             /* the function's calls have no times */
    bool is_test;             /* `flag` says whether it has found anything */
};
enum { DT_NOT_SHOWN = UINT8_MAX };

/** Calls that lock and unlock, as this thread made them lately: their ids without asking for numbers and signatures. */
struct dt_cached_locks {
    struct dt_cached_lock {
        struct dt_cached_head head;
        uint64_t address;
    } calls[64];
};
static inline uint32_t dt_cached_lock_place(uint64_t site, uint64_t address)
{
    return (uint32_t)(((address ^ site << 1) * 0x9e3779b97f4a7c15u) >> 58);
}
static inline bool dt_cached_lock_is(const struct dt_cached_lock *call, uint64_t function, uint64_t site,
                                     uint64_t address)
{
    return call->address == address && call->head.site == site && call->head.function == function;
}
/** NULL: not cached. */
static inline struct dt_cached_lock *dt_cached_lock_find(struct dt_cached_locks *cached, uint64_t function,
                                                         uint64_t site, uint64_t address)
{
    uint32_t place = dt_cached_lock_place(site, address);
    struct dt_cached_lock *call = &cached->calls[place];
    if (!dt_cached_lock_is(call, function, site, address))
        call = &cached->calls[place ^ 1];
    return dt_cached_lock_is(call, function, site, address) &&
                   call->head.epoch == __atomic_load_n(&dt_signature_epoch, __ATOMIC_ACQUIRE)
               ? call
               : NULL;
}
/** `epoch`: from before the id was asked for. */
void dt_cached_lock_add(struct dt_cached_locks *cached, uint64_t function, uint64_t site, uint64_t address,
                        uint32_t epoch, uint32_t id);

#endif
