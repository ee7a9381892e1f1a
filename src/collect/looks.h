/** Looks at the traces of a running job: how far its threads have come some time before its end, and at its end. */
#ifndef DT_COLLECT_LOOKS_H
#define DT_COLLECT_LOOKS_H

#include <glib.h>
#include <sys/types.h>

/** A thread of this host that both looks may have seen. */
typedef struct {
    guint pid;
    char thread[12];     /* T of the label P.T */
    guint64 first, last; /* words that it had recorded; first 0: it was not there yet */
} DtLookedAt;

/** The threads that are there, added to those seen before (element-type DtLookedAt). O(size of headers and tables);
 * costs the job nothing: its files are read. */
void dt_look(const char *run, GArray *threads, gboolean is_last);

/** Processes on this host that the run has as ranks; (element-type pid_t). */
GArray *dt_ranks_of(const char *run);

#endif
