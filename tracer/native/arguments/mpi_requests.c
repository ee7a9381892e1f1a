/* Requests: numbered by thread, as they are made, and told by their places among the thread's live ones.
 *
 * MPIs have one handle for all requests that are complete when they are made (short sends). So a request is known by
 * its handle and by where the program keeps it; by the handle alone if the program has moved it. */
#include "native/arguments/live_requests.h"
#include "record/spin_lock.h"

enum { DT_PERSISTENT = 1, DT_WILDCARD = 2, DT_FLAGS = 3, DT_NUMBER_BITS = 32 };
/* In the list of live requests beside a number: another thread has completed or freed it, which the owner's trace does
 * not tell yet; the owner has, and it is about to be taken off. */
#define DT_GONE ((uint32_t)1 << 31)
#define DT_DONE ((uint32_t)1 << 30)

static struct dt_handles requests; /* by handle and place, and by handle */
static struct dt_handles owners;   /* by thread index + 1: addresses of their live requests */
static uint32_t lock;

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

static bool reserve_live(struct dt_live_requests *live)
{
    if (live->count < live->capacity)
        return true;
    uint32_t capacity = 2 * live->capacity + 512;
    uint32_t *larger = dt_sys_allocate(capacity * sizeof *larger);
    if (!larger)
        return false;
    if (live->numbers) {
        memcpy(larger, live->numbers, live->count * sizeof *larger);
        dt_sys_munmap(live->numbers, live->capacity * sizeof *live->numbers);
    }
    live->numbers = larger;
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

static void mark(struct dt_live_requests *live, uint32_t number, uint32_t how)
{
    int64_t position = dt_live_position(live, number);
    if (position >= 0 && !(live->numbers[position] & DT_GONE)) {
        live->numbers[position] |= how;
        live->gone += how == DT_GONE;
    }
}

static void take_off_done(struct dt_live_requests *live)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < live->count; i++)
        if (!(live->numbers[i] & DT_DONE))
            live->numbers[kept++] = live->numbers[i];
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
    if (live->numbers)
        dt_sys_munmap(live->numbers, live->capacity * sizeof *live->numbers);
    *live = (struct dt_live_requests){0};
}

/* ---- made ------------------------------------------------------------------------------------ */

/* Under the lock; false: there is no room for another one. */
static bool append_live(struct dt_live_requests *live, uint32_t thread)
{
    if (!live->owner && thread < UINT16_MAX && dt_handles_put(&owners, (uint64_t)thread + 1, (uint64_t)live))
        live->owner = thread + 1;
    if (!live->owner || live->last == DT_LIVE_NUMBER || !reserve_live(live))
        return false;
    live->numbers[live->count++] = ++live->last;
    return true;
}

struct dt_request dt_request_made(struct dt_live_requests *live, uint32_t thread, uint64_t handle, uint64_t place,
                                  uint32_t kind)
{
    struct dt_request request = {0};
    if (!dt_spin_lock(&lock))
        return request;
    if (append_live(live, thread)) {
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

/* Under the lock. */
static struct dt_request get_request(uint64_t handle, uint64_t place)
{
    uint64_t value = 0;
    if (handle == dt_mpi.no_request ||
        (!dt_handles_get(&requests, placed(handle, place), &value) && !dt_handles_get(&requests, handle, &value)))
        return (struct dt_request){0};
    return (struct dt_request){(uint32_t)(value >> 2), (uint16_t)(value >> (DT_NUMBER_BITS + 2)), value & DT_PERSISTENT,
                               value & DT_WILDCARD};
}

void dt_requests_get(struct dt_named_request *named, uint32_t count)
{
    bool locked = dt_spin_lock(&lock);
    for (uint32_t i = 0; i < count; i++)
        named[i].request = locked ? get_request(named[i].handle, named[i].place) : (struct dt_request){0};
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
    uint64_t other = 0;
    forget(placed(named->handle, named->place), named->request);
    forget(named->handle, named->request);
    if (dt_request_is_own(live, named->request))
        mark(live, named->request.number, DT_DONE);
    else if (dt_handles_get(&owners, (uint64_t)named->request.thread + 1, &other))
        mark((struct dt_live_requests *)other, named->request.number, DT_GONE);
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
