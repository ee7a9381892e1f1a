/** The processes below this one, from /proc. */
#ifndef DT_COLLECT_DESCENDANTS_H
#define DT_COLLECT_DESCENDANTS_H

#include <glib.h>

/** (element-type pid_t), parents before children, zombies left out; owned by the caller. */
GArray *dt_descendants(void);

/** Sends a signal to all of them, parents first; returns how many there were. */
guint dt_descendants_signal(int signal_number);

#endif
