/* Handlers with SA_RESETHAND: they are called once. The kernel would take such a handler away as soon as it calls our
 * stub, and a signal that then has to wait (held_signals.c) could not come again. So the kernel is not told of the
 * flag, and the handler is taken away here, when it is about to be called. Of several threads that are on their way to
 * it one gets it; the signals of the others come again and meet what is there by then, mostly the default action.
 *
 * Who sets an action and who takes one away exclude each other. Not so a child of vfork, which has this memory but
 * actions of its own, and only one thread. The C library's functions that set actions may be replaced by others than
 * us, which call ours again: who has the lock gets it once more. */
#include "native/signals/signals.h"
#include "record/process.h"

uint64_t dt_signal_handlers[_NSIG];

static const struct dt_hot *owner; /* the thread's, or NULL */

static bool get_lock(void)
{
    const struct dt_hot *nobody = NULL;
    return __atomic_compare_exchange_n(&owner, &nobody, &dt_hot, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

uint64_t dt_signal_actions_lock(void)
{
    if (dt_sys_pid() != dt_process.header->pid || __atomic_load_n(&owner, __ATOMIC_RELAXED) == &dt_hot)
        return DT_NOT_BLOCKED;
    uint64_t mask = dt_sys_block_signals();
    while (mask != DT_NOT_BLOCKED && !get_lock())
        dt_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
    return mask;
}

void dt_signal_actions_unlock(uint64_t mask)
{
    if (mask == DT_NOT_BLOCKED)
        return;
    __atomic_store_n(&owner, NULL, __ATOMIC_RELEASE);
    dt_sys_restore_signals(mask);
}

void dt_signal_actions_reset(void)
{
    owner = NULL;
}

bool dt_signal_handlers_can_be_taken(void)
{
    return dt_filters_allow(SYS_rt_sigaction, SIGUSR1, 0) && dt_filters_allow(SYS_rt_sigprocmask, 0, 0) &&
           dt_filters_allow(SYS_rt_sigprocmask, 2, 0);
}

/* Mask and flags stay, as in the kernel. False: somebody was faster, or has set something else meanwhile. */
static bool take_handler_away(int number)
{
    uint64_t action[4] = {(uint64_t)dt_signal_stub};
    bool known = !dt_failed(dt_syscall(SYS_rt_sigaction, number, 0, (long)action, sizeof(uint64_t), 0, 0));
    if (action[0] != (uint64_t)dt_signal_stub)
        return false;
    action[0] = (uint64_t)SIG_DFL;
    if (known)
        dt_syscall(SYS_rt_sigaction, number, (long)action, 0, sizeof(uint64_t), 0, 0);
    return true;
}

uint64_t dt_signal_handler(int number, const siginfo_t *info)
{
    uint64_t handler = __atomic_load_n(&dt_signal_handlers[number], __ATOMIC_ACQUIRE);
    if (!(handler & DT_HANDLER_ONCE))
        return handler & DT_HANDLER_ADDRESS;
    uint64_t mask = dt_signal_actions_lock();
    handler = __atomic_load_n(&dt_signal_handlers[number], __ATOMIC_ACQUIRE); /* another one may have been set */
    bool is_there = !(handler & DT_HANDLER_ONCE) || take_handler_away(number);
    dt_signal_actions_unlock(mask);
    if (is_there)
        return handler & DT_HANDLER_ADDRESS;
    dt_signal_send_again(number, info);
    return 0;
}
