/* Raw system calls: the runtime must not enter libc from inside the program's calls (it may be traced, hold locks, or
 * set errno). All return -errno on failure. */
#ifndef DT_SYSTEM_SYSTEM_H
#define DT_SYSTEM_SYSTEM_H

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#ifndef MADV_POPULATE_WRITE /* C libraries older than Linux 5.14, and Pin's */
#define MADV_POPULATE_WRITE 23
#endif

#ifdef DT_SEES_FILTERS
/* Filters of system calls that the program has set: program_filters.c. */
extern uint32_t dt_filters_active __attribute__((visibility("hidden")));
/* Makes the call if all filters let it be made, else answers -EPERM or the error that a filter asks for. */
long dt_filtered_syscall(long number, long a, long b, long c, long d, long e, long f);
/* Whether they do, with these arguments and noughts. */
int dt_filters_allow(long number, long a, long b);
#endif

/* With these arguments, for calls that somebody else makes. */
static inline int dt_may_call(long number, long a, long b)
{
#ifdef DT_SEES_FILTERS
    return __builtin_expect(!dt_filters_active, 1) || dt_filters_allow(number, a, b);
#else
    (void)number, (void)a, (void)b;
    return 1;
#endif
}

/* Whether the program has set a filter: then nothing is called that makes system calls by itself. */
static inline int dt_is_filtered(void)
{
#ifdef DT_SEES_FILTERS
    return dt_filters_active != 0;
#else
    return 0;
#endif
}

static inline long dt_unfiltered_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static inline long dt_syscall(long number, long a, long b, long c, long d, long e, long f)
{
#ifdef DT_SEES_FILTERS
    if (__builtin_expect(dt_filters_active, 0))
        return dt_filtered_syscall(number, a, b, c, d, e, f);
#endif
    return dt_unfiltered_syscall(number, a, b, c, d, e, f);
}

static inline int dt_failed(long result)
{
    return result < 0 && result > -4096;
}

static inline void *dt_sys_mmap(size_t bytes, int protection, int flags, int fd, uint64_t offset)
{
    long result = dt_syscall(SYS_mmap, 0, (long)bytes, protection, flags, fd, (long)offset);
    return dt_failed(result) ? NULL : (void *)result;
}

/* Zeroed private memory, or NULL. */
static inline void *dt_sys_allocate(size_t bytes)
{
    return dt_sys_mmap(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* Addresses alone, or NULL: they count against RLIMIT_AS, not against RLIMIT_DATA. */
static inline void *dt_sys_reserve(size_t bytes)
{
    return dt_sys_mmap(bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* Reserved whole pages become zeroed memory. */
static inline int dt_sys_commit(void *address, size_t bytes)
{
    return !dt_failed(dt_syscall(SYS_mprotect, (long)address, (long)bytes, PROT_READ | PROT_WRITE, 0, 0, 0));
}

/* What was allocated, whole pages of it, is all zero again: pages are given back, not written to, so that the child of
 * a fork copies none. */
static inline void dt_sys_clear(void *address, size_t bytes)
{
    if (dt_failed(dt_syscall(SYS_madvise, (long)address, (long)((bytes + 4095) & ~4095ul), MADV_DONTNEED, 0, 0, 0)))
        memset(address, 0, bytes);
}

/* Whether a word can be read at that address, wherever it points: the kernel looks there before it finds that nothing
 * of the kind can be done with a mask of signals. */
static inline int dt_sys_can_read(const void *address)
{
    uint64_t word = (uint64_t)address & ~7ul;
    return word && dt_syscall(SYS_rt_sigprocmask, 99, (long)word, 0, 8, 0, 0) != -EFAULT;
}

/* Whole pages that are about to be written, all at once: a fault for each costs more. Without MADV_POPULATE_WRITE
 * (Linux 5.14) there are faults. */
static inline void dt_sys_populate(void *address, size_t bytes)
{
    uint64_t low = (uint64_t)address & ~4095ul, high = ((uint64_t)address + bytes + 4095) & ~4095ul;
    dt_syscall(SYS_madvise, (long)low, (long)(high - low), MADV_POPULATE_WRITE, 0, 0, 0);
}

static inline void dt_sys_munmap(void *address, size_t bytes)
{
    dt_syscall(SYS_munmap, (long)address, (long)bytes, 0, 0, 0, 0);
}

/* Whether a descriptor is of a regular file, and of how many bytes. The kernel's own structure: Pin's C library has
 * another. */
static inline int dt_sys_is_regular(long fd, uint64_t *bytes)
{
    uint64_t status[18] = {0}; /* [3]: mode, in the lower half; [6]: size */
    if (dt_failed(dt_syscall(SYS_fstat, fd, (long)status, 0, 0, 0, 0)) || (status[3] & 0170000) != 0100000)
        return 0;
    *bytes = status[6];
    return 1;
}

static inline uint64_t dt_sys_clock(int clock)
{
    struct timespec now = {0, 0};
    dt_syscall(SYS_clock_gettime, clock, (long)&now, 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint32_t dt_sys_pid(void)
{
    return (uint32_t)dt_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static inline uint32_t dt_sys_tid(void)
{
    return (uint32_t)dt_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

/* What the two below give, and dt_sys_restore_signals() takes, where a filter does not let signals be blocked: SIGKILL
 * is in no mask. */
#define DT_NOT_BLOCKED UINT64_MAX

/* Blocks all signals; gives the old mask. Around every lock of ours, so that no handler can wait for its own thread.
 * But a fault of ours, in memory that was taken away, must reach its handler (own_faults.c). */
static inline uint64_t dt_sys_block_signals(void)
{
#ifdef DT_SEES_OWN_FAULTS
    uint64_t all = ~(uint64_t)(1u << (7 - 1) /* SIGBUS */ | 1u << (11 - 1) /* SIGSEGV */), old = 0;
#else
    uint64_t all = ~(uint64_t)0, old = 0;
#endif
    long result = dt_syscall(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, (long)&all, (long)&old, sizeof old, 0, 0);
    return dt_failed(result) ? DT_NOT_BLOCKED : old;
}

/* All but those that a fault of the thread itself raises: the kernel would end the program, though its handler may have
 * another way. Of ours only the stack's end raises any. */
static const uint64_t dt_no_faults =
    ~(uint64_t)(1u << (4 - 1) /* SIGILL */ | 1u << (5 - 1) /* SIGTRAP */ | 1u << (7 - 1) /* SIGBUS */ |
                1u << (8 - 1) /* SIGFPE */ | 1u << (11 - 1) /* SIGSEGV */ | 1u << (31 - 1) /* SIGSYS */);

static inline uint64_t dt_sys_hold_signals(void)
{
    uint64_t old = 0;
    long result = dt_syscall(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, (long)&dt_no_faults, (long)&old, sizeof old, 0, 0);
    return dt_failed(result) ? DT_NOT_BLOCKED : old;
}

static inline void dt_sys_restore_signals(uint64_t mask)
{
    if (mask != DT_NOT_BLOCKED)
        dt_syscall(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, (long)&mask, 0, sizeof mask, 0, 0);
}

#define dt_compiler_barrier() __asm__ volatile("" ::: "memory")

#endif
