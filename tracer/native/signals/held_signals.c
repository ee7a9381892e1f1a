/* Signals that come while the program's handlers have to wait. Blocking them beforehand takes two system calls, and a
 * signal in between is rare: so nothing is blocked until one is there. It is then sent again, to this thread and with
 * its siginfo, and waits with all others until what it interrupted is done. That its handler is still there then, and
 * that signals of real time keep their order, is seen to by once_handlers.c and signal_order.c. */

#include "record/held_signals.h"
#include "native/signals/signals.h"
#include "record/debug.h"

__thread struct dt_held_signals dt_held_signals __attribute__((tls_model("initial-exec")));

bool dt_signals_are_own(void)
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

void dt_signal_send_again(int number, const siginfo_t *info)
{
    uint32_t pid = dt_sys_pid(), tid = dt_sys_tid();
    if (dt_failed(dt_syscall(SYS_rt_tgsigqueueinfo, pid, tid, number, (long)info, 0, 0)))
        dt_syscall(SYS_tgkill, pid, tid, number, 0, 0, 0);
}

bool dt_signal_defer(int number, const siginfo_t *info, ucontext_t *context)
{
    if (!dt_signals_are_held((uint64_t)context->uc_mcontext.gregs[REG_RSP]) || !(dt_no_faults >> (number - 1) & 1) ||
        !dt_signals_are_own() || !can_come_again())
        return false;
    dt_debug(DT_DEBUG_SIGNALS, "a handler has to wait, signal", (uint64_t)number, NULL);
    uint64_t now = dt_sys_hold_signals(), mask;
    if (number < __SIGRTMIN)
        dt_signal_send_again(number, info);
    else if (!dt_signal_queue_again(number, info)) {
        dt_sys_restore_signals(now);
        return false;
    }
    memcpy(&mask, &context->uc_sigmask, sizeof mask);
    /* If several came at once, the one that came first is here last: its mask is what there was before them all. */
    dt_held_signals.mask = mask;
    dt_held_signals.deferred = true;
    mask |= dt_no_faults;
    memcpy(&context->uc_sigmask, &mask, sizeof mask);
    return true;
}

void dt_signals_deliver(void)
{
    dt_held_signals.deferred = false;
    dt_compiler_barrier();
    dt_sys_restore_signals(dt_held_signals.mask);
}
