/** The processes of a run on this host are ended, as the collector ends those on its own. */
#ifndef DT_AGENT_ENDING_H
#define DT_AGENT_ENDING_H

#include "live/live.h"

G_BEGIN_DECLS

typedef struct DtEnding DtEnding;
/** SIGTERM to those that are there, and to their descendants. `live`, which is borrowed, has been refreshed. */
DtEnding *dt_ending_new(DtLive *live, guint grace_ms);
void dt_ending_free(DtEnding *ending);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtEnding, dt_ending_free)

/**
 * Goes on, after a refresh; SIGKILL when the grace is over. TRUE when all are gone and it is noted in RUN/ends.log how
 * those ended of which nobody else tells; or when they cannot be ended: *left are there then.
 */
gboolean dt_ending_go_on(DtEnding *ending, guint *ended, guint *left);

G_END_DECLS

#endif
