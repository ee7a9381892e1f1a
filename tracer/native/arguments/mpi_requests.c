/* Requests: numbered by thread, as they are made, and told by their places among the thread's live ones.
 *
 * MPIs have one handle for all requests that are complete when they are made (short sends). So a request is known by
 * its handle and by where the program keeps it. If the program has moved it, which bindings of Fortran always do, it is
 * the latest one with that handle that the call does not name already. */
#include "native/arguments/live_requests.h"
#include "record/spin_lock.h"
#include "system/reserved_memory.h"

enum { DT_PERSISTENT = 1, DT_WILDCARD = 2, DT_FLAGS = 3, DT_NUMBER_BITS = 32 };
/* In the list of live requests beside a number: another thread has completed or freed it, which the owner's trace does
 * not tell yet; the owner has, and it is about to be taken off. */
#define DT_GONE ((uint32_t)1 << 31)
#define DT_DONE ((uint32_t)1 << 30)

static struct dt_handles requests; /* by handle and place, and by handle */
static struct dt_handles owners;   /* by thread index + 1: addresses of their live requests */
static uint32_t lock;
static uint32_t thread_count; /* no index of a thread with requests is as large */

uint32_t dt_requests_epoch;

/* Under the lock. */
static void change_epoch(void)
{
    __atomic_store_n(&dt_requests_epoch, dt_requests_epoch + 1, __ATOMIC_RELEASE);
}

static uint64_t placed(uint64_t handle, uint64_t place)
{
    return (handle ^ place * 0x9e3779b97f4a7c15u) | (uint64_t)1 << 63;
}

/* ---- the thread's live ones ------------------------------------------------------------------ */

static size_t bytes_of_lists(uint32_t capacity)
{
    return capacity * (sizeof(struct dt_birth) + sizeof(uint32_t));
}

static bool reserve_live(struct dt_live_requests *live)
{
    if (live->count < live->capacity)
        return true;
    uint32_t capacity = 2 * live->capacity + 512;
    struct dt_birth *births = dt_kept_allocate(bytes_of_lists(capacity));
    uint32_t *numbers = (uint32_t *)(births + capacity);
    if (!births)
        return false;
    if (live->births) {
        memcpy(births, live->births, live->count * sizeof *births);
        memcpy(numbers, live->numbers, live->count * sizeof *numbers);
        dt_kept_free(live->births, bytes_of_lists(live->capacity));
    }
    live->births = births;
    live->numbers = numbers;
    live->capacity = capacity;
    return true;
}

int64_t dt_live_position(const struct dt_live_requests *live, uint32_t number)
{
    uint32_t low = 0, high = live->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((live->numbers[middle] & DT_LIVE_NUMBER) < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < live->count && (live->numbers[low] & DT_LIVE_NUMBER) == number ? (int64_t)low : -1;
}

static void mark(struct dt_live_requests *live, int64_t position, uint32_t how)
{
    if (position >= 0 && !(live->numbers[position] & DT_GONE)) {
        live->numbers[position] |= how;
        live->gone += how == DT_GONE;
    }
}

static void take_off_done(struct dt_live_requests *live)
{
    uint32_t kept = 0;
    while (kept < live->count && !(live->numbers[kept] & DT_DONE))
        kept++;
    for (uint32_t i = kept; i < live->count; i++)
        if (!(live->numbers[i] & DT_DONE)) {
            live->births[kept] = live->births[i];
            live->numbers[kept++] = live->numbers[i];
        }
    live->count = kept;
}

uint32_t dt_live_take_gone(struct dt_live_requests *live, int64_t *positions, uint32_t most)
{
    uint32_t count = 0;
    if (!dt_spin_lock(&lock))
        return 0;
    for (uint32_t i = 0; i < live->count && count < most; i++)
        if (live->numbers[i] & DT_GONE) {
            positions[count++] = i;
            live->numbers[i] |= DT_DONE;
        }
    live->gone -= count;
    take_off_done(live);
    dt_spin_unlock(&lock);
    return count;
}

void dt_live_release(struct dt_live_requests *live)
{
    if (live->owner && dt_spin_lock(&lock)) {
        dt_handles_remove(&owners, live->owner);
        dt_spin_unlock(&lock);
    }
    if (live->births)
        dt_kept_free(live->births, bytes_of_lists(live->capacity));
    *live = (struct dt_live_requests){0};
}

/* ---- made ------------------------------------------------------------------------------------ */

/* Under the lock; false: there is no room for another one. */
static bool append_live(struct dt_live_requests *live, uint32_t thread, struct dt_birth birth)
{
    if (!live->owner && thread < UINT16_MAX && dt_handles_put(&owners, (uint64_t)thread + 1, (uint64_t)live)) {
        live->owner = thread + 1;
        thread_count = thread_count > thread ? thread_count : thread + 1;
    }
    if (!live->owner || live->last == DT_LIVE_NUMBER || !reserve_live(live))
        return false;
    live->births[live->count] = birth;
    live->numbers[live->count++] = ++live->last;
    return true;
}

struct dt_request dt_request_made(struct dt_live_requests *live, uint32_t thread, uint64_t handle, uint64_t place,
                                  uint32_t kind)
{
    struct dt_request request = {0};
    if (!dt_spin_lock(&lock))
        return request;
    if (append_live(live, thread, (struct dt_birth){handle, place})) {
        request =
            (struct dt_request){live->last, (uint16_t)thread, kind & DT_REQUEST_PERSISTENT, kind & DT_REQUEST_WILDCARD};
        uint64_t value = (uint64_t)thread << (DT_NUMBER_BITS + 2) | (uint64_t)request.number << 2 |
                         (request.persistent ? DT_PERSISTENT : 0u) | (request.wildcard ? DT_WILDCARD : 0u);
        dt_handles_put(&requests, placed(handle, place), value);
        dt_handles_put(&requests, handle, value);
    }
    change_epoch();
    dt_spin_unlock(&lock);
    return request;
}

/* ---- named ----------------------------------------------------------------------------------- */

static struct dt_request request_of_value(uint64_t value)
{
    return (struct dt_request){(uint32_t)(value >> 2), (uint16_t)(value >> (DT_NUMBER_BITS + 2)), value & DT_PERSISTENT,
                               value & DT_WILDCARD};
}

static struct dt_request find_request(uint64_t key)
{
    uint64_t value = 0;
    return dt_handles_get(&requests, key, &value) ? request_of_value(value) : (struct dt_request){0};
}

static struct dt_live_requests *list_of_thread(uint32_t thread)
{
    uint64_t list = 0;
    return dt_handles_get(&owners, (uint64_t)thread + 1, &list) ? (struct dt_live_requests *)list : NULL;
}

static uint32_t *entry_of(struct dt_request request)
{
    struct dt_live_requests *list = request.number ? list_of_thread(request.thread) : NULL;
    int64_t position = list ? dt_live_position(list, request.number) : -1;
    return position < 0 ? NULL : &list->numbers[position];
}

/* A request that the call names already has its mark. */
static void mark_named(const struct dt_named_request *named, uint32_t count, bool marked)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *entry = entry_of(named[i].request);
        if (entry)
            *entry = marked ? *entry | DT_DONE : *entry & ~DT_DONE;
    }
}

/* The latest with that handle in a thread's list that has no mark. */
static struct dt_request latest_unmarked(const struct dt_live_requests *list, uint64_t handle)
{
    for (uint32_t i = list->count; i-- > 0;) {
        uint32_t number = list->numbers[i];
        if (list->births[i].handle != handle || number & (DT_DONE | DT_GONE))
            continue;
        struct dt_request request = find_request(placed(handle, list->births[i].place));
        bool is_same = request.number == (number & DT_LIVE_NUMBER) && request.thread + 1u == list->owner;
        return is_same ? request
                       : (struct dt_request){number & DT_LIVE_NUMBER, (uint16_t)(list->owner - 1), false, false};
    }
    return (struct dt_request){0};
}

static struct dt_request find_moved(const struct dt_live_requests *own, uint64_t handle)
{
    struct dt_request request = find_request(handle);
    const uint32_t *entry = entry_of(request);
    if (request.number && !(entry && *entry & DT_DONE))
        return request;
    request = latest_unmarked(own, handle);
    for (uint32_t thread = 0; !request.number && thread < thread_count; thread++) {
        const struct dt_live_requests *list = list_of_thread(thread);
        if (list && list != own)
            request = latest_unmarked(list, handle);
    }
    return request;
}

static bool is_moved(const struct dt_named_request *named)
{
    return !named->request.number && named->handle && named->handle != dt_mpi.no_request;
}

void dt_requests_get(const struct dt_live_requests *own, struct dt_named_request *named, uint32_t count)
{
    bool moved = false, locked = dt_spin_lock(&lock);
    for (uint32_t i = 0; i < count; i++) {
        named[i].request = locked ? find_request(placed(named[i].handle, named[i].place)) : (struct dt_request){0};
        moved |= is_moved(&named[i]);
    }
    if (locked && moved) {
        mark_named(named, count, true);
        for (uint32_t i = 0; i < count; i++)
            if (is_moved(&named[i])) {
                named[i].request = find_moved(own, named[i].handle);
                mark_named(&named[i], 1, true);
            }
        mark_named(named, count, false);
    }
    if (locked)
        dt_spin_unlock(&lock);
}

/* ---- gone ------------------------------------------------------------------------------------ */

/* Unless the handle is another request's by now. */
static void forget(uint64_t key, struct dt_request request)
{
    uint64_t first = (uint64_t)request.thread << (DT_NUMBER_BITS + 2) | (uint64_t)request.number << 2;
    dt_handles_remove_if(&requests, key, first, first | DT_FLAGS);
}

static void remove_request(struct dt_live_requests *live, const struct dt_named_request *named)
{
    bool own = dt_request_is_own(live, named->request);
    struct dt_live_requests *list = own ? live : list_of_thread(named->request.thread);
    int64_t position = list ? dt_live_position(list, named->request.number) : -1;
    forget(placed(named->handle, position < 0 ? named->place : list->births[position].place), named->request);
    forget(named->handle, named->request);
    if (list)
        mark(list, position, own ? DT_DONE : DT_GONE);
}

static void remove_requests(struct dt_live_requests *live, const struct dt_named_request *named, uint32_t count,
                            bool persistent_too)
{
    bool changed = false;
    if (!dt_spin_lock(&lock))
        return;
    for (const struct dt_named_request *end = named + count; named < end; named++) {
        if (!named->request.number || (named->request.persistent && !persistent_too))
            continue;
        remove_request(live, named);
        changed = true;
    }
    if (changed) {
        take_off_done(live);
        change_epoch();
    }
    dt_spin_unlock(&lock);
}

void dt_requests_completed(struct dt_live_requests *live, const struct dt_named_request *named, uint32_t count)
{
    remove_requests(live, named, count, false);
}

void dt_requests_freed(struct dt_live_requests *live, const struct dt_named_request *named, uint32_t count)
{
    remove_requests(live, named, count, true);
}
