/* SIGBUS and SIGSEGV where the program blocks them: the kernel does not, so that a trace file that is cut short or
 * unmapped meanwhile is no end of the program (own_faults.c). The functions by which programs block signals are hidden
 * by ours. They answer as if both were blocked, and one that comes does what it would do then: that of the program's
 * own fault ends it, others wait. What programs execute inherits them blocked.
 *
 * Where else masks are set (by siglongjmp(), contexts, system calls) is not seen, only that the mask is another one
 * then. */
#include "native/signals/signals.h"
#include "record/held_signals.h"

#define DT_EXPORTED __attribute__((visibility("default")))

typedef int mask_function(int how, const sigset_t *set, sigset_t *old);

static const uint64_t faults = 1ull << (SIGBUS - 1) | 1ull << (SIGSEGV - 1);
/* What the kernel, or the C library, leaves out of every mask. */
static const uint64_t never_blocked = 1ull << (SIGKILL - 1) | 1ull << (SIGSTOP - 1) | 3ull << 31;

/* Of the calling thread: which of them are blocked but for us, and what the kernel blocked when that was set. */
static __thread struct {
    uint64_t blocked;
    uint64_t others;
} kept_open __attribute__((tls_model("initial-exec")));

static uint64_t mask_in(const void *set)
{
    uint64_t mask;
    memcpy(&mask, set, sizeof mask);
    return mask & ~never_blocked;
}

static uint64_t blocked_with(uint64_t others)
{
    return kept_open.others == others ? kept_open.blocked : 0;
}

static uint64_t changed(int how, uint64_t wanted, uint64_t before)
{
    return how == SIG_BLOCK ? before | wanted : how == SIG_UNBLOCK ? before & ~wanted : wanted;
}

static void set_mask(int how, uint64_t wanted, uint64_t before)
{
    kept_open.blocked = changed(how, wanted & faults, blocked_with(before));
    kept_open.others = changed(how, wanted, before) & ~faults;
}

static void add_to(sigset_t *set, uint64_t mask)
{
    uint64_t now;
    memcpy(&now, set, sizeof now);
    now |= mask;
    memcpy(set, &now, sizeof now);
}

static int change(mask_function *next, int how, const sigset_t *set, sigset_t *old)
{
    sigset_t wanted, before;
    uint64_t asked = 0;
    if (set) {
        wanted = *set;
        asked = mask_in(set);
        if (how != SIG_UNBLOCK) {
            sigdelset(&wanted, SIGBUS);
            sigdelset(&wanted, SIGSEGV);
        }
    }
    old = old ? old : &before;
    uint64_t blocked = kept_open.blocked;
    if (set) /* one that waits comes during the call */
        kept_open.blocked &= changed(how, asked, blocked);
    int result = next(how, set ? &wanted : NULL, old);
    if (result != 0) {
        kept_open.blocked = blocked;
        return result;
    }
    uint64_t others = mask_in(old);
    add_to(old, kept_open.others == others ? blocked : 0);
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
    return number > 0 && number < _NSIG && (blocked_with(mask_in(&context->uc_sigmask)) >> (number - 1) & 1);
}

uint64_t dt_signal_faults_blocked(void)
{
    return kept_open.blocked;
}

void dt_signal_faults_inherit(uint64_t blocked)
{
    uint64_t mask = 0;
    dt_syscall(SYS_rt_sigprocmask, 0, 0, (long)&mask, sizeof mask, 0, 0);
    kept_open.blocked = blocked;
    kept_open.others = mask & ~never_blocked;
}

void dt_signal_faults_pass_on(bool is_blocked)
{
    uint64_t mask = kept_open.blocked;
    if (mask)
        dt_syscall(SYS_rt_sigprocmask, is_blocked ? SIG_BLOCK : SIG_UNBLOCK, (long)&mask, 0, sizeof mask, 0, 0);
}
