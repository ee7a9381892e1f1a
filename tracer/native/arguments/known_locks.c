/* Locks are taken by the million, the same ones from the same places. */
#include "native/arguments/known_locks.h"

void dt_known_lock_add(struct dt_known_locks *known, uint64_t function, uint64_t site, uint64_t address, uint32_t epoch,
                       uint32_t id)
{
    const struct dt_known_lock call = {.quick = {.site = site,
                                                 .function = (uint32_t)function,
                                                 .epoch = epoch,
                                                 .id = id,
                                                 .parameter_count = DT_NOT_QUICK},
                                       .address = address};
    uint32_t place = dt_known_lock_place(site, address);
    /* What was there goes to the next place, unless it is the same call of another epoch. */
    if (!dt_known_lock_is(&known->calls[place], function, site, address))
        known->calls[place ^ 1] = known->calls[place];
    known->calls[place] = call;
}
