/** Stopping all threads of a process and letting them go again. */
#ifndef DT_ATTACH_HOLD_H
#define DT_ATTACH_HOLD_H

#include <glib.h>
#include <sys/types.h>

G_BEGIN_DECLS

/** A thread of a process that is held. */
typedef struct {
    pid_t tid;
    char state; /* the kernel's letter, before it was asked to stop */
    gboolean is_stopped;
    gboolean is_asked; /* to stop, and may still do so */
    int signal;        /* that was on its way to it and goes on to it; 0: none */
} DtHeldThread;

typedef struct {
    pid_t pid;
    GArray *threads; /* (element-type DtHeldThread) those that are there, stopped or not */
} DtHold;

/**
 * Stops the threads of a process by PTRACE_SEIZE and PTRACE_INTERRUPT: no signal is sent, so none stays behind if we
 * die, and the kernel lets go what we held. Waits at most a second for threads in uninterruptible sleep; these are not
 * stopped. NULL with *problem, one line, g_free(): why it may not be done, or that the process has gone.
 */
DtHold *dt_hold_new(pid_t pid, char **problem);
/** Lets all go. */
void dt_hold_free(DtHold *hold);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtHold, dt_hold_free)

G_END_DECLS

#endif
