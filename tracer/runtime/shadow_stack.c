/* What the fast path of stubs.S leaves over: a thread's first call, tail calls, frames left behind by longjmp, foreign
 * stacks, and unwinders, which must see the program's own return addresses. */
#include "runtime.h"
#include "system.h"

__thread struct dt_hot dt_hot __attribute__((tls_model("initial-exec")));
__thread struct dt_thread_state *dt_self __attribute__((tls_model("initial-exec")));
__thread int dt_guard __attribute__((tls_model("initial-exec")));
__thread bool dt_thread_over __attribute__((tls_model("initial-exec")));

/* Tail calls from one call site after another leave a frame each at the same slot. Past so many the oldest goes, so
 * that mutual tail recursion does not fill the shadow stack. */
enum { DT_MOST_TAIL_CALLS = 16 };

_Noreturn void dt_fatal(const char *message)
{
    static const char prefix[] = "difftrace: the tracer lost a return address: ";
    dt_syscall(SYS_write, 2, (long)prefix, sizeof prefix - 1, 0, 0, 0);
    dt_syscall(SYS_write, 2, (long)message, (long)strlen(message), 0, 0, 0);
    dt_syscall(SYS_write, 2, (long)"\n", 1, 0, 0, 0);
    for (;;) {
        dt_syscall(SYS_kill, dt_sys_pid(), 6 /* SIGABRT */, 0, 0, 0, 0);
        dt_syscall(SYS_exit_group, 134, 0, 0, 0, 0, 0);
    }
}

static struct dt_frame *top_frame(void)
{
    return (struct dt_frame *)dt_hot.top;
}

static uint64_t exit_address(const struct dt_frame *frame)
{
    return dt_functions[frame->index].exit_address;
}

static bool on_own_stack(const struct dt_thread_state *thread, uint64_t address)
{
    return address <= thread->stack_high && address > thread->stack_low;
}

static void pop(void)
{
    dt_hot.top -= sizeof(struct dt_frame);
}

/* TRUE for a frame whose call cannot be going on any more when there is one at `slot`. Addresses compare within one
 * stack only: frames of the thread's own stack stay while a handler runs on another one, and the other way round. */
static bool is_stale(const struct dt_thread_state *thread, const struct dt_frame *frame, uint64_t slot,
                     uint64_t return_address, bool entry)
{
    bool here = on_own_stack(thread, slot), there = on_own_stack(thread, frame->slot);
    if (frame->slot > slot)
        return here && !there;
    if (frame->slot == slot)
        return entry && return_address != exit_address(frame);
    return here || !there;
}

void dt_shadow_pop_stale(struct dt_thread_state *thread, uint64_t slot, uint64_t return_address, bool entry)
{
    while (top_frame() - 1 != thread->frames && is_stale(thread, top_frame() - 1, slot, return_address, entry)) {
        pop();
        dt_record_return();
    }
}

/* ---- unwinding ------------------------------------------------------------------------------- */

/* Puts the program's return addresses back; topmost first, as tail calls share a slot. */
static void restore_return_addresses(struct dt_thread_state *thread, uint64_t sp)
{
    /* First of all, so that a signal handler that comes meanwhile does not divert them again. */
    dt_hot.limit = 0;
    thread->unwind_sp = sp;
    dt_compiler_barrier();
    thread->unwinding = true;
    dt_compiler_barrier();
    for (struct dt_frame *frame = top_frame() - 1; frame > thread->frames; frame--) {
        if (frame->slot < sp - 8 && on_own_stack(thread, frame->slot))
            continue;
        uint64_t *place = (uint64_t *)frame->slot;
        if (*place == exit_address(frame))
            *place = frame->return_address;
    }
}

/* The other way round, for the frames that are still there. */
static void divert_return_addresses(struct dt_thread_state *thread)
{
    for (struct dt_frame *frame = thread->frames + 1; frame < top_frame(); frame++) {
        uint64_t *place = (uint64_t *)frame->slot;
        if (*place == frame->return_address)
            *place = exit_address(frame);
    }
    thread->unwinding = false;
    dt_hot.limit = thread->real_limit;
}

/* Not a library on its own account, inside a call of MPI's or another of its own. */
static bool is_program_calling(const struct dt_thread_state *thread)
{
    const struct dt_frame *frame = top_frame() - 1;
    return thread && frame > thread->frames && dt_functions[frame->index].own_image &&
           !dt_functions[frame->index].import;
}

void dt_runtime_hook(uint64_t slot, uint64_t hook)
{
    struct dt_thread_state *thread = dt_self;
    if (hook == DT_HOOK_LOADER) {
        dt_guard++;
        dt_images_changed(is_program_calling(thread));
        dt_guard--;
    }
    if (!thread)
        return;
    if (hook == DT_HOOK_UNWIND) {
        restore_return_addresses(thread, slot);
    } else if (hook == DT_HOOK_CATCH && thread->unwinding && !dt_guard) {
        dt_guard++;
        dt_shadow_pop_stale(thread, slot - 8, 0, false);
        divert_return_addresses(thread);
        dt_guard--;
    }
}

/* ---- entry and exit -------------------------------------------------------------------------- */

bool dt_shadow_push(struct dt_thread_state *thread, uint64_t *slot, uint64_t index)
{
    uint64_t at = (uint64_t)slot;
    dt_shadow_pop_stale(thread, at, *slot, true);
    /* Never below the unwinder: its personality routines and callbacks run while it walks. */
    if (thread->unwinding && at >= thread->unwind_sp)
        divert_return_addresses(thread);
    struct dt_frame *frame = top_frame();
    if ((uint64_t)frame >= thread->real_limit)
        return false;
    uint64_t return_address = *slot;
    int tail_calls = 0;
    while (tail_calls <= DT_MOST_TAIL_CALLS && frame - 1 - tail_calls > thread->frames &&
           frame[-1 - tail_calls].slot == at)
        tail_calls++;
    if (tail_calls > DT_MOST_TAIL_CALLS) {
        frame--;
        return_address = frame->return_address;
        pop();
        dt_record_return();
    }
    frame->slot = at;
    dt_hot.top += sizeof *frame;
    frame->slot = at;
    frame->return_address = return_address;
    frame->index = index;
    return true;
}

/* A thread whose first traced call comes before we saw it start: main, or one that clone() made. */
struct dt_thread_state *dt_this_thread(void)
{
    if (dt_self || dt_thread_over)
        return dt_self;
    bool main_thread = dt_sys_tid() == dt_sys_pid();
    dt_thread_begin(main_thread ? DT_THREAD_APP : DT_THREAD_LIBRARY, 0, UINT32_MAX);
    return dt_self;
}

int dt_slow_entry(struct dt_entry_registers *registers)
{
    if (dt_guard || !dt_process.active)
        return 1;
    dt_guard++;
    struct dt_thread_state *thread = dt_this_thread();
    bool traced = thread && dt_shadow_push(thread, &registers->return_address, registers->index);
    if (traced)
        dt_record_call(registers->index);
    dt_guard--;
    return !traced;
}

/* The frame of the call that returns: by slot and function, else the topmost of the function (libffi moves its return
 * address). */
static struct dt_frame *find_frame(const struct dt_thread_state *thread, uint64_t slot, uint64_t index)
{
    struct dt_frame *frame;
    for (frame = top_frame() - 1; frame > thread->frames; frame--)
        if (frame->slot == slot && frame->index == index)
            return frame;
    for (frame = top_frame() - 1; frame > thread->frames; frame--)
        if (frame->index == index)
            return frame;
    return NULL;
}

void dt_slow_exit(struct dt_exit_registers *registers)
{
    struct dt_thread_state *thread = dt_self;
    dt_guard++;
    struct dt_frame *frame = thread ? find_frame(thread, (uint64_t)&registers->index, registers->index) : NULL;
    if (!frame)
        dt_fatal("a function returned that was never entered");
    while (top_frame() - 1 > frame) {
        pop();
        dt_record_return();
    }
    uint64_t return_address = frame->return_address;
    pop();
    dt_record_return();
    registers->index = return_address;
    dt_guard--;
}
