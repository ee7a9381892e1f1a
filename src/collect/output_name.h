/** Names of runs that hold the job's number, the rank or the host. */
#ifndef DT_COLLECT_OUTPUT_NAME_H
#define DT_COLLECT_OUTPUT_NAME_H

#include <glib.h>

G_BEGIN_DECLS

/**
 * `pattern` with %j for the batch system's number of the job, %r for the launcher's rank of this process, %h for the
 * host without its domain, and %% for a percent sign; g_free(). NULL with an error: another letter, or something that
 * nobody has told us.
 */
char *dt_output_name(const char *pattern, GError **error);

G_END_DECLS

#endif
