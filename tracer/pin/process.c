/* The process and its threads as an engine outside sees them. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "engine.h"
#include "process.h"
#include "record/api_rules.h"
#include "record/functions.h"
#include "record/process.h"
#include "record/thread.h"
#include "system/system.h"

/* A thread that is being made: who it will be. */
struct creation {
    uint32_t kind, number, creator;
};

enum { DT_MOST_CREATIONS = 256 };

static struct creation creations[DT_MOST_CREATIONS];
static uint32_t creation_count;
static bool has_main_thread;
static uint32_t lock;

static void take_lock(void)
{
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
        dt_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

static void drop_lock(void)
{
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

/* ---- process --------------------------------------------------------------------------------- */

bool dt_engine_start(void)
{
    dt_process.active = dt_process_open() && dt_functions_reserve(0);
    return dt_process.active;
}

static void ends(uint32_t state, int status)
{
    struct dt_file_header *header = dt_process.header;
    if (!dt_process.active || header->end_state != DT_PROCESS_RUNNING)
        return;
    header->end_status = status;
    header->end_monotonic_ns = dt_sys_clock(CLOCK_MONOTONIC);
    dt_compiler_barrier();
    header->end_state = state;
}

void dt_engine_exits(int status)
{
    ends(DT_PROCESS_EXITED, status & 0xff);
}

void dt_engine_killed(int signal_number)
{
    ends(DT_PROCESS_SIGNAL, signal_number);
}

void dt_engine_forked(void)
{
    lock = creation_count = 0;
    dt_process.threads = 0;
    dt_process.active = dt_process_reopen();
    if (dt_self)
        dt_thread_continue(dt_self);
}

/* Pin sees them all. */
void dt_process_began_unseen(struct dt_thread_state *thread)
{
    (void)thread;
}

/* ---- threads --------------------------------------------------------------------------------- */

struct dt_own *dt_engine_own_new(void)
{
    return dt_sys_allocate(sizeof(struct dt_own));
}

void dt_engine_own_free(struct dt_own *own)
{
    if (own)
        dt_sys_munmap(own, sizeof *own);
}

/* The call of pthread_create that is going on, or the place for the next one. */
static uint64_t creating_call(const struct dt_thread_state *thread)
{
    const struct dt_frame *frame = (const struct dt_frame *)dt_hot.top - 1;
    while (frame > thread->frames && dt_functions[frame->index].action != DT_ACTION_PTHREAD_CREATE)
        frame--;
    return frame > thread->frames ? (uint64_t)frame : dt_hot.top;
}

/* Judged by who called pthread_create, as other engines do at its entry. */
static bool made_by_library(const struct dt_thread_state *thread)
{
    uint64_t top = dt_hot.top;
    dt_hot.top = creating_call(thread);
    bool library = dt_api_thread_is_library(thread, dt_api_caller(thread), dt_api_enclosing_call(thread));
    dt_hot.top = top;
    return library;
}

void dt_engine_thread_creating(void)
{
    const struct dt_thread_state *thread = dt_self;
    if (!thread)
        return;
    bool library = made_by_library(thread);
    take_lock();
    if (creation_count < DT_MOST_CREATIONS) {
        uint32_t kind = library ? DT_THREAD_LIBRARY : DT_THREAD_APP;
        creations[creation_count++] = (struct creation){kind, dt_thread_next_number(kind), thread->index};
    }
    drop_lock();
}

void dt_engine_thread_not_created(void)
{
    const struct dt_thread_state *thread = dt_self;
    take_lock();
    uint32_t at = thread ? creation_count : 0;
    while (at > 0 && creations[at - 1].creator != thread->index)
        at--;
    if (at > 0) {
        dt_thread_give_back(creations[at - 1].kind, creations[at - 1].number);
        creation_count--;
        memmove(&creations[at - 1], &creations[at], (creation_count - (at - 1)) * sizeof *creations);
    }
    drop_lock();
}

/* Who the calling thread is: the main one, the one made first of those not started, or one that nobody saw made. */
static struct creation who_starts(void)
{
    struct creation who = {DT_THREAD_APP, 0, UINT32_MAX};
    take_lock();
    if (has_main_thread && creation_count) {
        who = creations[0];
        memmove(creations, creations + 1, --creation_count * sizeof *creations);
    } else if (has_main_thread) {
        who.kind = DT_THREAD_LIBRARY;
        who.number = dt_thread_next_number(who.kind);
    }
    has_main_thread = true;
    drop_lock();
    return who;
}

/* The main thread's mapping grows as it is used. */
static uint64_t room_of_main_stack(void)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    dt_syscall(SYS_prlimit64, 0, RLIMIT_STACK, 0, (long)&limit, 0, 0);
    return limit.rlim_cur < DT_LARGEST_STACK ? limit.rlim_cur : DT_LARGEST_STACK;
}

bool dt_stack_bounds(uint64_t sp, uint64_t *low, uint64_t *high)
{
    char line[512];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && !found && fgets(line, sizeof line, maps)) {
        char *rest = NULL;
        *low = strtoul(line, &rest, 16);
        *high = *rest == '-' ? strtoul(rest + 1, NULL, 16) : 0;
        found = sp >= *low && sp < *high;
        if (found && strstr(line, "[stack]"))
            *low = *high - room_of_main_stack();
    }
    if (maps)
        fclose(maps);
    return found;
}

void dt_engine_thread_starts(uint64_t sp)
{
    if (!dt_process.active)
        return;
    uint64_t low, high;
    if (!dt_stack_bounds(sp, &low, &high)) {
        high = sp;
        low = high - DT_LARGEST_STACK;
    }
    struct creation who = who_starts();
    dt_thread_open(who.kind, who.number, who.creator, low, high);
}

void dt_engine_thread_ends(void)
{
    struct dt_thread_state *thread = dt_self;
    if (!thread)
        return;
    dt_thread_close(thread);
    dt_thread_free(thread);
}
