/* Calls that are looked at again when they return: what has to be remembered of them. */
#include "native/arguments/open_calls.h"

enum { DT_MOST_NAMED = 1 << 20 };

struct dt_calls *dt_calls_of(struct dt_thread_state *thread)
{
    if (!thread->calls)
        thread->calls = dt_sys_allocate(sizeof *thread->calls);
    return thread->calls;
}

void dt_calls_release(struct dt_thread_state *thread)
{
    if (!thread->calls)
        return;
    if (thread->calls->named)
        dt_sys_munmap(thread->calls->named, thread->calls->named_capacity * sizeof *thread->calls->named);
    dt_hot.calls = NULL;
    dt_compiler_barrier();
    dt_sys_munmap(thread->calls, sizeof *thread->calls);
    thread->calls = NULL;
}

void dt_open_calls_drop(struct dt_calls *calls, uint64_t slot)
{
    dt_open_calls_settle(calls);
    while (calls->depth && calls->open[calls->depth - 1].slot <= slot)
        calls->depth--;
    const struct dt_open_call *below = calls->depth ? &calls->open[calls->depth - 1] : NULL;
    calls->named_count = !below ? 0 : below->first_named + (below->cached ? 0 : below->named_count);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Capacity for `more` named requests. */
static bool reserve_named(struct dt_calls *calls, uint32_t more)
{
    if (calls->named_count + more <= calls->named_capacity)
        return true;
    uint32_t capacity = 2 * (calls->named_count + more) + 256;
    struct dt_named_request *larger = capacity <= DT_MOST_NAMED ? dt_sys_allocate(capacity * sizeof *larger) : NULL;
    if (!larger)
        return false;
    if (calls->named) {
        memcpy(larger, calls->named, calls->named_count * sizeof *larger);
        dt_sys_munmap(calls->named, calls->named_capacity * sizeof *larger);
    }
    calls->named = larger;
    calls->named_capacity = capacity;
    return true;
}

static void find_named(struct dt_calls *calls, struct dt_open_call *open)
{
    bool single = open->shape->call->parameters[0] != DT_PARAMETER_REQUEST_COUNT;
    int count = single ? 1 : (int)open->values[0];
    uint64_t place = single ? open->values[0] : open->values[1];
    if (count <= 0 || !place || !reserve_named(calls, (uint32_t)count))
        return;
    struct dt_named_request *named = &calls->named[calls->named_count];
    for (int i = 0; i < count; i++, place += dt_mpi_handle_bytes()) {
        named[i].place = place;
        named[i].handle = dt_mpi_handle_at(place);
    }
    dt_requests_get(named, (uint32_t)count);
    for (int i = 0; i < count; i++)
        open->wildcard |= named[i].request.wildcard;
    calls->named_count += (uint32_t)count;
    open->named_count = (uint32_t)count;
}

static void note_named(struct dt_thread_state *thread, const struct dt_open_call *open)
{
    struct dt_request_note note;
    uint8_t use = open->shape->requests;
    if (use == DT_REQUESTS_TESTED)
        return;
    dt_request_note_begin(&note, use == DT_REQUESTS_FREED ? DT_REQUEST_FREED : DT_REQUEST_NAMED);
    for (uint32_t i = 0; i < open->named_count; i++)
        dt_request_note_add(thread, &note, dt_open_call_named(thread->calls, open)[i].request.number);
    dt_request_note_end(thread, &note);
}

void dt_open_call_name(struct dt_thread_state *thread, struct dt_open_call *open)
{
    if (open->shape->requests == DT_REQUESTS_NONE)
        return;
    find_named(thread->calls, open);
    note_named(thread, open);
}
