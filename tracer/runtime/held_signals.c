/* Signals that come while the program's handlers have to wait. Blocking them beforehand takes two system calls, and a
 * signal in between is rare: so nothing is blocked until one is there. It is then sent again, to this thread and with
 * its siginfo, and waits with all others until what it interrupted is done.
 *
 * Two kinds cannot be sent again: a handler with SA_RESETHAND has been taken away when it is called, and signals of
 * real time would change their order. In a program with such handlers signals are blocked beforehand (signals.c). */
#include "signals.h"
#include "system.h"

__thread struct dt_held_signals dt_held_signals __attribute__((tls_model("initial-exec")));

/* False: a child of vfork, or a thread that shares the thread-local memory of the one that holds signals. */
static bool is_holder(void)
{
    const struct dt_thread_state *thread = dt_self;
    return !thread || !thread->shared || thread->shared->tid == dt_sys_tid();
}

/* Else the signal would be lost, or the others never come again. */
static bool can_come_again(void)
{
    return !dt_is_filtered() || (dt_may_call(SYS_rt_tgsigqueueinfo, 0, 0) && dt_may_call(SYS_rt_sigprocmask, 0, 0) &&
                                 dt_may_call(SYS_rt_sigprocmask, 2, 0));
}

bool dt_signal_defer(int number, const siginfo_t *info, ucontext_t *context)
{
    if (!dt_signals_are_held((uint64_t)context->uc_mcontext.gregs[REG_RSP]) || dt_process.must_block ||
        !(dt_no_faults >> (number - 1) & 1) || !is_holder() || !can_come_again())
        return false;
    uint64_t mask;
    memcpy(&mask, &context->uc_sigmask, sizeof mask);
    /* If several came at once, the one that came first is here last: its mask is what there was before them all. */
    dt_held_signals.mask = mask;
    dt_held_signals.deferred = true;
    mask |= dt_no_faults;
    memcpy(&context->uc_sigmask, &mask, sizeof mask);
    dt_sys_hold_signals();
    uint32_t pid = dt_sys_pid(), tid = dt_sys_tid();
    if (dt_failed(dt_syscall(SYS_rt_tgsigqueueinfo, pid, tid, number, (long)info, 0, 0)))
        dt_syscall(SYS_tgkill, pid, tid, number, 0, 0, 0);
    return true;
}

void dt_signals_deliver(void)
{
    dt_held_signals.deferred = false;
    dt_compiler_barrier();
    dt_sys_restore_signals(dt_held_signals.mask);
}
