/** The child of the collector that watches the job and ends when it is stuck: `difftrace watch --until-stuck`. */
#ifndef DT_COLLECT_WATCHER_H
#define DT_COLLECT_WATCHER_H

#include <glib.h>
#include <signal.h>
#include <sys/types.h>

typedef struct {
    pid_t pid;   /* 0: there is none */
    gint output; /* descriptor to read what it tells; -1 */
    gint status; /* as of waitpid(), once it has ended */
    gboolean has_ended;
} DtWatcher;

/** Starts one on `run`, with the signal mask `mask`; it does not outlive us. pid 0 with errno: it could not be started.
 */
DtWatcher dt_watcher_start(const char *run, gdouble seconds, const sigset_t *mask);
/** After it ended: what it told, if that is that the job is stuck; else NULL. g_free(). */
char *dt_watcher_verdict(DtWatcher *watcher);
/** Ends it if it has not ended. */
void dt_watcher_stop(DtWatcher *watcher);

#endif
