/* SIGBUS where the program blocks it: the kernel does not, so that a trace file that is cut short meanwhile is no end
 * of the program (own_faults.c). The functions by which programs block signals are hidden by ours. They answer as if it
 * were blocked, and a SIGBUS that comes does what it would do then: that of the program's own fault ends it, others
 * wait. What programs execute inherits it blocked.
 *
 * Where else masks are set (by siglongjmp(), contexts, system calls) is not seen, only that the mask is another one
 * then. */
#include "native/signals/signals.h"
#include "record/held_signals.h"

#define DT_EXPORTED __attribute__((visibility("default")))

typedef int mask_function(int how, const sigset_t *set, sigset_t *old);

static const uint64_t bus = 1ull << (SIGBUS - 1);
/* What the kernel, or the C library, leaves out of every mask. */
static const uint64_t never_blocked = 1ull << (SIGKILL - 1) | 1ull << (SIGSTOP - 1) | 3ull << 31;

/* Of the calling thread: whether SIGBUS is blocked but for us, and what the kernel blocked when that was set. */
static __thread struct {
    bool is_blocked;
    uint64_t others;
} kept_open __attribute__((tls_model("initial-exec")));

static uint64_t mask_in(const void *set)
{
    uint64_t mask;
    memcpy(&mask, set, sizeof mask);
    return mask & ~never_blocked;
}

static bool is_blocked_with(uint64_t others)
{
    return kept_open.is_blocked && kept_open.others == others;
}

static void set_mask(int how, uint64_t wanted, uint64_t before)
{
    bool is_blocked = is_blocked_with(before);
    if (how == SIG_BLOCK)
        before |= wanted;
    else if (how == SIG_UNBLOCK)
        before &= ~wanted;
    else
        before = wanted;
    kept_open.others = before & ~bus;
    kept_open.is_blocked = wanted & bus ? how != SIG_UNBLOCK : is_blocked && how != SIG_SETMASK;
}

static int change(mask_function *next, int how, const sigset_t *set, sigset_t *old)
{
    sigset_t wanted, before;
    uint64_t asked = 0;
    if (set) {
        wanted = *set;
        asked = mask_in(set);
        if (how != SIG_UNBLOCK)
            sigdelset(&wanted, SIGBUS);
    }
    old = old ? old : &before;
    int result = next(how, set ? &wanted : NULL, old);
    if (result != 0)
        return result;
    uint64_t others = mask_in(old);
    if (is_blocked_with(others))
        sigaddset(old, SIGBUS);
    if (set)
        set_mask(how, asked, others);
    return 0;
}

#define DT_MASK_FUNCTION(name)                                                                                         \
    DT_EXPORTED int name(int how, const sigset_t *set, sigset_t *old)                                                  \
    {                                                                                                                  \
        static mask_function *next;                                                                                    \
        if (!next)                                                                                                     \
            *(void **)&next = dt_hidden_function(#name);                                                               \
        if (!dt_signals_are_ours(SIGBUS))                                                                              \
            return next(how, set, old);                                                                                \
        return change(next, how, set, old);                                                                            \
    }

DT_MASK_FUNCTION(sigprocmask)
DT_MASK_FUNCTION(pthread_sigmask)

bool dt_signal_is_kept_open(int number, const ucontext_t *context)
{
    return number == SIGBUS && is_blocked_with(mask_in(&context->uc_sigmask));
}

bool dt_signal_bus_is_blocked(void)
{
    return kept_open.is_blocked;
}

void dt_signal_bus_inherit(bool is_blocked)
{
    uint64_t mask = 0;
    dt_syscall(SYS_rt_sigprocmask, 0, 0, (long)&mask, sizeof mask, 0, 0);
    kept_open.is_blocked = is_blocked;
    kept_open.others = mask & ~never_blocked;
}

void dt_signal_bus_pass_on(bool is_blocked)
{
    if (kept_open.is_blocked)
        dt_syscall(SYS_rt_sigprocmask, is_blocked ? SIG_BLOCK : SIG_UNBLOCK, (long)&bus, 0, sizeof bus, 0, 0);
}
