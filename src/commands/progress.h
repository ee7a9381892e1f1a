/** A progress bar with an estimate of the time that is left, on terminals. */
#ifndef DT_COMMANDS_PROGRESS_H
#define DT_COMMANDS_PROGRESS_H

#include <glib.h>

G_BEGIN_DECLS

/** Of one stretch of work; zeros at its start. */
typedef struct {
    const char *work;
    gint64 start, shown; /* monotonic microseconds */
} DtProgress;

/** Shows "comparing: WHAT [####....] 40 %, 12 s left", a few times a second. One thread. */
void dt_cli_progress_bar(const char *what, guint64 done, guint64 all, DtProgress *progress);

G_END_DECLS

#endif
