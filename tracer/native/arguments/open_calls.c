/* Calls that are looked at again when they return: what has to be remembered of them. */
#include "native/arguments/open_calls.h"
#include "system/reserved_memory.h"

struct dt_calls *dt_calls_of(struct dt_thread_state *thread)
{
    if (!thread->calls)
        thread->calls = dt_kept_allocate(sizeof *thread->calls);
    return thread->calls;
}

void dt_calls_release(struct dt_thread_state *thread)
{
    if (!thread->calls)
        return;
    if (thread->calls->named)
        dt_kept_free(thread->calls->named, thread->calls->named_capacity * sizeof *thread->calls->named);
    dt_hot.calls = NULL;
    dt_compiler_barrier();
    dt_live_release(&thread->calls->live);
    dt_kept_free(thread->calls, sizeof *thread->calls);
    thread->calls = NULL;
}

void dt_open_calls_drop(struct dt_calls *calls, uint64_t slot)
{
    dt_open_calls_settle(calls);
    for (; calls->depth && calls->open[calls->depth - 1].slot <= slot; calls->depth--)
        calls->unclear |= dt_call_shape_changes_requests(calls->open[calls->depth - 1].shape);
    const struct dt_open_call *below = calls->depth ? &calls->open[calls->depth - 1] : NULL;
    calls->named_count = !below ? 0 : below->first_named + (below->cached ? 0 : below->named_count);
}
