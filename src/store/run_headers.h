/** A run as the headers of its files tell it. */
#ifndef DT_STORE_RUN_HEADERS_H
#define DT_STORE_RUN_HEADERS_H

#include "store/store.h"

G_BEGIN_DECLS

/**
 * Opens a run for its processes and traces alone: labels, sizes, why recording stopped. Functions, images,
 * communicators, the manifest and how processes ended are not there and must not be asked for. O(size of headers and
 * tables); no symbols are read. There may be no trace, if there is a process.
 */
DtRun *dt_run_open_headers(const char *path, GError **error);

G_END_DECLS

#endif
