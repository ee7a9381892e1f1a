/* Call signatures: function, arguments and call site -> event id.
 *
 * What is bounded is the arguments alone, so that they are the same wherever the calls come from. Ids are bounded: at
 * each call site an argument may take so many values in signatures that are new there, then it varies. Looking up an id
 * that is known takes no lock. */
#include "record/signatures.h"

#include "record/functions.h"
#include "record/loaded_images.h"
#include "record/process.h"
#include "record/spin_lock.h"
#include "system/reserved_memory.h"

/* Times dt_process.options.arguments_scale, but the last three. */
enum {
    DT_MOST_SIGNATURES = 1 << 15, /* by arguments */
    DT_MOST_PLACED = 1 << 15,     /* by arguments and site */
    DT_SLOTS = 2 * (DT_MOST_SIGNATURES + DT_MOST_PLACED),
    DT_SITES = 1 << 12,
    DT_MOST_YIELDS = 10000,
    DT_VALUES = 32,              /* of one argument at one site */
    DT_SITE_SIGNATURES = 1 << 10 /* of all arguments together */
};

/* Of a signature from one site, or, with the site 0, from all: that has an id only if there are too many sites. */
struct place {
    uint64_t function, site;
    uint32_t id;
    uint32_t first; /* of one from all sites: the id of that from the first one; 0: none yet */
    struct dt_signature signature;
};
#define DT_NO_ID_YET UINT32_MAX

struct site {
    uint64_t key;
    uint32_t varying; /* a bit an argument */
    uint32_t signatures;
    uint32_t counts[DT_FUNCTION_ARGUMENTS];
    int64_t values[DT_FUNCTION_ARGUMENTS][DT_VALUES];
};

/* In the order in which they came: those that a program has fill few pages. */
static struct place *places;
/* By hashes: half of the hash, and the number of the place, from 1; 0: free. Written when the place has been. */
static uint64_t *slots;
static struct site *sites;
static uint32_t place_count, signature_count, placed_count, lock;

static uint32_t scaled(uint32_t number)
{
    return number * dt_process.options.arguments_scale;
}

static size_t places_bytes(void)
{
    return (size_t)scaled(DT_MOST_SIGNATURES + DT_MOST_PLACED) * sizeof *places;
}

uint32_t dt_signature_epoch = 1;

bool dt_spin_wait(uint32_t *held)
{
    for (int i = 0; i < DT_MOST_YIELDS; i++) {
        dt_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
        if (!__atomic_exchange_n(held, 1, __ATOMIC_ACQUIRE))
            return true;
    }
    return false;
}

void dt_signatures_changed(void)
{
    if (!__atomic_add_fetch(&dt_signature_epoch, 1, __ATOMIC_RELEASE))
        __atomic_add_fetch(&dt_signature_epoch, 1, __ATOMIC_RELEASE);
}

void dt_signatures_reset(void)
{
    lock = 0;
    place_count = signature_count = placed_count = 0;
    dt_signatures_changed();
    if (slots)
        dt_sys_clear(slots, scaled(DT_SLOTS) * sizeof *slots);
    if (places)
        dt_sys_clear(places, places_bytes());
}

static bool is_there(void)
{
    if (places && slots && sites)
        return true;
    if (!dt_spin_lock(&lock))
        return false;
    if (!sites)
        sites = dt_kept_allocate(scaled(DT_SITES) * sizeof *sites);
    if (!slots)
        slots = dt_kept_allocate(scaled(DT_SLOTS) * sizeof *slots);
    if (!places)
        places = dt_kept_allocate(places_bytes());
    dt_spin_unlock(&lock);
    return places && slots && sites;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static bool is_equal(const struct place *place, uint64_t function, uint64_t site, const struct dt_signature *signature)
{
    if (place->function != function || place->site != site || place->signature.count != signature->count)
        return false;
    for (uint32_t i = 0; i < signature->count; i++)
        if (place->signature.arguments[i] != signature->arguments[i])
            return false;
    return true;
}

static uint64_t hash_of(uint64_t function, uint64_t site, const struct dt_signature *signature)
{
    uint64_t hash = mix(mix(1, function), site);
    for (uint32_t i = 0; i < signature->count; i++)
        hash = mix(hash, (uint64_t)signature->arguments[i]);
    return hash;
}

/* NULL: it is new. */
static struct place *find_signature(uint64_t function, uint64_t site, const struct dt_signature *signature)
{
    uint64_t hash = hash_of(function, site, signature), slot;
    uint32_t last = scaled(DT_SLOTS) - 1;
    for (uint64_t at = hash >> 32; (slot = __atomic_load_n(&slots[at & last], __ATOMIC_ACQUIRE)); at++) {
        struct place *place = &places[(uint32_t)slot - 1];
        if (slot >> 32 == (uint32_t)hash && is_equal(place, function, site, signature))
            return place;
    }
    return NULL;
}

/* ---- sites ----------------------------------------------------------------------------------- */

/* Sites past those that there is room for share places. */
static struct site *find_site(uint64_t key)
{
    uint64_t start = mix(1, key) >> 32;
    uint32_t last = scaled(DT_SITES) - 1;
    for (uint64_t at = start; at < start + 16; at++) {
        struct site *site = &sites[at & last];
        uint64_t there = 0;
        if (__atomic_load_n(&site->key, __ATOMIC_RELAXED) == key)
            return site;
        if (__atomic_compare_exchange_n(&site->key, &there, key, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
            there == key)
            return site;
    }
    return &sites[start & last];
}

static void replace_varying(struct dt_signature *signature, uint32_t varying)
{
    for (uint32_t i = 0; i < signature->count; i++)
        if (varying & 1u << i)
            signature->arguments[i] = dt_argument_special(dt_argument_kind(signature->arguments[i]), DT_SPECIAL_VARIES);
}

static bool is_limited(enum dt_argument_kind kind)
{
    bool is_told = kind == DT_ARGUMENT_TO || kind == DT_ARGUMENT_FROM || kind == DT_ARGUMENT_TARGET ||
                   kind == DT_ARGUMENT_ROOT || kind == DT_ARGUMENT_OPERATION || kind == DT_ARGUMENT_LOCK ||
                   kind == DT_ARGUMENT_CONDITION || kind == DT_ARGUMENT_BARRIER;
    return !is_told;
}

static void count_value(struct site *site, uint32_t argument, int64_t value)
{
    uint32_t count = site->counts[argument];
    for (uint32_t i = 0; i < count; i++)
        if (site->values[argument][i] == value)
            return;
    if (count < DT_VALUES) {
        site->values[argument][count] = value;
        site->counts[argument]++;
    } else if (is_limited(dt_argument_kind(value))) {
        site->varying |= 1u << argument;
        dt_signatures_changed();
    }
}

/* All combinations together are too many: gives up the argument with the most values. */
static void give_up_one(struct site *site, uint32_t arguments)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i < arguments; i++)
        if (!(site->varying & 1u << i) && (site->varying & 1u << most || site->counts[i] > site->counts[most]))
            most = i;
    site->varying |= 1u << most;
    site->signatures = 0;
    dt_signatures_changed();
}

static void count_signature(struct site *site, const struct dt_signature *signature)
{
    for (uint32_t i = 0; i < signature->count; i++)
        if (!(site->varying & 1u << i))
            count_value(site, i, signature->arguments[i]);
    if (++site->signatures >= DT_SITE_SIGNATURES && signature->count)
        give_up_one(site, signature->count);
}

/* ---- ids ------------------------------------------------------------------------------------- */

/* Of a new signature, under the lock. */
static struct place *add_place(uint64_t function, uint64_t site, const struct dt_signature *signature, uint32_t id)
{
    struct place *place = &places[place_count++];
    *place = (struct place){.function = function, .site = site, .signature = *signature, .id = id};
    uint64_t hash = hash_of(function, site, signature), at = hash >> 32;
    uint32_t last = scaled(DT_SLOTS) - 1;
    while (slots[at & last])
        at++;
    __atomic_store_n(&slots[at & last], hash << 32 | place_count, __ATOMIC_RELEASE);
    return place;
}

/* The arguments, wherever they come from, counted at the site where they are new; NULL: they are one too many. */
static struct place *add_arguments(uint64_t function, struct site *site, struct dt_signature *signature)
{
    struct place *place = find_signature(function, 0, signature);
    if (place)
        return place;
    count_signature(site, signature);
    replace_varying(signature, site->varying);
    place = find_signature(function, 0, signature);
    if (place)
        return place;
    if (signature_count == scaled(DT_MOST_SIGNATURES)) {
        dt_lost(&dt_process.header->lost_signatures);
        return NULL;
    }
    signature_count++;
    return add_place(function, 0, signature, DT_NO_ID_YET);
}

static uint32_t id_without_site(struct place *place)
{
    if (place->id == DT_NO_ID_YET)
        __atomic_store_n(&place->id,
                         dt_function_new_id(place->function, place->signature.arguments, place->signature.count, 0),
                         __ATOMIC_RELEASE);
    return place->id;
}

static uint32_t known_id_without_site(uint64_t function, const struct dt_signature *signature)
{
    const struct place *place = find_signature(function, 0, signature);
    uint32_t id = place ? __atomic_load_n(&place->id, __ATOMIC_ACQUIRE) : 0;
    return id == DT_NO_ID_YET ? 0 : id;
}

static uint32_t add_signature(uint64_t function, uint64_t return_address, struct site *site,
                              struct dt_signature *signature)
{
    struct place *everywhere = add_arguments(function, site, signature);
    if (!everywhere)
        return 0;
    struct place *place = find_signature(function, return_address, signature);
    if (place)
        return place->id;
    if (placed_count == scaled(DT_MOST_PLACED)) {
        dt_lost(&dt_process.header->lost_sites);
        return id_without_site(everywhere);
    }
    placed_count++;
    place = add_place(function, return_address, signature,
                      dt_function_new_id(function, signature->arguments, signature->count, return_address));
    if (!everywhere->first)
        __atomic_store_n(&everywhere->first, place->id, __ATOMIC_RELEASE);
    return place->id;
}

/* A call from code that the tracer has moved: as it was from its own place, without a lock, since programs that step
 * through their instructions may be there. 0: not known. */
static uint32_t known_id_of_moved(uint64_t function, uint64_t return_address, const struct dt_signature *signature)
{
    if (dt_image_at(return_address) != UINT32_MAX)
        return 0;
    const struct place *place = find_signature(function, 0, signature);
    return place ? __atomic_load_n(&place->first, __ATOMIC_ACQUIRE) : 0;
}

uint32_t dt_signature_id(uint64_t function, uint64_t return_address, struct dt_signature *signature)
{
    if (!signature->count || !is_there())
        return dt_function_id(function);
    struct site *site = find_site(mix(return_address, function));
    replace_varying(signature, __atomic_load_n(&site->varying, __ATOMIC_RELAXED));
    const struct place *place = find_signature(function, return_address, signature);
    uint32_t id = place ? place->id : 0;
    if (!id && __atomic_load_n(&placed_count, __ATOMIC_RELAXED) == scaled(DT_MOST_PLACED))
        id = known_id_without_site(function, signature);
    if (!id)
        id = known_id_of_moved(function, return_address, signature);
    if (!id && dt_spin_lock(&lock)) {
        id = add_signature(function, return_address, site, signature);
        dt_spin_unlock(&lock);
    }
    return id ? id : dt_function_id(function);
}
