/** Who waits for whom in a job that runs now. */
#ifndef DT_WAITFOR_ATTACHED_H
#define DT_WAITFOR_ATTACHED_H

#include "attach/attach.h"
#include "waitfor/waitfor.h"

G_BEGIN_DECLS

typedef struct DtAttachedWaits DtAttachedWaits;

/**
 * The graph of the open calls of processes that were looked at: of what they did before nothing is known. Ranks that
 * have ended are in it. `job` must outlive it. O(ranks + edges).
 */
DtAttachedWaits *dt_attached_waits_new(const DtAttachedJob *job);
void dt_attached_waits_free(DtAttachedWaits *waits);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtAttachedWaits, dt_attached_waits_free)

/** Borrowed. */
const DtWaitFor *dt_attached_waits_graph(const DtAttachedWaits *waits);
/** What cannot be known of these calls, one line each; (element-type utf8), borrowed. */
const GPtrArray *dt_attached_waits_unknown(const DtAttachedWaits *waits);

G_END_DECLS

#endif
