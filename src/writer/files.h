/** Files that are written, and what is said if they cannot be. */
#ifndef DT_WRITER_FILES_H
#define DT_WRITER_FILES_H

#include <glib.h>

/** Writes into a file at `offset`, which is made if it is not there. 0, or an errno. */
gint dt_write_at(const char *path, guint64 offset, const void *data, gsize bytes);

/** DT_WRITER_ERROR_IO: what could not be written, why, what to do about it. */
void dt_set_write_error(GError **error, const char *path, gint error_number);

#endif
