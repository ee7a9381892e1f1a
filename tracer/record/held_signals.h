/** Keeping the program's signal handlers out for some instructions. Costs two stores where no signal comes. */
#ifndef DT_RECORD_HELD_SIGNALS_H
#define DT_RECORD_HELD_SIGNALS_H

#include "record/process.h"

#ifndef DT_THREADS_BY_ENGINE
/** The program's signals, while its handlers have to wait (dt_signals_hold()). */
struct dt_held_signals {
    uint64_t stack; /* pointer of the outermost function that holds them; 0: none does */
    bool deferred;  /* one came: it has been sent again, and they are blocked */
    uint64_t mask;  /* before that */
};
extern __thread struct dt_held_signals dt_held_signals __attribute__((tls_model("initial-exec")));
/** Lets them in again. */
void dt_signals_deliver(void);
/** Before a program is executed: SIGBUS and SIGSEGV are blocked as this one has them, which the kernel does not know
 * (kept_open.c); and no longer where that has failed. */
void dt_signal_faults_pass_on(bool is_blocked);
#endif

/**
 * No handler of the program runs between these two: its signals come a little later. What handlers call here could not
 * be recorded, or not all of it where the next signal is there before a handler returns; and one that leaves by
 * siglongjmp must not leave what is half done. Gives what dt_signals_let() takes: whether it was not held before.
 */
#ifndef DT_THREADS_BY_ENGINE
/** Whether a function that is still there holds them: one whose stack is gone has been left, by cancellation or with a
 * child of vfork that died in it. */
static inline bool dt_signals_are_held(uint64_t stack)
{
    return dt_held_signals.stack && stack <= dt_held_signals.stack;
}

static inline bool dt_signals_hold(void)
{
    uint64_t stack;
    if (!dt_process.has_handlers)
        return false;
    __asm__ volatile("mov %%rsp, %0" : "=r"(stack));
    if (dt_signals_are_held(stack))
        return false;
    dt_held_signals.stack = stack;
    dt_compiler_barrier();
    return true;
}

static inline void dt_signals_let(bool held)
{
    if (!held)
        return;
    dt_compiler_barrier();
    dt_held_signals.stack = 0;
    dt_compiler_barrier();
    if (dt_held_signals.deferred)
        dt_signals_deliver();
}
#else
static inline bool dt_signals_hold(void)
{
    return false;
}

static inline void dt_signals_let(bool held)
{
    (void)held;
}
#endif

#endif
