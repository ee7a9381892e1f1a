/** What the collector itself knows of processes that were not recorded: the command, orphans, and what is still there.
 */
#ifndef DT_COLLECT_UNTRACED_H
#define DT_COLLECT_UNTRACED_H

#include "collect/collect.h"
#include "collect/launch.h"

/** Those of our descendants that now run in a way that nothing can be recorded of, with the reason; (element-type
 * DtUntraced), which it owns. */
GPtrArray *dt_untraced_descendants(void);

/** A process that is not recorded. */
typedef struct {
    gint pid;
    guint32 reason;   /* enum dt_unrecorded_reason */
    gboolean ranked;  /* it has a launcher's rank */
    char *executable; /* or NULL */
} DtUntraced;

/**
 * Appends to RUN/unrecorded.log what is known of processes that have no file in the run, when the command has ended.
 * Nothing of those that are left out on purpose: by `only`, or under a launcher for want of a rank.
 */
void dt_untraced_tell(const char *run, const DtCollectOptions *options, const DtCollectResult *result,
                      const DtLaunched *launched);

#endif
