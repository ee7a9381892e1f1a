/* Filters of system calls that the program sets (seccomp). The C library's functions that set them are replaced by
 * ours: a filter is known here before the kernel has it, and from then on the runtime makes no call that the filter
 * would not let be made. All filters count for all threads, though some hold for one alone. */
#include <errno.h>
#include <linux/audit.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/uio.h>

#include "native/bare_calls.h"
#include "native/signals/signals.h"
#include "native/system_filter.h"
#include "record/process.h"
#include "record/times.h"
#include "record/trace_writer.h"
#include "system/reserved_memory.h"

#define DT_EXPORTED __attribute__((visibility("default")))

enum { DT_MOST_FILTERS = 32, DT_CODE_BYTES = BPF_MAXINSNS * sizeof(struct sock_filter) };

struct filter {
    uint32_t taken;
    uint32_t length;          /* 0: it does not count */
    struct sock_filter *code; /* DT_CODE_BYTES; stays for the next one */
};

static struct {
    struct filter list[DT_MOST_FILTERS];
    uint32_t strict; /* calls that asked for the strict mode and did not fail */
    uint32_t closed; /* filters that are not known: nothing is allowed */
} filters;

uint32_t dt_filters_active;

/* ---- what they answer -------------------------------------------------------------------------- */

static bool is_allowed_strictly(long number)
{
    return number == SYS_read || number == SYS_write || number == SYS_exit || number == SYS_rt_sigreturn;
}

static uint32_t answer(const struct seccomp_data *call)
{
    uint32_t answer = SECCOMP_RET_ALLOW;
    if (__atomic_load_n(&filters.closed, __ATOMIC_ACQUIRE) ||
        (__atomic_load_n(&filters.strict, __ATOMIC_ACQUIRE) && !is_allowed_strictly(call->nr)))
        return SECCOMP_RET_KILL_THREAD;
    for (int i = 0; i < DT_MOST_FILTERS; i++) {
        const struct filter *filter = &filters.list[i];
        uint32_t length = __atomic_load_n(&filter->length, __ATOMIC_ACQUIRE);
        if (length)
            answer = dt_system_filter_stricter(answer, dt_system_filter_run(filter->code, length, call));
    }
    return answer;
}

/* The instruction behind the system call is somewhere in this library; filters that look at it are for others. */
static struct seccomp_data as_data(long number, const long *arguments)
{
    struct seccomp_data call;
    memset(&call, 0, sizeof call);
    call.nr = (int)number;
    call.arch = AUDIT_ARCH_X86_64;
    call.instruction_pointer = (uint64_t)&dt_filtered_syscall;
    memcpy(call.args, arguments, sizeof call.args);
    return call;
}

static bool lets_be_made(uint32_t answer)
{
    uint32_t action = answer & SECCOMP_RET_ACTION_FULL;
    return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG;
}

/* Instead of a call that is not made: what is known of process and thread without it. */
static long substitute(long number, uint32_t answer)
{
    const struct dt_thread_state *thread = dt_self;
    if (number == SYS_getpid && dt_process.header)
        return dt_process.header->pid;
    if (number == SYS_gettid)
        return thread && thread->shared ? (long)thread->shared->tid : 0;
    uint32_t error = answer & SECCOMP_RET_DATA;
    bool has_error = (answer & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO && error > 0 && error < 4096;
    /* Who asks again after these would do so for ever. */
    return has_error && error != EINTR && error != EAGAIN ? -(long)error : -EPERM;
}

long dt_filtered_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    const long arguments[] = {a, b, c, d, e, f};
    struct seccomp_data call = as_data(number, arguments);
    uint32_t result = answer(&call);
    if (lets_be_made(result))
        return dt_unfiltered_syscall(number, a, b, c, d, e, f);
    return substitute(number, result);
}

int dt_filters_allow(long number, long a, long b)
{
    const long arguments[] = {a, b, 0, 0, 0, 0};
    struct seccomp_data call = as_data(number, arguments);
    return lets_be_made(answer(&call));
}

/* ---- what is set ------------------------------------------------------------------------------- */

/* A program may ask with addresses where nothing is, to learn what the kernel knows. */
bool dt_read_program(void *to, const void *from, size_t bytes)
{
    struct iovec here = {to, bytes}, there = {(void *)from, bytes};
    long got = dt_syscall(SYS_process_vm_readv, dt_sys_pid(), (long)&here, 1, (long)&there, 1, 0);
    if (got == -EPERM || got == -ENOSYS) {
        if ((uint64_t)from < 4096)
            return false;
        memcpy(to, from, bytes);
        return true;
    }
    return got == (long)bytes;
}

static struct filter *free_filter(void)
{
    for (int i = 0; i < DT_MOST_FILTERS; i++) {
        struct filter *filter = &filters.list[i];
        if (__atomic_exchange_n(&filter->taken, 1, __ATOMIC_ACQUIRE))
            continue;
        if (!filter->code)
            filter->code = dt_kept_allocate(DT_CODE_BYTES);
        if (filter->code)
            return filter;
        __atomic_store_n(&filter->taken, 0, __ATOMIC_RELEASE);
        return NULL;
    }
    return NULL;
}

/* What counts from now on, to be taken back if the kernel does not take it; NULL: nothing the kernel could take. */
static uint32_t *add_filter(const struct sock_fprog *wanted)
{
    struct sock_fprog program;
    if (!dt_read_program(&program, wanted, sizeof program) || program.len == 0 || program.len > BPF_MAXINSNS)
        return NULL;
    struct filter *filter = free_filter();
    if (!filter) {
        __atomic_fetch_add(&filters.closed, 1, __ATOMIC_RELEASE);
        return &filters.closed;
    }
    if (!dt_read_program(filter->code, program.filter, program.len * sizeof *program.filter)) {
        __atomic_store_n(&filter->taken, 0, __ATOMIC_RELEASE);
        return NULL;
    }
    __atomic_store_n(&filter->length, program.len, __ATOMIC_RELEASE);
    return &filter->length;
}

/* The kernel takes the counter away from the thread, too. */
static uint32_t *add_strict(void)
{
    dt_times_forbid();
    __atomic_fetch_add(&filters.strict, 1, __ATOMIC_RELEASE);
    return &filters.strict;
}

static void take_back(uint32_t *added)
{
    __atomic_fetch_sub(&dt_filters_active, 1, __ATOMIC_RELEASE);
    if (added == &filters.strict || added == &filters.closed) {
        __atomic_fetch_sub(added, 1, __ATOMIC_RELEASE);
        return;
    }
    struct filter *filter = (struct filter *)((char *)added - offsetof(struct filter, length));
    __atomic_store_n(&filter->length, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&filter->taken, 0, __ATOMIC_RELEASE);
}

/* Our handlers of fatal signals end the program by calls that may be forbidden now. */
static bool ends_by_signal(void)
{
    return dt_filters_allow(SYS_rt_sigaction, 11, 1) && dt_filters_allow(SYS_rt_tgsigqueueinfo, 1, 1);
}

/* Nothing is there if `wanted` is no filter that the kernel could take. */
static uint32_t *begin(bool strict, const struct sock_fprog *wanted)
{
    if (dt_process.active)
        dt_writer_take_ahead();
    bool could_end = ends_by_signal(), could_take = dt_signal_handlers_can_be_taken();
    uint32_t *added = strict ? add_strict() : add_filter(wanted);
    if (!added)
        return NULL;
    if (could_end && !ends_by_signal())
        dt_signals_leave(); /* while the kernel still lets it */
    if (could_take && !dt_signal_handlers_can_be_taken())
        dt_signal_handlers_leave();
    __atomic_fetch_add(&dt_filters_active, 1, __ATOMIC_RELEASE);
    return added;
}

/* ---- the C library's functions ----------------------------------------------------------------- */

long (*dt_next_syscall)(long number, ...);

void *dt_find_syscall(void)
{
    int before = errno;
    *(void **)&dt_next_syscall = dt_hidden_function("syscall");
    errno = before;
    return *(void **)&dt_next_syscall;
}

static uint32_t *begin_prctl(long option, long mode, long filter)
{
    /* The kernel's function would read the counter that the program forbids; the system call does not. */
    if (option == PR_SET_TSC && mode == PR_TSC_SIGSEGV) {
        dt_times_forbid();
        __atomic_store_n(&dt_process.clock, NULL, __ATOMIC_RELAXED);
    }
    if (option != PR_SET_SECCOMP || (mode != SECCOMP_MODE_STRICT && mode != SECCOMP_MODE_FILTER))
        return NULL;
    return begin(mode == SECCOMP_MODE_STRICT, (const struct sock_fprog *)filter);
}

static uint32_t *begin_seccomp(long operation, long filter)
{
    if (operation != SECCOMP_SET_MODE_STRICT && operation != SECCOMP_SET_MODE_FILTER)
        return NULL;
    return begin(operation == SECCOMP_SET_MODE_STRICT, (const struct sock_fprog *)filter);
}

/* The answer is a descriptor, or a thread that could not be brought along. */
static bool has_been_set(long operation, long flags, long result)
{
    bool gives_descriptor = operation == SECCOMP_SET_MODE_FILTER && (flags & (long)SECCOMP_FILTER_FLAG_NEW_LISTENER);
    return gives_descriptor ? result >= 0 : result == 0;
}

static uint32_t *begin_syscall(long number, long a, long b, long c)
{
    if (number == SYS_seccomp)
        return begin_seccomp((int)a, c);
    if (number == SYS_prctl)
        return begin_prctl((int)a, b, c);
    dt_writer_size_ahead(); /* as user_and_root.c does */
    return NULL;
}

long dt_program_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    if (!dt_next_syscall)
        dt_find_syscall();
    uint32_t *added = begin_syscall(number, a, b, c);
    long result = dt_next_syscall(number, a, b, c, d, e, f);
    bool set = number == SYS_seccomp ? has_been_set((int)a, b, result) : result == 0;
    if (added && !set)
        take_back(added);
    return result;
}

/* Under a name of its own: arguments are taken as they come, however many there are. */
DT_EXPORTED int dt_program_prctl(int option, long a, long b, long c, long d) __asm__("prctl");
int dt_program_prctl(int option, long a, long b, long c, long d)
{
    static int (*next)(int, ...);
    if (!next)
        *(void **)&next = dt_hidden_function("prctl");
    uint32_t *added = begin_prctl(option, a, b);
    int result = next(option, a, b, c, d);
    if (added && result != 0)
        take_back(added);
    return result;
}
