/**
 * The traced process and its file. `dt_process` is settled at start, by one thread; after that only the fields that say
 * so change. In the child of a fork it is settled anew before anything is recorded.
 */
#ifndef DT_RECORD_PROCESS_H
#define DT_RECORD_PROCESS_H

#include <time.h>

#include "record/thread.h"
#include "system/options.h"

struct dt_process {
    struct dt_options options;
    char *const *arguments; /* as main gets them, for where there is no /proc; NULL: unknown */
    const char *executed;   /* the program's path, as execve() or a script had it; the same */
    bool active;
    bool off;                      /* nothing is recorded at present */
    bool switched;                 /* that may change */
    bool can_jump, has_handlers;   /* the program calls siglongjmp or longjmp; it has set a handler of a signal */
    bool has_go;                   /* an image with Go code has been loaded */
    struct dt_file_header *header; /* mapped */
    uint32_t threads;              /* thread indices given out */
    uint32_t live_threads;
    volatile uint32_t *mark; /* not 0, but in a child with a copy of the memory that began unseen */
    uint64_t main_stack_high;
    uint64_t loader_low, loader_high;                    /* ld.so's code */
    int (*clock)(clockid_t clock, struct timespec *now); /* the kernel's, without a system call; NULL: unknown */
};
extern struct dt_process dt_process;

/** The monotonic clock, fine or to some milliseconds; without a system call if `clock` is known. */
static inline uint64_t dt_clock_read(clockid_t clock)
{
    struct timespec now;
    /* The kernel's function makes the system call where it cannot read the clock; the coarse one it always can. */
    if (!dt_may_call(SYS_clock_gettime, clock, 0))
        clock = CLOCK_MONOTONIC_COARSE;
    int (*read)(clockid_t, struct timespec *) = __atomic_load_n(&dt_process.clock, __ATOMIC_RELAXED);
    if (!read || read(clock, &now) != 0)
        return dt_sys_clock(clock);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t dt_clock_coarse(void)
{
    return dt_clock_read(CLOCK_MONOTONIC_COARSE);
}

static inline uint64_t dt_clock_fine(void)
{
    return dt_clock_read(CLOCK_MONOTONIC);
}

/** Counts what there was no room for, in the file's header. */
static inline void dt_lost(uint32_t *count)
{
    __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

/** Reads the options and makes the file; false: this process is not to be traced. */
bool dt_process_open(void);
/** Instead: says in the run that this process is not traced, if it was to be. */
void dt_process_leave(uint32_t reason);
/** In the child of a fork: a file of its own. */
bool dt_process_reopen(void);
/** The same, but it leaves the file to its parent, says so there, and records nothing. */
void dt_process_give_up(void);
/** That, for a child that began unseen; every engine has its own ways to see them. */
void dt_process_began_unseen(struct dt_thread_state *thread);
/** Looks whether this process is such a child. */
static inline void dt_process_look(void)
{
    if (dt_process.active && __builtin_expect(!*dt_process.mark, 0))
        dt_process_began_unseen(dt_self);
}
static inline bool dt_process_is_recorded(void)
{
    dt_process_look();
    return dt_process.active;
}

#endif
