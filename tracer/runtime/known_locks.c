/* Locks are taken by the million, the same ones from the same places. */
#include "calls.h"

static uint32_t place_of(uint64_t site, uint64_t address)
{
    return (uint32_t)(((address ^ site << 1) * 0x9e3779b97f4a7c15u) >> 58);
}

uint32_t dt_known_lock_id(const struct dt_known_locks *known, uint64_t function, uint64_t site, uint64_t address)
{
    const struct dt_known_lock *call = &known->calls[place_of(site, address)];
    bool is_it = call->address == address && call->site == site && call->function == function &&
                 call->epoch == __atomic_load_n(&dt_signature_epoch, __ATOMIC_ACQUIRE);
    return is_it ? call->id : 0;
}

void dt_known_lock_add(struct dt_known_locks *known, uint64_t function, uint64_t site, uint64_t address, uint32_t epoch,
                       uint32_t id)
{
    const struct dt_known_lock call = {address, site, function, epoch, id};
    known->calls[place_of(site, address)] = call;
}
