/* Locks: numbered in the order of first use. Without a lock of our own: an address keeps its place for good, and gets a
 * new number when what was there has been destroyed. */
#include "native/arguments/calls.h"
#include "record/signatures.h"
#include "system/reserved_memory.h"

/* Times dt_process.options.arguments_scale. */
enum { DT_LOCK_PLACES = 1 << 16, DT_MOST_LOCKS = DT_LOCK_PLACES / 4 * 3 };

struct place {
    uint64_t address;
    uint32_t number;
};

static struct place *places;
static uint32_t used_places, last_number;

static size_t place_count(void)
{
    return (size_t)DT_LOCK_PLACES * dt_process.options.arguments_scale;
}

static struct place *all_places(void)
{
    struct place *known = __atomic_load_n(&places, __ATOMIC_ACQUIRE);
    if (known)
        return known;
    struct place *new = dt_kept_allocate(place_count() * sizeof *new);
    if (!new || __atomic_compare_exchange_n(&places, &known, new, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return new;
    dt_kept_free(new, place_count() * sizeof *new);
    return known;
}

static struct place *find_lock_place(uint64_t address, bool add)
{
    struct place *table = all_places();
    uint64_t at = address * 0x9e3779b97f4a7c15u >> 32, last = place_count() - 1;
    for (; table; at++) {
        struct place *place = &table[at & last];
        uint64_t there = __atomic_load_n(&place->address, __ATOMIC_ACQUIRE);
        if (there == address)
            return place;
        if (there)
            continue;
        if (!add ||
            __atomic_load_n(&used_places, __ATOMIC_RELAXED) >= DT_MOST_LOCKS * dt_process.options.arguments_scale) {
            if (add)
                dt_lost(&dt_process.header->lost_locks);
            return NULL;
        }
        if (__atomic_compare_exchange_n(&place->address, &there, address, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            __atomic_fetch_add(&used_places, 1, __ATOMIC_RELAXED);
            return place;
        }
        if (there == address)
            return place;
    }
    return NULL;
}

uint32_t dt_lock_number(uint64_t address)
{
    struct place *place = address ? find_lock_place(address, true) : NULL;
    uint32_t number = place ? __atomic_load_n(&place->number, __ATOMIC_ACQUIRE) : 0;
    if (!place || number)
        return number;
    uint32_t new = __atomic_add_fetch(&last_number, 1, __ATOMIC_RELAXED);
    return __atomic_compare_exchange_n(&place->number, &number, new, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
               ? new
               : number;
}

void dt_lock_destroyed(uint64_t address)
{
    struct place *place = address ? find_lock_place(address, false) : NULL;
    if (!place || !__atomic_load_n(&place->number, __ATOMIC_RELAXED))
        return;
    __atomic_store_n(&place->number, 0, __ATOMIC_RELEASE);
    dt_signatures_changed();
}
