/**
 * Persistent requests: MPI_Send_init says with whom, MPI_Start that it happens. Which request a start names is known
 * only to one who follows the thread's requests from their beginning, so that such traces are read once more.
 */
#ifndef DT_WAITFOR_PERSISTENT_H
#define DT_WAITFOR_PERSISTENT_H

#include "waitfor/counts.h"

G_BEGIN_DECLS

/**
 * How often the requests that a trace made by each MPI_*_init were started, up to a position: (element-type
 * DtCallCount), by the id of that call with its arguments; g_array_unref(). NULL: it is not known of all of them.
 * O(events).
 */
GArray *dt_persistent_starts(const DtRun *run, const DtTrace *trace, const DtCallRoles *roles, const DtNotes *notes,
                             guint64 to);

G_END_DECLS

#endif
