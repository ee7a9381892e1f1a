/** Who waits for whom in a job that runs now. */
#ifndef DT_WAITFOR_LIVE_H
#define DT_WAITFOR_LIVE_H

#include "attach/attach.h"
#include "waitfor/waitfor.h"

G_BEGIN_DECLS

typedef struct DtLiveWaits DtLiveWaits;

/**
 * The graph of the open calls of processes that were looked at: of what they did before nothing is known. Ranks that
 * have ended are in it. `job` must outlive it. O(ranks + edges).
 */
DtLiveWaits *dt_live_waits_new(const DtLiveJob *job);
void dt_live_waits_free(DtLiveWaits *waits);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtLiveWaits, dt_live_waits_free)

/** Borrowed. */
const DtWaitFor *dt_live_waits_graph(const DtLiveWaits *waits);
/** What cannot be known of these calls, one line each; (element-type utf8), borrowed. */
const GPtrArray *dt_live_waits_unknown(const DtLiveWaits *waits);

G_END_DECLS

#endif
