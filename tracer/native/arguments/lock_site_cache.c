/* Locks are taken by the million, the same ones from the same places. */
#include "native/arguments/lock_site_cache.h"

void dt_cached_lock_add(struct dt_cached_locks *cached, uint64_t function, uint64_t site, uint64_t address,
                        uint32_t epoch, uint32_t id)
{
    const struct dt_cached_lock call = {.head = {.site = site,
                                                 .function = (uint32_t)function,
                                                 .epoch = epoch,
                                                 .id = id,
                                                 .parameter_count = DT_NOT_SHOWN},
                                        .address = address};
    uint32_t place = dt_cached_lock_place(site, address);
    /* What was there goes to the next place, unless it is the same call of another epoch. */
    if (!dt_cached_lock_is(&cached->calls[place], function, site, address))
        cached->calls[place ^ 1] = cached->calls[place];
    cached->calls[place] = call;
}
