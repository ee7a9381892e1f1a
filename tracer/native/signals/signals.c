/* The program's view of its signal handlers: the C library's functions that set and tell them, hidden by ours. What the
 * program asks for reaches the kernel but for three things: our handler where it wants the default action of a watched
 * signal, the stub where it wants a handler, and SA_ONSTACK (signals.h). */
#include "native/signals/signals.h"

#include <dlfcn.h>
#include <errno.h>

#include "record/debug.h"
#include "record/process.h"
#include "record/signatures.h"

#define DT_EXPORTED __attribute__((visibility("default")))

typedef void plain_handler(int number);
typedef plain_handler *setter(int number, plain_handler *handler);
typedef int action_function(int number, const struct sigaction *action, struct sigaction *old);
typedef int stack_function(const stack_t *stack, stack_t *old);

enum { DT_RESTORER = 0x04000000 /* SA_RESTORER: as the C library sets it */ };

static struct {
    bool on;
    bool program_has_stacks;       /* it has set an alternate stack of its own */
    bool masks_bus[_NSIG];         /* SIGBUS left out of its handlers' masks: kept_open.c */
    int changed_flags[_NSIG];      /* of its handlers: SA_ONSTACK and SA_RESETHAND left out, SA_SIGINFO put in */
    struct sigaction asked[_NSIG]; /* what it set where our handler stands for the default action */
} view;

bool dt_signals_are_ours(int number)
{
    return view.on && number > 0 && number < _NSIG && dt_sys_pid() == dt_process.header->pid;
}

void *dt_hidden_function(const char *name)
{
    int before = errno;
    dt_guard++;
    void *function = dlsym(RTLD_NEXT, name);
    dt_guard--;
    errno = before;
    return function;
}

static action_function *next_sigaction(void)
{
    static action_function *next;
    if (!next)
        *(void **)&next = dt_hidden_function("sigaction");
    return next;
}

/* ---- what is set ------------------------------------------------------------------------------- */

/* What is no address of a program's goes to the kernel as it is, and comes back so. */
static bool is_function(plain_handler *handler)
{
    static const uint64_t addresses_end = 1ull << 47;
    return handler != SIG_DFL && handler != SIG_IGN && handler != SIG_HOLD && (uint64_t)handler < addresses_end;
}

static void note_handler(void)
{
    if (dt_process.has_handlers)
        return;
    dt_process.has_handlers = true;
    dt_signatures_changed(); /* if the program can jump, no call is shown to the stubs any more */
}

static plain_handler *as_plain(void (*handler)(int, siginfo_t *, void *))
{
    return (plain_handler *)(void *)handler;
}

static bool is_own_handler(plain_handler *handler)
{
    return handler == as_plain(dt_signal_default) || handler == as_plain(dt_signal_stub);
}

static struct sigaction default_action(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = dt_signal_default;
    action.sa_flags = SA_SIGINFO | (view.program_has_stacks ? 0 : SA_ONSTACK);
    memset(&action.sa_mask, 0xff, sizeof action.sa_mask);
    return action;
}

static uint64_t entry(plain_handler *wanted, int flags)
{
    if (!(flags & (int)SA_RESETHAND))
        return (uint64_t)wanted;
    return (uint64_t)wanted | (dt_signal_handlers_can_be_taken() ? DT_HANDLER_ONCE : DT_HANDLER_TAKEN_AT_ONCE);
}

/* The handler that the kernel is given for one that the program wants. */
static plain_handler *stand_in(int number, plain_handler *wanted, int flags)
{
    if (wanted == SIG_DFL && dt_signal_ends(number) && !dt_is_filtered())
        return as_plain(dt_signal_default);
    if (!is_function(wanted) || is_own_handler(wanted))
        return wanted;
    __atomic_store_n(&dt_signal_handlers[number], entry(wanted, flags), __ATOMIC_RELEASE);
    return as_plain(dt_signal_stub);
}

/* Of a handler of the program: SA_ONSTACK means nothing yet, the stub has a use for SA_SIGINFO, and what SA_RESETHAND
 * asks for is done by us. */
static void change_flags(int number, struct sigaction *action)
{
    int before = action->sa_flags;
    if (!is_function(action->sa_handler) || action->sa_sigaction == dt_signal_default)
        return;
    if (!view.program_has_stacks)
        action->sa_flags &= ~SA_ONSTACK;
    if (action->sa_sigaction == dt_signal_stub) {
        action->sa_flags |= SA_SIGINFO;
        if (dt_signal_handlers[number] & DT_HANDLER_ONCE)
            action->sa_flags &= ~(int)SA_RESETHAND;
    }
    view.changed_flags[number] = before ^ action->sa_flags;
}

static struct sigaction replace_action(int number, const struct sigaction *wanted)
{
    struct sigaction action = *wanted;
    plain_handler *handler = stand_in(number, wanted->sa_handler, wanted->sa_flags);
    dt_debug(DT_DEBUG_SIGNALS, "action set for signal", (uint64_t)number, NULL);
    view.changed_flags[number] = 0;
    if (handler == as_plain(dt_signal_default) && wanted->sa_handler == SIG_DFL) {
        view.asked[number] = *wanted;
        view.asked[number].sa_flags |= DT_RESTORER;
        sigdelset(&view.asked[number].sa_mask, SIGKILL);
        sigdelset(&view.asked[number].sa_mask, SIGSTOP);
        return default_action();
    }
    action.sa_handler = handler;
    if (is_function(handler))
        note_handler();
    change_flags(number, &action);
    view.masks_bus[number] = handler == as_plain(dt_signal_stub) && sigismember(&action.sa_mask, SIGBUS) == 1;
    if (view.masks_bus[number])
        sigdelset(&action.sa_mask, SIGBUS);
    return action;
}

/* ---- what is told ------------------------------------------------------------------------------ */

/* What the program knew of a signal before it changed something. */
struct known {
    plain_handler *handler;
    bool masks_bus;
    int changed_flags;
    struct sigaction asked;
};

static struct known what_is_known(int number)
{
    uint64_t handler = __atomic_load_n(&dt_signal_handlers[number], __ATOMIC_ACQUIRE);
    struct known known = {(plain_handler *)(handler & DT_HANDLER_ADDRESS), view.masks_bus[number],
                          view.changed_flags[number], view.asked[number]};
    return known;
}

static plain_handler *told_handler(const struct known *known, plain_handler *kernels)
{
    if (kernels == as_plain(dt_signal_stub))
        return known->handler;
    return kernels == as_plain(dt_signal_default) ? SIG_DFL : kernels;
}

static struct sigaction told_action(const struct known *known, const struct sigaction *kernels)
{
    struct sigaction action = *kernels;
    if (kernels->sa_sigaction == dt_signal_default) {
        action = known->asked;
        action.sa_restorer = action.sa_flags & DT_RESTORER ? kernels->sa_restorer : NULL;
        return action;
    }
    if (kernels->sa_sigaction == dt_signal_stub && known->masks_bus)
        sigaddset(&action.sa_mask, SIGBUS);
    action.sa_handler = told_handler(known, kernels->sa_handler);
    action.sa_flags ^= known->changed_flags;
    return action;
}

/* From now on SA_ONSTACK means something. Go's runtime sets its stacks by bare system calls. */
static void program_has_stacks(void)
{
    action_function *next = next_sigaction();
    struct sigaction action;
    uint64_t mask = dt_signal_actions_lock();
    view.program_has_stacks = true;
    for (int number = 1; number < _NSIG; number++) {
        bool left_out = view.changed_flags[number] & SA_ONSTACK;
        if ((!dt_signal_ends(number) && !left_out) || next(number, NULL, &action) != 0 ||
            !is_function(action.sa_handler))
            continue;
        if (action.sa_sigaction == dt_signal_default)
            action = default_action();
        else if (left_out)
            action.sa_flags |= SA_ONSTACK;
        view.changed_flags[number] &= ~SA_ONSTACK;
        next(number, &action, NULL);
    }
    dt_signal_actions_unlock(mask);
}

/* ---- the C library's functions ----------------------------------------------------------------- */

static int set_action(int number, const struct sigaction *action, struct sigaction *old)
{
    struct sigaction wanted = *action, before; /* it may be nowhere: then it is the program that this hits */
    uint64_t mask = dt_signal_actions_lock();
    struct known known = what_is_known(number);
    wanted = replace_action(number, &wanted);
    int result = next_sigaction()(number, &wanted, &before);
    dt_signal_actions_unlock(mask);
    if (result == 0 && old)
        *old = told_action(&known, &before);
    return result;
}

static int tell_action(int number, struct sigaction *old)
{
    struct known known = what_is_known(number);
    struct sigaction now;
    int result = next_sigaction()(number, NULL, &now);
    if (result == 0)
        *old = told_action(&known, &now);
    return result;
}

DT_EXPORTED int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    action_function *next = next_sigaction();
    if (!dt_signals_are_ours(number) || (!action && !old))
        return next(number, action, old);
    if (dt_process.has_go && !view.program_has_stacks)
        program_has_stacks();
    return action ? set_action(number, action, old) : tell_action(number, old);
}

/* What these functions cannot ask for. */
static void complete(int number)
{
    struct sigaction now;
    view.changed_flags[number] = 0;
    if (next_sigaction()(number, NULL, &now) != 0)
        return;
    if (now.sa_sigaction == dt_signal_default) {
        view.asked[number] = now;
        view.asked[number].sa_handler = SIG_DFL;
        now = default_action();
    }
    change_flags(number, &now);
    next_sigaction()(number, &now, NULL);
}

static plain_handler *set_by(setter *next, int number, plain_handler *handler)
{
    if (!dt_signals_are_ours(number))
        return next(number, handler);
    struct known known = what_is_known(number);
    plain_handler *replaced = handler == SIG_HOLD ? handler : stand_in(number, handler, 0);
    if (is_function(handler))
        note_handler();
    plain_handler *before = next(number, replaced);
    if (before == SIG_ERR)
        return before;
    if (handler != SIG_HOLD)
        complete(number);
    return told_handler(&known, before);
}

static plain_handler *set_alone(setter *next, int number, plain_handler *handler)
{
    if (!dt_signals_are_ours(number))
        return next(number, handler);
    uint64_t mask = dt_signal_actions_lock();
    plain_handler *before = set_by(next, number, handler);
    dt_signal_actions_unlock(mask);
    return before;
}

/* That it is called once has to be known before it is set. */
static plain_handler *set_once(setter *next, int number, plain_handler *handler)
{
    if (!dt_signals_are_ours(number) || handler == SIG_ERR)
        return next(number, handler);
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = (int)SA_RESETHAND | SA_NODEFER | SA_INTERRUPT;
    return set_action(number, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

#define DT_SETTER(name, set)                                                                                           \
    DT_EXPORTED plain_handler *name(int number, plain_handler *handler);                                               \
    DT_EXPORTED plain_handler *name(int number, plain_handler *handler)                                                \
    {                                                                                                                  \
        static setter *next;                                                                                           \
        if (!next)                                                                                                     \
            *(void **)&next = dt_hidden_function(#name);                                                               \
        return set(next, number, handler);                                                                             \
    }

DT_SETTER(signal, set_alone)
DT_SETTER(bsd_signal, set_alone)
DT_SETTER(ssignal, set_alone)
DT_SETTER(sysv_signal, set_once)
DT_SETTER(__sysv_signal, set_once)
DT_SETTER(sigset, set_by) /* it changes the thread's mask, too, which is not the program's while we are alone */

/* ---- alternate stacks -------------------------------------------------------------------------- */

static bool is_own_stack(const stack_t *stack)
{
    return dt_self && dt_self->signal_stack && stack->ss_sp == dt_self->signal_stack && !(stack->ss_flags & SS_DISABLE);
}

static bool has_stack(stack_function *next)
{
    stack_t now = {.ss_flags = SS_DISABLE};
    return next(NULL, &now) == 0 && !(now.ss_flags & SS_DISABLE) && !is_own_stack(&now);
}

DT_EXPORTED int sigaltstack(const stack_t *stack, stack_t *old)
{
    static stack_function *next;
    if (!next)
        *(void **)&next = dt_hidden_function("sigaltstack");
    static const stack_t none = {.ss_flags = SS_DISABLE};
    int result = next(stack, old); /* the kernel reads and writes there, or answers EFAULT */
    if (result == 0 && stack && view.on && !view.program_has_stacks && has_stack(next))
        program_has_stacks();
    if (result == 0 && old && is_own_stack(old))
        *old = none;
    return result;
}

void dt_signal_stack_give(const struct dt_thread_state *thread)
{
    stack_t now = {.ss_flags = SS_DISABLE}, own = {.ss_sp = thread->signal_stack, .ss_size = DT_SIGNAL_STACK_BYTES};
    if (view.on && !view.program_has_stacks && thread->signal_stack &&
        dt_syscall(SYS_sigaltstack, 0, (long)&now, 0, 0, 0, 0) == 0 && (now.ss_flags & SS_DISABLE))
        dt_syscall(SYS_sigaltstack, (long)&own, 0, 0, 0, 0, 0);
}

void dt_signal_stack_take(const struct dt_thread_state *thread)
{
    stack_t now = {.ss_flags = SS_DISABLE}, none = {.ss_flags = SS_DISABLE};
    if (thread->signal_stack && dt_syscall(SYS_sigaltstack, 0, (long)&now, 0, 0, 0, 0) == 0 && is_own_stack(&now))
        dt_syscall(SYS_sigaltstack, (long)&none, 0, 0, 0, 0, 0);
}

/* ---- start ------------------------------------------------------------------------------------- */

/* Go's runtime takes a handler that is there for the program's own and leaves crashes to it. */
static bool has_go(void)
{
    return dt_process.has_go || dlsym(RTLD_DEFAULT, "_cgo_topofstack");
}

void dt_signals_initialise(void)
{
    if (has_go())
        return;
    view.on = true;
    for (int number = 1; number < _NSIG; number++) {
        struct sigaction own = default_action(), now;
        if (!dt_signal_ends(number) || next_sigaction()(number, NULL, &now) != 0 || now.sa_handler != SIG_DFL)
            continue;
        view.asked[number] = now;
        next_sigaction()(number, &own, NULL);
    }
}

void dt_signals_leave(void)
{
    struct sigaction now;
    for (int number = 1; view.on && number < _NSIG; number++)
        if (dt_signal_ends(number) && next_sigaction()(number, NULL, &now) == 0 &&
            now.sa_sigaction == dt_signal_default)
            next_sigaction()(number, &view.asked[number], NULL);
}

void dt_signal_handlers_leave(void)
{
    if (!view.on)
        return;
    uint64_t mask = dt_signal_actions_lock();
    for (int number = 1; number < _NSIG; number++) {
        struct sigaction now;
        uint64_t handler = dt_signal_handlers[number];
        if (!(handler & DT_HANDLER_ONCE) || next_sigaction()(number, NULL, &now) != 0 ||
            now.sa_sigaction != dt_signal_stub)
            continue;
        handler = (handler & DT_HANDLER_ADDRESS) | DT_HANDLER_TAKEN_AT_ONCE;
        __atomic_store_n(&dt_signal_handlers[number], handler, __ATOMIC_RELEASE);
        now.sa_flags |= (int)SA_RESETHAND;
        view.changed_flags[number] &= ~(int)SA_RESETHAND;
        next_sigaction()(number, &now, NULL);
    }
    dt_signal_actions_unlock(mask);
}
