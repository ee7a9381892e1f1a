/* Children with a copy of this process's memory. The C library's fork() calls handlers of ours; what else makes such
 * children by the C library is replaced by ours: _Fork(), clone(), and the bare system calls. */
#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "native/arguments/calls.h"
#include "native/bare_calls.h"
#include "native/signals/signals.h"
#include "native/stack/migrated_calls.h"
#include "native/stack/threads.h"
#include "record/arrays.h"
#include "record/ended_threads.h"
#include "record/held_signals.h"
#include "record/ring.h"
#include "record/signatures.h"
#include "record/switch.h"
#include "system/reserved_memory.h"

#define DT_EXPORTED __attribute__((visibility("default")))

typedef int child_function(void *argument);
typedef int clone_function(child_function *function, void *stack, int flags, void *argument, long parent_id, long tls,
                           long child_id);

static struct {
    bool watched;
    pid_t (*fork)(void); /* _Fork(): looked up beforehand, for handlers may call it */
} view;

/* ---- what is done around it -------------------------------------------------------------------- */

static void before_fork(void)
{
    dt_guard++;
    dt_switch_close(dt_self);
}

static void after_fork_in_parent(void)
{
    dt_guard--;
    if (dt_self && !dt_self->unwinding)
        dt_switch_open(dt_self);
}

/* Other threads, which are not there any more, may have been at work anywhere. */
static void forget_others(struct dt_thread_state *thread)
{
    dt_process.threads = 0;
    dt_process.live_threads = 1;
    dt_signal_actions_reset();
    dt_signal_order_reset();
    dt_migrated_reset(thread);
    dt_ring_reset(thread);
    dt_ended_reset();
    dt_signatures_reset();
    dt_arrays_reset();
    dt_mpi_finalizing();
}

/* The child records into a file of its own, which starts with the calls that are open. */
static void after_fork_in_child(void)
{
    struct dt_thread_state *thread = dt_self;
    forget_others(thread);
    dt_process.active = dt_process_reopen();
    if (thread) {
        dt_thread_continue(thread);
        dt_recorder_pass_places(thread);
    }
    after_fork_in_parent();
}

/* Around those that call no handlers; `held`: what has to be let in afterwards. */
static bool begin(void)
{
    bool held = dt_signals_hold();
    before_fork();
    return held;
}

static void end(bool held, bool is_child)
{
    int before = errno;
    if (is_child)
        after_fork_in_child();
    else
        after_fork_in_parent();
    dt_signals_let(held);
    errno = before;
}

/* ---- the C library's functions ----------------------------------------------------------------- */

static pid_t next_fork(void)
{
    if (!view.fork)
        *(void **)&view.fork = dt_hidden_function("_Fork");
    if (view.fork)
        return view.fork();
    errno = ENOSYS;
    return -1;
}

DT_EXPORTED pid_t _Fork(void)
{
    if (!view.watched)
        return next_fork();
    bool held = begin();
    pid_t child = next_fork();
    end(held, child == 0);
    return child;
}

/* Its memory is a copy, and so is what is local to the thread. */
static bool is_copy(uint64_t flags)
{
    return view.watched && !(flags & (CLONE_VM | CLONE_SETTLS));
}

struct clone_start {
    child_function *function;
    void *argument;
    bool held;
};

/* On the child's stack; the block is on its copy of the parent's. */
static int child_starts(void *block)
{
    struct clone_start start = *(const struct clone_start *)block;
    end(start.held, true);
    return start.function(start.argument);
}

/* Under a name of its own: arguments are taken as they come, however many there are. */
DT_EXPORTED clone_function dt_program_clone __asm__("clone");
int dt_program_clone(child_function *function, void *stack, int flags, void *argument, long parent_id, long tls,
                     long child_id)
{
    static clone_function *next;
    if (!next)
        *(void **)&next = dt_hidden_function("clone");
    if (!function || !stack || !is_copy((uint32_t)flags))
        return next(function, stack, flags, argument, parent_id, tls, child_id);
    struct clone_start start = {function, argument, begin()};
    int child = next(child_starts, stack, flags, &start, parent_id, tls, child_id);
    end(start.held, false);
    return child;
}

/* ---- bare system calls ------------------------------------------------------------------------- */

/* The first bytes of what clone3 takes. */
struct clone3_arguments {
    uint64_t flags, others[4], stack;
};

bool dt_syscall_forks(long number, long a, long b)
{
    struct clone3_arguments arguments;
    if (number == SYS_fork)
        return is_copy(0);
    if (number == SYS_clone)
        return is_copy((uint64_t)a) && b == 0;
    return b >= (long)sizeof arguments && dt_read_program(&arguments, (const void *)a, sizeof arguments) &&
           is_copy(arguments.flags) && arguments.stack == 0;
}

long dt_fork_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    if (!dt_next_syscall)
        dt_find_syscall();
    bool held = begin();
    long child = dt_next_syscall(number, a, b, c, d, e, f);
    end(held, child == 0);
    return child;
}

/* ---- others ------------------------------------------------------------------------------------ */

/* A page that the kernel empties in a copy of the process: so a child shows that no function above has made. */
static void mark(void)
{
    enum { PAGE = 4096, WIPE_ON_FORK = 18 }; /* MADV_WIPEONFORK, since Linux 4.14 */
    uint32_t *page = dt_kept_allocate(PAGE);
    if (page && !dt_failed(dt_syscall(SYS_madvise, (long)page, PAGE, WIPE_ON_FORK, 0, 0, 0))) {
        *page = 1;
        dt_process.mark = page;
    }
}

void dt_process_began_unseen(struct dt_thread_state *thread)
{
    forget_others(thread);
    dt_process_give_up();
    if (thread)
        dt_thread_continue(thread);
}

/* What pthread_atfork() calls in the GNU C library, and in no other one. */
extern int __register_atfork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void), void *image)
    __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

bool dt_is_gnu_c_library(void)
{
    return &__register_atfork != NULL;
}

void dt_forks_initialise(void)
{
    *(void **)&view.fork = dt_hidden_function("_Fork");
    view.watched = __register_atfork(before_fork, after_fork_in_parent, after_fork_in_child, &__dso_handle) == 0;
    mark();
}
