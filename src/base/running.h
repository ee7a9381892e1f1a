/** Processes that are there now, as /proc tells. */
#ifndef DT_BASE_RUNNING_H
#define DT_BASE_RUNNING_H

#include <glib.h>
#include <sys/types.h>

G_BEGIN_DECLS

typedef struct {
    pid_t pid, parent;
    char state;    /* 'R', 'S', 'D', 'Z'... of its first thread */
    guint64 start; /* since boot, in the kernel's ticks: it and the pid name the process for ever */
} DtRunning;

/** FALSE: there is none. */
gboolean dt_running_find(pid_t pid, DtRunning *process);
/** Its descendants, parents before children, zombies among them; (element-type DtRunning). O(processes ^ 2) at worst.
 */
GArray *dt_running_descendants(pid_t ancestor);

/** What it was started with, NUL between the variables and behind the last; g_free(). NULL: it may not be read. */
char *dt_running_environment(pid_t pid, gsize *bytes);
/** The value of a variable in such a block, or NULL; borrowed. */
const char *dt_environment_find(const char *environment, gsize bytes, const char *variable);

G_END_DECLS

#endif
