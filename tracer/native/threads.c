/* Threads: numbered where pthread_create is called, so that silent ones count too and all runs number alike. */
#include <limits.h>
#include <pthread.h>

#include "native/arguments/calls.h"
#include "native/signals/signals.h"
#include "native/stack/migrated_calls.h"
#include "native/stack/shadow_stack.h"
#include "native/stack/threads.h"

/* What a new thread needs to know; replaces its start routine's argument. */
struct start {
    void *(*routine)(void *);
    void *argument;
    uint32_t kind, number, creator;
    uint64_t faults_blocked; /* by the creator */
};

static pthread_key_t end_key;
static bool have_end_key;
/* The last pthread_create of this thread, to give its number back. */
static __thread struct start *creating __attribute__((tls_model("initial-exec")));

/* ---- begin and end ---------------------------------------------------------------------------- */

static bool begin_numbered(uint32_t kind, uint32_t number, uint32_t creator)
{
    uint64_t thread_pointer;
    __asm__("mov %%fs:0, %0" : "=r"(thread_pointer));
    bool main_thread = dt_sys_tid() == dt_sys_pid();
    uint64_t stack_high = main_thread ? dt_process.main_stack_high : thread_pointer;
    bool opened = dt_thread_open(kind, number, creator, stack_high - ((uint64_t)1 << 30), stack_high);
    if (opened)
        dt_signal_stack_give(dt_self);
    if (opened && main_thread)
        dt_migrated_join(dt_self);
    return opened;
}

bool dt_thread_begin(uint32_t kind, uint32_t number, uint32_t creator)
{
    bool main_thread = dt_sys_tid() == dt_sys_pid();
    return begin_numbered(kind, main_thread ? number : dt_thread_next_number(kind), creator);
}

/* Closes the trace. */
static void end_thread(struct dt_thread_state *thread)
{
    dt_guard++;
    dt_thread_close(thread);
    dt_shadow_abandon(thread);
    dt_migrated_leave(thread);
    if (!dt_shadow_has_open_calls(thread)) {
        dt_calls_release(thread);
        dt_signal_stack_take(thread);
        dt_thread_free(thread);
    }
    dt_guard--;
}

/* ---- creation -------------------------------------------------------------------------------- */

/* The last of the thread's own destructors closes its trace; destructors of the program may still call traced functions
 * before, so it waits for the last round. */
static void thread_ends(void *round)
{
    uintptr_t next = (uintptr_t)round + 1;
    if (next < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(end_key, (void *)next) == 0)
        return;
    if (dt_self)
        end_thread(dt_self);
}

static void *thread_starts(void *block)
{
    struct start start = *(struct start *)block;
    uint64_t mask = dt_sys_hold_signals(); /* else what handlers call meanwhile would be left out */
    dt_guard++;
    dt_sys_munmap(block, sizeof start);
    if (dt_self)
        dt_thread_identify(dt_self, start.kind, start.number, start.creator);
    else if (dt_process.active)
        begin_numbered(start.kind, start.number, start.creator);
    if (have_end_key && pthread_setspecific(end_key, (void *)1) == 0 && dt_self)
        dt_migrated_join(dt_self);
    dt_guard--;
    dt_sys_restore_signals(mask);
    if (start.faults_blocked)
        dt_signal_faults_inherit(start.faults_blocked);
    return start.routine(start.argument);
}

void dt_thread_created(struct dt_entry_registers *registers, bool by_library)
{
    struct start *start = dt_sys_allocate(sizeof *start);
    creating = start;
    if (!start)
        return;
    start->routine = (void *(*)(void *))registers->rdx;
    start->argument = (void *)registers->rcx;
    start->kind = by_library ? DT_THREAD_LIBRARY : DT_THREAD_APP;
    start->creator = dt_self ? dt_self->index : UINT32_MAX;
    start->number = dt_thread_next_number(start->kind);
    start->faults_blocked = dt_signal_faults_blocked();
    registers->rdx = (uint64_t)thread_starts;
    registers->rcx = (uint64_t)start;
}

void dt_thread_creation_done(int result)
{
    struct start *start = creating;
    creating = NULL;
    if (!start || result == 0)
        return;
    dt_thread_give_back(start->kind, start->number);
    dt_sys_munmap(start, sizeof *start);
}

/* ---- start ------------------------------------------------------------------------------------- */

void dt_threads_initialise(void)
{
    have_end_key = pthread_key_create(&end_key, thread_ends) == 0;
    dt_forks_initialise();
}
