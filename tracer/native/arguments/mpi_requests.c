/* Requests: numbered as they are made.
 *
 * MPIs have one handle for all requests that are complete when they are made (short sends). So a request is known by
 * its handle and by where the program keeps it; by the handle alone if the program has moved it. */
#include "native/arguments/calls.h"
#include "record/spin_lock.h"

enum { DT_PERSISTENT = 1, DT_WILDCARD = 2 };

static struct dt_handles requests; /* by handle and place, and by handle */
static uint32_t lock, last_number;

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

struct dt_request dt_request_made(uint64_t handle, uint64_t place, bool persistent, bool wildcard)
{
    if (!dt_spin_lock(&lock))
        return (struct dt_request){0};
    const struct dt_request request = {++last_number, persistent, wildcard};
    uint64_t value = (uint64_t)request.number << 2 | (persistent ? DT_PERSISTENT : 0u) | (wildcard ? DT_WILDCARD : 0u);
    dt_handles_put(&requests, placed(handle, place), value);
    dt_handles_put(&requests, handle, value);
    change_epoch();
    dt_spin_unlock(&lock);
    return request;
}

/* Under the lock. */
static struct dt_request get_request(uint64_t handle, uint64_t place)
{
    uint64_t value = 0;
    if (handle == dt_mpi.no_request ||
        (!dt_handles_get(&requests, placed(handle, place), &value) && !dt_handles_get(&requests, handle, &value)))
        return (struct dt_request){0};
    return (struct dt_request){(uint32_t)(value >> 2), value & DT_PERSISTENT, value & DT_WILDCARD};
}

void dt_requests_get(struct dt_named_request *named, uint32_t count)
{
    bool locked = dt_spin_lock(&lock);
    for (uint32_t i = 0; i < count; i++)
        named[i].request = locked ? get_request(named[i].handle, named[i].place) : (struct dt_request){0};
    if (locked)
        dt_spin_unlock(&lock);
}

/* Unless the handle is another request's by now. */
static void forget(uint64_t key, uint32_t number)
{
    uint64_t first = (uint64_t)number << 2;
    dt_handles_remove_if(&requests, key, first, first | DT_PERSISTENT | DT_WILDCARD);
}

static void gone(const struct dt_named_request *named, uint32_t count, bool persistent_too)
{
    bool changed = false;
    if (!dt_spin_lock(&lock))
        return;
    for (const struct dt_named_request *end = named + count; named < end; named++) {
        if (!named->request.number || (named->request.persistent && !persistent_too))
            continue;
        forget(placed(named->handle, named->place), named->request.number);
        forget(named->handle, named->request.number);
        changed = true;
    }
    if (changed)
        change_epoch();
    dt_spin_unlock(&lock);
}

void dt_requests_completed(const struct dt_named_request *named, uint32_t count)
{
    gone(named, count, false);
}

void dt_requests_freed(const struct dt_named_request *named, uint32_t count)
{
    gone(named, count, true);
}
