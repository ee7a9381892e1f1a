/** The environment by which the runtime knows what to do (see collect.h). */
#ifndef DT_COLLECT_ENVIRONMENT_H
#define DT_COLLECT_ENVIRONMENT_H

#include "collect/collect.h"

#define DT_RUNTIME_NAME "libdifftrace_runtime.so"

/** A copy of ours with the runtime's variables set; g_strfreev(). `run` is absolute. `agent`: what starts agents
 * on other nodes; NULL: nothing does. `agents_folder`: where it is, if not in the run; or NULL. */
GStrv dt_environment_new(const DtCollectOptions *options, const char *run, gboolean launcher, const char *agent,
                         const char *agents_folder);

/** TRUE for "NAME=value" entries that the runtime needs. */
gboolean dt_environment_is_ours(const char *entry);

#endif
