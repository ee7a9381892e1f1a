/* What the fast path of stubs.S leaves over: a thread's first call, tail calls, frames left behind by longjmp, foreign
 * stacks, and unwinders, which must see the program's own return addresses. */
#include "native/stack/shadow_stack.h"

#include <errno.h>
#include <sys/uio.h>

#include "native/stack/migrated_calls.h"
#include "native/stack/open_terminating.h"
#include "native/stack/threads.h"
#include "record/held_signals.h"
#include "record/switch.h"
#include "record/timed_functions.h"

_Alignas(64) __thread struct dt_hot dt_hot
    __attribute__((tls_model("initial-exec"))) = {.top = (uint64_t)(dt_no_frames + 1), .next = 2 * DT_TAIL_WORDS};
__thread struct dt_thread_state *dt_self __attribute__((tls_model("initial-exec")));
__thread bool dt_thread_over __attribute__((tls_model("initial-exec")));

/* How far a function may move its own return address, bytes. */
#define DT_FARTHEST_MOVE ((uint64_t)32 << 10)

/* The last resort when a return address is lost: says so on stderr and ends the process with SIGABRT. */
_Noreturn static void fatal(const char *message)
{
    static const char prefix[] = "difftrace: the tracer lost a return address: ";
    dt_syscall(SYS_write, 2, (long)prefix, sizeof prefix - 1, 0, 0, 0);
    dt_syscall(SYS_write, 2, (long)message, (long)strlen(message), 0, 0, 0);
    dt_syscall(SYS_write, 2, (long)"\n", 1, 0, 0, 0);
    for (;;) {
        dt_syscall(SYS_kill, dt_sys_pid(), 6 /* SIGABRT */, 0, 0, 0, 0);
        dt_syscall(SYS_exit_group, 134, 0, 0, 0, 0, 0);
        __builtin_trap(); /* a filter lets neither be called */
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

/* ---- return addresses on the stack ------------------------------------------------------------ */

/* Frames may be left on stacks that are gone by now. */
static bool is_mapped(const struct dt_thread_state *thread, uint64_t slot)
{
    uint64_t content;
    struct iovec here = {&content, sizeof content}, there = {(void *)slot, sizeof content};
    if (on_own_stack(thread, slot))
        return true;
    long got = dt_syscall(SYS_process_vm_readv, dt_sys_pid(), (long)&here, 1, (long)&there, 1, 0);
    if (got != -EPERM && got != -ENOSYS)
        return got == sizeof content;
    return dt_syscall(SYS_msync, (long)(slot & ~4095ul), 4096, MS_ASYNC, 0, 0, 0) == 0;
}

static void replace(const struct dt_thread_state *thread, uint64_t slot, uint64_t old, uint64_t new)
{
    uint64_t *place = (uint64_t *)slot;
    if (is_mapped(thread, slot) && *place == old)
        *place = new;
}

static void put_back(const struct dt_thread_state *thread, struct dt_frame *frame)
{
    if (on_own_stack(thread, frame->slot) || dt_process.live_threads == 1) {
        replace(thread, frame->slot, exit_address(frame), frame->return_address);
        return;
    }
    uint64_t mask = dt_migrated_lock();
    if (frame->slot) { /* not taken by another thread */
        dt_migrated_forget(frame);
        replace(thread, frame->slot, exit_address(frame), frame->return_address);
        frame->slot = 0;
    }
    dt_migrated_unlock(mask);
}

void dt_shadow_abandon(struct dt_thread_state *thread)
{
    for (struct dt_frame *frame = top_frame() - 1; frame > thread->frames; frame--)
        if (!on_own_stack(thread, frame->slot))
            put_back(thread, frame);
}

/* Forgets the topmost call. If it goes on after all, on a stack that was left for this one, it returns without us. */
static void drop(const struct dt_thread_state *thread)
{
    struct dt_frame *frame = top_frame() - 1;
    put_back(thread, frame);
    dt_hot.top -= sizeof *frame;
    dt_record_return();
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
    while (top_frame() - 1 != thread->frames && is_stale(thread, top_frame() - 1, slot, return_address, entry))
        drop(thread);
}

void dt_shadow_pop_left(struct dt_thread_state *thread, const uint64_t *slot)
{
    dt_shadow_pop_stale(thread, (uint64_t)slot - sizeof *slot, 0, false);
    for (const struct dt_frame *frame = top_frame() - 1; frame > thread->frames && frame->slot == (uint64_t)slot &&
                                                         *slot != frame->return_address && *slot != exit_address(frame);
         frame--)
        drop(thread);
}

/* ---- unwinding ------------------------------------------------------------------------------- */

void dt_shadow_put_back(struct dt_thread_state *thread, uint64_t sp)
{
    bool own = on_own_stack(thread, sp);
    /* First of all, so that a signal handler that comes meanwhile does not divert them again. */
    dt_switch_close(thread);
    thread->unwind_sp = sp;
    dt_compiler_barrier();
    thread->unwinding = true;
    dt_compiler_barrier();
    /* Topmost first, as tail calls share a slot. */
    for (struct dt_frame *frame = top_frame() - 1; frame > thread->frames; frame--)
        if (!own || frame->slot >= sp - 8 || !on_own_stack(thread, frame->slot))
            replace(thread, frame->slot, exit_address(frame), frame->return_address);
}

void dt_shadow_divert(struct dt_thread_state *thread)
{
    for (struct dt_frame *frame = thread->frames + 1; frame < top_frame(); frame++)
        replace(thread, frame->slot, frame->return_address, exit_address(frame));
    thread->unwinding = false;
    dt_switch_open(thread);
}

void dt_shadow_put_back_leaving(void)
{
    const struct dt_thread_state *thread = dt_self;
    for (struct dt_frame *frame = top_frame() - 1; thread && frame > thread->frames; frame--)
        if (is_mapped(thread, frame->slot) && *(uint64_t *)frame->slot == frame->index) {
            *(uint64_t *)frame->slot = frame->return_address;
            return;
        }
}

void dt_shadow_put_back_returned(uint64_t at)
{
    const struct dt_thread_state *thread = dt_self;
    for (struct dt_frame *frame = top_frame() - 1; thread && frame > thread->frames; frame--)
        if (exit_address(frame) == at && is_mapped(thread, frame->slot) &&
            *(uint64_t *)frame->slot != frame->return_address) {
            *(uint64_t *)frame->slot = frame->return_address;
            return;
        }
}

bool dt_shadow_has_open_calls(const struct dt_thread_state *thread)
{
    for (const struct dt_frame *frame = thread->frames + 1; frame < top_frame(); frame++)
        if (exit_address(frame) && is_mapped(thread, frame->slot) &&
            *(const uint64_t *)frame->slot == exit_address(frame))
            return true;
    return false;
}

/* ---- entry and exit -------------------------------------------------------------------------- */

/* For a call whose return address is at `slot`; false: there is no room for it. */
static bool prepare(struct dt_thread_state *thread, const uint64_t *slot)
{
    dt_recorder_come_back(thread);
    dt_shadow_pop_stale(thread, (uint64_t)slot, *slot, true);
    /* Never below the unwinder: its personality routines and callbacks run while it walks. */
    if (thread->unwinding && (uint64_t)slot >= thread->unwind_sp)
        dt_shadow_divert(thread);
    return dt_shadow_has_capacity(thread);
}

bool dt_shadow_push(struct dt_thread_state *thread, uint64_t *slot, uint64_t index)
{
    uint64_t at = (uint64_t)slot;
    if (!prepare(thread, slot))
        return false;
    if (dt_functions[index].both_ends) {
        dt_shadow_push_frame(at, 0, index);
        return true;
    }
    struct dt_frame *frame = top_frame();
    uint64_t return_address = *slot;
    int tail_calls = 0;
    while (tail_calls <= DT_MOST_TAIL_CALLS && frame - 1 - tail_calls > thread->frames &&
           frame[-1 - tail_calls].slot == at)
        tail_calls++;
    if (tail_calls > DT_MOST_TAIL_CALLS) {
        frame--;
        return_address = frame->return_address;
        dt_hot.top -= sizeof *frame;
        dt_record_return();
    }
    dt_shadow_push_frame(at, return_address, index);
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

/* Before the guard is raised: signals are blocked meanwhile, and the handlers that come right afterwards record. */
static void give_id(uint64_t index)
{
    if (dt_self)
        dt_function_id(index);
}

static int enter_function(struct dt_entry_registers *registers)
{
    if (dt_guard || !dt_process_is_recorded() || !dt_switch_lets_in(registers->index))
        return 1;
    give_id(registers->index);
    dt_guard++;
    struct dt_thread_state *thread = dt_this_thread();
    if (thread)
        dt_switch_before_call(thread, registers->index);
    bool traced = thread && dt_shadow_push(thread, &registers->return_address, registers->index);
    if (traced)
        dt_record_pushed_call(registers->index);
    if (thread && dt_terminating_are_watched(thread))
        dt_recorder_pass_places(thread);
    dt_guard--;
    return !traced;
}

int dt_slow_entry(struct dt_entry_registers *registers)
{
    bool held = dt_signals_hold();
    int untraced = enter_function(registers);
    dt_signals_let(held);
    return untraced;
}

static void record_terminating(const struct dt_entry_registers *registers)
{
    if (dt_guard || !dt_process_is_recorded() || dt_process.off)
        return;
    give_id(registers->index);
    dt_guard++;
    struct dt_thread_state *thread = dt_this_thread();
    if (thread)
        dt_switch_before_call(thread, registers->index);
    if (thread && prepare(thread, &registers->return_address))
        dt_record_terminating(registers->index);
    if (thread && dt_terminating_are_watched(thread))
        dt_recorder_pass_places(thread);
    dt_guard--;
}

void dt_slow_terminating(struct dt_entry_registers *registers)
{
    bool held = dt_signals_hold();
    record_terminating(registers);
    dt_signals_let(held);
}

/* Nothing is guarded: what signal handlers call meanwhile is recorded, behind what the batch takes. */
void dt_batched_terminating(struct dt_entry_registers *registers)
{
    if (!dt_self || dt_terminating_are_watched(dt_self) || !dt_function_words[registers->index]) {
        dt_slow_terminating(registers);
        return;
    }
    bool held = dt_signals_hold(); /* until the word is in its place, too */
    dt_recorder_batch();
    dt_place_word(dt_function_words[registers->index]);
    dt_signals_let(held);
}

/* The frame of the call that returns: by slot and function, or what a backtrace in a signal handler made of that. */
static struct dt_frame *find_frame(const struct dt_thread_state *thread, uint64_t slot, uint64_t content)
{
    struct dt_frame *frame;
    for (frame = thread ? top_frame() - 1 : NULL; frame && frame > thread->frames; frame--)
        if (frame->slot == slot &&
            (content == frame->index || content == frame->return_address || content == exit_address(frame)))
            return frame;
    return NULL;
}

/* The topmost frame of the function, on the same stack: libffi moves its return address. */
static struct dt_frame *topmost_of(const struct dt_thread_state *thread, uint64_t slot, uint64_t index)
{
    struct dt_frame *frame;
    for (frame = thread ? top_frame() - 1 : NULL; frame && frame > thread->frames; frame--)
        if (frame->index == index && slot - frame->slot + DT_FARTHEST_MOVE < 2 * DT_FARTHEST_MOVE)
            return frame;
    fatal("a function returned that was never entered");
}

static void leave(const struct dt_thread_state *thread, const struct dt_frame *frame,
                  struct dt_exit_registers *registers)
{
    while (top_frame() - 1 > frame)
        drop(thread);
    dt_shadow_pop_frame(frame, registers);
    dt_record_return();
}

bool dt_leave_top(struct dt_exit_registers *registers)
{
    const struct dt_frame *frame = top_frame() - 1;
    if (!dt_self || frame->slot != (uint64_t)&registers->index || frame->index != registers->index)
        return false;
    dt_shadow_pop_frame(frame, registers);
    dt_record_return();
    return true;
}

uint64_t dt_shadow_leaving_index(const struct dt_exit_registers *registers)
{
    uint64_t slot = (uint64_t)&registers->index, content = registers->index;
    const struct dt_frame *frame = top_frame() - 1;
    if (frame->index == content && frame->slot == slot)
        return content;
    frame = find_frame(dt_self, slot, content);
    return frame ? frame->index : content < dt_function_count ? content : DT_NO_FUNCTION;
}

void dt_timed_exit(struct dt_exit_registers *registers)
{
    bool held = dt_signals_hold();
    uint64_t index = dt_shadow_leaving_index(registers);
    if (dt_self && index != DT_NO_FUNCTION)
        dt_timed_function_left(dt_self, index);
    if (!dt_leave_top(registers))
        dt_slow_exit(registers);
    dt_signals_let(held);
}

void dt_slow_exit(struct dt_exit_registers *registers)
{
    const struct dt_thread_state *thread = dt_self;
    uint64_t slot = (uint64_t)&registers->index, return_address;
    bool held = dt_signals_hold();
    dt_process_look();
    dt_guard++;
    const struct dt_frame *frame = thread ? find_frame(thread, slot, registers->index) : NULL;
    /* The thread that entered tells of the return when it forgets the call. */
    if (!frame && dt_migrated_take(slot, registers->index, &return_address))
        registers->index = return_address;
    else
        leave(thread, frame ? frame : topmost_of(thread, slot, registers->index), registers);
    dt_guard--;
    dt_signals_let(held);
}

/* The frame of a call that returns where it is; NULL: it was not recorded. Those below it on the same stack lie further
 * up. */
static const struct dt_frame *find_returning(const struct dt_thread_state *thread, uint64_t slot)
{
    bool own = on_own_stack(thread, slot);
    for (const struct dt_frame *frame = top_frame() - 1; frame > thread->frames; frame--) {
        if (frame->slot == slot && dt_functions[frame->index].both_ends)
            return frame;
        if (frame->slot > slot && own && on_own_stack(thread, frame->slot))
            return NULL;
    }
    return NULL;
}

void dt_slow_return(struct dt_exit_registers *registers)
{
    const struct dt_thread_state *thread = dt_self;
    if (!thread || dt_guard)
        return;
    bool held = dt_signals_hold();
    const struct dt_frame *top = top_frame() - 1;
    if (top->slot == (uint64_t)&registers->index && top->return_address == DT_TIMED_RETURN)
        dt_timed_function_left(dt_self, top->index);
    dt_guard++;
    const struct dt_frame *frame = find_returning(thread, (uint64_t)&registers->index);
    while (frame && top_frame() > frame)
        drop(thread);
    dt_guard--;
    dt_signals_let(held);
}
