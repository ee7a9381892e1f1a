/** Whether a file system can take what the tracer writes. */
#ifndef DT_COLLECT_FILE_SYSTEM_H
#define DT_COLLECT_FILE_SYSTEM_H

#include <glib.h>

/**
 * Traces are written through shared mappings, which some file systems (sshfs with direct_io) do not have: FALSE where a
 * run at `path` could not be recorded, which need not exist yet. A file is made beside it for a moment; where none can
 * be made this is not the one to tell.
 */
gboolean dt_file_system_check(const char *path, GError **error);

#endif
