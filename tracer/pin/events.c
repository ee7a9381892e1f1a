/* Calls and returns, and the correction of the call stack by stack pointers. */
#include "engine.h"
#include "record/api_rules.h"
#include "record/functions.h"
#include "record/process.h"
#include "record/recorder.h"
#include "record/thread.h"

static struct dt_frame *top_frame(void)
{
    return (struct dt_frame *)dt_hot.top - 1;
}

static bool on_own_stack(const struct dt_thread_state *thread, uint64_t address)
{
    return address > thread->stack_low && address <= thread->stack_high;
}

/* Addresses compare within one stack only: frames of the thread's own stay while a signal handler runs on another one.
 * Back on its own, the other's are over. */
static bool is_over(const struct dt_thread_state *thread, const struct dt_frame *frame, uint64_t sp, bool entry)
{
    bool here = on_own_stack(thread, sp), there = on_own_stack(thread, frame->slot);
    if (here != there)
        return here;
    return entry ? frame->slot <= sp : frame->slot < sp;
}

static void pop(void)
{
    dt_hot.top -= sizeof(struct dt_frame);
    dt_record_return();
}

static void pop_all_over(const struct dt_thread_state *thread, uint64_t sp, bool entry)
{
    while (top_frame() > thread->frames && is_over(thread, top_frame(), sp, entry))
        pop();
}

static bool push(struct dt_thread_state *thread, uint64_t function, uint64_t sp, uint64_t return_address)
{
    struct dt_frame *frame = top_frame() + 1;
    if ((uint64_t)frame >= thread->real_limit && !dt_shadow_grow(thread))
        return false;
    *frame = (struct dt_frame){.return_address = return_address, .slot = sp, .index = function};
    dt_hot.top += sizeof *frame;
    return true;
}

/* False: a library's own business. */
static bool is_outermost(const struct dt_thread_state *thread, const struct dt_hooked_function *function,
                         uint64_t return_address)
{
    if (function->action == DT_ACTION_MPI_INIT)
        dt_process.header->flags |= DT_FILE_MPI_INITIALISED;
    return !dt_api_is_inner(function, dt_api_enclosing_call(thread), return_address);
}

void dt_engine_call(uint64_t function, uint64_t sp, uint64_t return_address)
{
    struct dt_thread_state *thread = dt_self;
    if (!thread)
        return;
    const struct dt_hooked_function *called = &dt_functions[function];
    pop_all_over(thread, sp, true);
    if (called->api_class != DT_CALL_UNKNOWN && !is_outermost(thread, called, return_address))
        return;
    if (push(thread, function, sp, return_address))
        dt_record_call(function);
}

void dt_engine_return(uint64_t sp)
{
    struct dt_thread_state *thread = dt_self;
    if (!thread)
        return;
    pop_all_over(thread, sp, false);
    const struct dt_frame *frame = top_frame();
    if (frame == thread->frames || frame->slot != sp)
        return;
    if (dt_functions[frame->index].action == DT_ACTION_MPI_FINALIZE)
        dt_process.header->flags |= DT_FILE_MPI_FINALIZED;
    pop();
}
