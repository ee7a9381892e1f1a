/** The files that are installed with the program: its modules, the tracer. */
#ifndef DT_BASE_OWN_FILES_H
#define DT_BASE_OWN_FILES_H

#include <glib.h>

G_BEGIN_DECLS

/**
 * The path of a file beside the running executable or in ../lib/difftrace/; g_free(). NULL if it is in neither, and
 * `*searched` says where it was looked for; NULL with `error` and without `*searched` if /proc does not tell where the
 * executable is.
 */
char *dt_find_own_file(const char *name, char **searched, GError **error);

G_END_DECLS

#endif
