/** The processes below this one, from /proc. */
#ifndef DT_COLLECT_DESCENDANTS_H
#define DT_COLLECT_DESCENDANTS_H

#include <glib.h>
#include <sys/types.h>

/** (element-type pid_t), parents before children, zombies and `spared` (0: nobody) left out; owned by the caller. */
GArray *dt_descendants(pid_t spared);

/** Sends a signal to all of them, parents first; returns how many there were. */
guint dt_descendants_signal(pid_t spared, int signal_number);

/**
 * Asks all of them to end (SIGTERM): first those that have started no other ones, and, when these are gone or half a
 * second has passed, the others, which are stopped meanwhile. A launcher kills the ranks that are left as soon as it is
 * told to end or the first rank is gone, and a rank that is killed cannot keep what it was in.
 */
void dt_descendants_terminate(pid_t spared);

#endif
