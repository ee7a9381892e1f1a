/** The child of the collector that watches the job, and asks when it is stuck: `difftrace watch --until-stuck
 * --confirm`.
 */
#ifndef DT_COLLECT_WATCHER_H
#define DT_COLLECT_WATCHER_H

#include <glib.h>
#include <signal.h>
#include <sys/types.h>

typedef struct {
    pid_t pid;   /* 0: there is none */
    gint input;  /* descriptor to answer it; -1 */
    gint output; /* descriptor to read what it writes, which sends SIGCHLD; -1 */
    gint status; /* as of waitpid(), once it has ended */
    gboolean has_ended;
} DtWatcher;

/** Starts one on `run`, with the signal mask `mask`; it does not outlive us. pid 0 with errno: it could not be started.
 */
DtWatcher dt_watcher_start(const char *run, gdouble seconds, const sigset_t *mask);
/** TRUE if it has found the job stuck, and wants to know whether it is to look again. Does not block. */
gboolean dt_watcher_asks(DtWatcher *watcher);
/** Makes it look again: what it says of a job that is still stuck; NULL: it goes on, and is watched on. g_free(). */
char *dt_watcher_confirm(DtWatcher *watcher);
/** Ends it if it has not ended. */
void dt_watcher_stop(DtWatcher *watcher);

#endif
