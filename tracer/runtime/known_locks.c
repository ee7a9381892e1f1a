/* Locks are taken by the million, the same ones from the same places. */
#include "calls.h"

static uint32_t place_of(uint64_t site, uint64_t address)
{
    return (uint32_t)(((address ^ site << 1) * 0x9e3779b97f4a7c15u) >> 58);
}

static bool is_same(const struct dt_known_lock *call, uint64_t function, uint64_t site, uint64_t address)
{
    return call->address == address && call->site == site && call->function == function;
}

uint32_t dt_known_lock_id(const struct dt_known_locks *known, uint64_t function, uint64_t site, uint64_t address)
{
    const struct dt_known_lock *call = &known->calls[place_of(site, address)];
    if (!is_same(call, function, site, address))
        call = &known->calls[place_of(site, address) ^ 1];
    return is_same(call, function, site, address) &&
                   call->epoch == __atomic_load_n(&dt_signature_epoch, __ATOMIC_ACQUIRE)
               ? call->id
               : 0;
}

void dt_known_lock_add(struct dt_known_locks *known, uint64_t function, uint64_t site, uint64_t address, uint32_t epoch,
                       uint32_t id)
{
    const struct dt_known_lock call = {address, site, function, epoch, id};
    uint32_t place = place_of(site, address);
    /* What was there goes to the next place, unless it is the same call of another epoch. */
    if (!is_same(&known->calls[place], function, site, address))
        known->calls[place ^ 1] = known->calls[place];
    known->calls[place] = call;
}
