/** A run as the headers of its files tell it. */
#ifndef DT_STORE_RUN_HEADERS_H
#define DT_STORE_RUN_HEADERS_H

#include "store/store.h"

G_BEGIN_DECLS

/**
 * Opens a run for its processes and traces alone: labels, sizes, why recording stopped, and for those that were not
 * recorded, but not what still runs here and may yet make its file. Functions, images, communicators, the manifest and
 * how processes ended are not there and must not be asked for. O(size of headers and tables); no symbols are read.
 * There may be no trace, if there is a process.
 */
DtRun *dt_run_open_headers(const char *path, GError **error);

/** FALSE if no image of such a run was of those whose functions were wanted: of all only calls of APIs were recorded.
 */
gboolean dt_run_has_wanted_image(const DtRun *run);

/** dt_run_unrecorded() of a run that may have no process at all; (element-type DtUnrecorded), g_ptr_array_unref(). */
GPtrArray *dt_run_read_unrecorded(const char *path);

/**
 * As dt_run_seal(), for files of processes on other hosts, when the launcher that started them has ended: a file is
 * sealed if it does not change within a second, for which this waits if there is any.
 */
void dt_run_seal_elsewhere(const char *run);

G_END_DECLS

#endif
