/**
 * Signals: before a handler of the program begins, what its signal interrupted in a stub is finished. And of those that
 * end programs, which thread they hit: SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT are watched.
 *
 * While the program leaves one of them to the default action, a handler of ours stands for it: it notes the signal in
 * the thread's record and sends it again, for the default action, from the same instruction and with the same siginfo.
 * A handler of the program is called through `dt_signal_stub`, which does that and jumps to it, so that it finds the
 * stack as the kernel made it. The program sees what it set: signals.c answers in the C library's stead.
 *
 * So that the overflow of a stack can be told, each traced thread has an alternate stack of ours while the program has
 * none. It serves our handler alone: until the program sets an alternate stack of its own, SA_ONSTACK means nothing to
 * its handlers, and is left out.
 */
#ifndef DT_SIGNALS_SIGNALS_H
#define DT_SIGNALS_SIGNALS_H

#include <signal.h>
#include <ucontext.h>

#include "record/thread.h"

/** Our handlers take the place of the default action. */
void dt_signals_initialise(void);
/** Gives the default action back: a filter of system calls that the program is about to set forbids what our handlers
 * do to end the process. */
void dt_signals_leave(void);
/** Gives the calling thread an alternate stack if it has none, and takes it away. */
void dt_signal_stack_give(const struct dt_thread_state *thread);
void dt_signal_stack_take(const struct dt_thread_state *thread);

/** The C library's function of that name, which one of ours hides. */
void *dt_hidden_function(const char *name);

/* ---- between the files ------------------------------------------------------------------------- */

/** Stands for the default action. */
void dt_signal_default(int number, siginfo_t *info, void *context);
/** Stands for a handler of the program (signal_stub.S). */
void dt_signal_stub(int number, siginfo_t *info, void *context);
/** From there: finishes what it interrupted, and notes a watched signal; gives the program's handler, or one that does
 * nothing if the signal has to come again. */
uint64_t dt_signal_seen(int number, siginfo_t *info, void *context);
/** True: the program's handlers have to wait, and the signal will come again. */
bool dt_signal_defer(int number, const siginfo_t *info, ucontext_t *context);
/** own_faults.c: true if a fault was the tracer's own, and what it was in can go on. */
bool dt_own_fault(int number, const siginfo_t *info, ucontext_t *context);
/** True: a signal that faults raise, but which somebody sent, came while the tracer has blocked all others; it will
 * come again. */
bool dt_signal_comes_later(int number, const siginfo_t *info, ucontext_t *context);
/** kept_open.c: whether the program has blocked the signal that the kernel lets through for us. */
bool dt_signal_is_kept_open(int number, const ucontext_t *context);
/** Those, as a mask. */
uint64_t dt_signal_faults_blocked(void);
/** A new thread begins with what its creator had. */
void dt_signal_faults_inherit(uint64_t blocked);
/** True: what is set for the signal is told and changed by us. Not in a child of vfork, which has the memory of its
 * parent, but handlers of its own. */
bool dt_signals_are_ours(int number);
/** Sends it to the calling thread, with its siginfo if the kernel has room for that. */
void dt_signal_send_again(int number, const siginfo_t *info);
/** The same of a signal of real time, while all others are blocked; false: the kernel or we have no room. */
bool dt_signal_queue_again(int number, const siginfo_t *info);
/** Before a handler of the program: exchanges the siginfo for that of an earlier signal that was sent again. */
void dt_signal_put_in_order(int number, siginfo_t *info);
/** In the child of a fork: its parent's signals do not come to it. */
void dt_signal_order_reset(void);
/** False: a child of vfork, or a thread that shares the thread-local memory of the one that holds signals. */
bool dt_signals_are_own(void);
/** Whether our handler stands for its default action: watched ones, and SIGTERM, at which open calls are kept. */
bool dt_signal_ends(int number);
/** Whether the signal is a watched one. */
bool dt_signal_is_watched(int number);
/** Records the word that a stub was about to record when it was interrupted, and lets it go on behind that. */
void dt_interrupted_word_finish(void *context);
/** Before a handler of the program: a fault in a relocated instruction is shown where the instruction was. */
void dt_fault_place_show(int number, siginfo_t *info, ucontext_t *context);
/** When it returns, by way of `dt_fault_return` (fault_return.S): goes on where the instruction is. */
void dt_fault_place_put_back(ucontext_t *context);
void dt_fault_return(void);

/* ---- the program's handlers behind the stub ------------------------------------------------------ */

/** By number: addresses, and how those with SA_RESETHAND are taken away: by us, or by the kernel when it calls the
 * stub, where a filter of system calls forbids us to. */
extern uint64_t dt_signal_handlers[_NSIG];
#define DT_HANDLER_ONCE          (1ull << 63)
#define DT_HANDLER_TAKEN_AT_ONCE (1ull << 62)
#define DT_HANDLER_ADDRESS       (DT_HANDLER_TAKEN_AT_ONCE - 1)

static inline bool dt_signal_is_taken_at_once(int number)
{
    return dt_signal_handlers[number] & DT_HANDLER_TAKEN_AT_ONCE;
}

/** The one to be called, taken away if it is called only once; 0: another thread has taken it, and the signal will come
 * again. */
uint64_t dt_signal_handler(int number, const siginfo_t *info);
/** False: a filter of system calls forbids it. */
bool dt_signal_handlers_can_be_taken(void);
/** Before such a filter: leaves it to the kernel. */
void dt_signal_handlers_leave(void);
/** Nobody else sets or takes away a handler between these two; signals are blocked. */
uint64_t dt_signal_actions_lock(void);
void dt_signal_actions_unlock(uint64_t mask);
/** In the child of a fork. */
void dt_signal_actions_reset(void);

#endif
