/**
 * What the stubs' fast path leaves over (slow entries and exits), and the shadow stack where the program changes its
 * own: by longjmp, exceptions, tail calls, fibers. The return address that the program would return to is always in a
 * frame or on the stack, so that an unwinder that asks can be given it.
 */
#ifndef DT_STACK_SHADOW_STACK_H
#define DT_STACK_SHADOW_STACK_H

#include "native/x86_64/registers.h"
#include "record/thread.h"

int dt_slow_entry(struct dt_entry_registers *registers);
void dt_slow_exit(struct dt_exit_registers *registers);
#define DT_NO_FUNCTION UINT64_MAX
/** The function that returns. Its index is on the stack, in place of the return address; where a handler of a signal
 * has unwound the stack meanwhile, that has been put back and diverted again, and an address is there. DT_NO_FUNCTION:
 * the call was entered on another thread, too. */
uint64_t dt_shadow_leaving_index(const struct dt_exit_registers *registers);
/** What dt_slow_exit() does where nothing was left behind above the call; false: something was. */
bool dt_leave_top(struct dt_exit_registers *registers);
/** Of a function that is timed. */
void dt_timed_exit(struct dt_exit_registers *registers);
void dt_slow_terminating(struct dt_entry_registers *registers);
/** A batch is due before a terminating function's word, or the fast path is closed. */
void dt_batched_terminating(struct dt_entry_registers *registers);
void dt_slow_return(struct dt_exit_registers *registers);
/** `index` is the hook. Nonzero: rax is the function's answer, do not call it. */
int dt_runtime_hook(struct dt_entry_registers *registers);
/** Puts the program's return addresses back on the stack for an unwinder whose own one is at `sp`. */
void dt_shadow_put_back(struct dt_thread_state *thread, uint64_t sp);
/** The other way round, for the calls that are still there. */
void dt_shadow_divert(struct dt_thread_state *thread);
/** The same for the topmost call that is on its way out: its index is on the stack in place of the return address. */
void dt_shadow_put_back_leaving(void);
/** The same for the topmost call that has returned `at` its stub: its return address is nowhere on the stack. */
void dt_shadow_put_back_returned(uint64_t at);
/** At the thread's end: calls of fibers that other threads may go on with return without us. */
void dt_shadow_abandon(struct dt_thread_state *thread);
/** True if a hooked function below us will still return through its frame. */
bool dt_shadow_has_open_calls(const struct dt_thread_state *thread);
/** Pops what longjmp and the like left behind; `slot` is that of a call going on. */
void dt_shadow_pop_stale(struct dt_thread_state *thread, uint64_t slot, uint64_t return_address, bool entry);
/** Pops what an exception left behind, when the call whose return address is at `slot` shows that it is over; that may
 * be a tail call of the topmost one, where return addresses have been put back. */
void dt_shadow_pop_left(struct dt_thread_state *thread, const uint64_t *slot);
/** Pushes a frame for the function entered at `slot`; false: no room. */
bool dt_shadow_push(struct dt_thread_state *thread, uint64_t *slot, uint64_t index);

/** The push itself, where there is room. */
static inline void dt_shadow_push_frame(uint64_t slot, uint64_t return_address, uint64_t index)
{
    struct dt_frame *frame = (struct dt_frame *)dt_hot.top;
    const struct dt_frame filled = {return_address, slot, index};
    *frame = filled;
    dt_compiler_barrier();
    dt_hot.top += sizeof *frame;
    dt_compiler_barrier();
    *frame = filled; /* a signal handler may have used the place meanwhile */
}

/** The other way round for the topmost frame, whose call returns: to where the frame says. */
static inline void dt_shadow_pop_frame(const struct dt_frame *frame, struct dt_exit_registers *registers)
{
    /* At every instruction an unwinder finds it; a handler that comes before the frame is gone may divert it again. */
    uint64_t return_address = frame->return_address;
    registers->index = return_address;
    dt_compiler_barrier();
    dt_hot.top -= sizeof *frame;
    dt_compiler_barrier();
    registers->index = return_address;
}

#endif
