/* Faults that are none of the program's: the tracer read where the program had pointed, or its trace file was cut short
 * or unmapped. The thread goes on where it was, and no handler of the program's is called. */
#include "native/signals/signals.h"
#include "native/x86_64/try_load.h"
#include "record/trace_writer.h"
#include "system/file_memory.h"

static bool may_be_fault(int number, const siginfo_t *info)
{
    return (number == SIGSEGV || number == SIGBUS) && info && info->si_code > 0;
}

bool dt_own_fault(int number, const siginfo_t *info, ucontext_t *context)
{
    if (!may_be_fault(number, info))
        return false;
    if (dt_try_load_failed((uint64_t *)&context->uc_mcontext.gregs[REG_RIP]))
        return true;
    /* Of an address that is none (SI_KERNEL) the kernel does not tell which it was. */
    if (info->si_code == SI_KERNEL || !dt_file_memory_replace((uint64_t)info->si_addr, number == SIGBUS))
        return false;
    dt_writer_lost();
    return true;
}

/* dt_sys_block_signals() leaves faults alone. Nobody else blocks the two signals that the C library keeps for itself.
 */
static bool have_blocked(const ucontext_t *context)
{
    enum { FIRST_KEPT = 32, KEPT = 3 };
    uint64_t mask;
    memcpy(&mask, &context->uc_sigmask, sizeof mask);
    return (mask >> (FIRST_KEPT - 1) & KEPT) == KEPT;
}

/* A signal that was sent to the process waits for any of its threads. */
static void send_again(int number, const siginfo_t *info, bool to_thread)
{
    if (to_thread || dt_failed(dt_syscall(SYS_rt_sigqueueinfo, dt_sys_pid(), number, (long)info, 0, 0, 0)))
        dt_signal_send_again(number, info);
}

bool dt_signal_comes_later(int number, const siginfo_t *info, ucontext_t *context)
{
    bool kept_open = dt_signal_is_kept_open(number, context);
    if ((number != SIGSEGV && number != SIGBUS) || may_be_fault(number, info) || (!kept_open && !have_blocked(context)))
        return false;
    uint64_t mask, one = 1ull << (number - 1);
    memcpy(&mask, &context->uc_sigmask, sizeof mask);
    mask |= one;
    memcpy(&context->uc_sigmask, &mask, sizeof mask);
    dt_syscall(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, (long)&one, 0, sizeof one, 0, 0);
    send_again(number, info, !kept_open || info->si_code == SI_TKILL);
    return true;
}
