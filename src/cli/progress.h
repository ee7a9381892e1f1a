/**
 * What a long command shows while it works: one line on a terminal's stderr, of its own thread, from two seconds on (or
 * DIFFTRACE_PROGRESS_DELAY, in seconds). Nothing on anything else than a terminal, and nothing with --quiet.
 */
#ifndef DT_CLI_PROGRESS_H
#define DT_CLI_PROGRESS_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct DtProgress DtProgress;

/** From here on "WORK, 12 s". NULL, which all functions take, if nothing is shown. `work` must live as long. */
DtProgress *dt_progress_new(const char *work);
/** "WORK [####....] 40 %, 12 s left" from now on; as before if `all` is 0. From any thread. */
void dt_progress_set(DtProgress *progress, guint64 done, guint64 all);
/** Removes the line; before anything goes to stdout. */
void dt_progress_free(DtProgress *progress);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtProgress, dt_progress_free)

G_END_DECLS

#endif
