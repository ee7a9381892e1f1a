/** Whether a thread moves between two looks at it. */
#ifndef DT_ATTACH_MOTION_H
#define DT_ATTACH_MOTION_H

#include <glib.h>
#include <sys/types.h>

G_BEGIN_DECLS

/** What the kernel counts for a thread between its first look and its last. */
typedef struct {
    int counter;    /* counts the returns of its open call; -1: there is none */
    guint64 ran_ns; /* on a processor, up to the first look */
    guint64 turns;  /* how often it was given one */
} DtMotionStart;

/**
 * Starts to watch a thread. `return_address` is where its open call returns to, 0: it is in none. A hardware breakpoint
 * of the kernel's counts how often the thread executes that instruction. The thread is not stopped by it, and the
 * kernel removes it if we die. Where that is not permitted there is no counter.
 */
void dt_motion_begin(DtMotionStart *start, pid_t pid, pid_t tid, guint64 return_address);
/** TRUE if the call returned; *certain: FALSE if nothing counted all the time, so that FALSE proves nothing. */
gboolean dt_motion_has_returned(const DtMotionStart *start, gboolean *certain);
/** TRUE if a thread that does not sleep hardly got a processor: that it did not move says nothing. */
gboolean dt_motion_is_starved(const DtMotionStart *start, pid_t pid, pid_t tid);
void dt_motion_end(DtMotionStart *start);

G_END_DECLS

#endif
