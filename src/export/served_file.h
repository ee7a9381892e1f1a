/** A file that a page of a browser on this machine fetches once, as Perfetto's interface does. */
#ifndef DT_EXPORT_SERVED_FILE_H
#define DT_EXPORT_SERVED_FILE_H

#include "export/export.h"

G_BEGIN_DECLS

typedef struct DtServedFile DtServedFile;
/**
 * Opens the file and listens on 127.0.0.1:`port`, where nobody else reaches it. Only pages of `origin`
 * ("https://ui.perfetto.dev") may read it. The name may be removed then. NULL with DT_EXPORT_ERROR_SERVE: the port is
 * taken, or the file cannot be read.
 */
DtServedFile *dt_served_file_new(const char *path, guint16 port, const char *origin, GError **error);
void dt_served_file_free(DtServedFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtServedFile, dt_served_file_free)
/** "http://127.0.0.1:9001/solver.pftrace"; borrowed. */
const char *dt_served_file_address(const DtServedFile *file);
/** Answers until the file was fetched whole, once; everything else is told that it is not there. FALSE with an error:
 * the socket failed. */
gboolean dt_served_file_wait(DtServedFile *file, GError **error);

G_END_DECLS

#endif
