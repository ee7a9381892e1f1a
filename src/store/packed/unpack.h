/** Packed runs (packed_format.h): unpacking them, and opening them as they are. */
#ifndef DT_STORE_PACKED_UNPACK_H
#define DT_STORE_PACKED_UNPACK_H

#include <glib.h>

#include "store/store.h"

G_BEGIN_DECLS

/** Whether there is a file that begins like a packed run. */
gboolean dt_pack_is(const char *path);

/** The largest packed runs that are opened as they are, in bytes unpacked. */
#define DT_PACK_MOST_OPENED (G_GUINT64_CONSTANT(1) << 32)

/**
 * Unpacks into a directory that is made, or is empty. Nothing is written outside of it, whatever the file says. What
 * was written before an error is removed. `most_bytes` bounds what is unpacked, beside the format's own bounds. Trace
 * files are in their sealed form if `seal`. O(bytes unpacked); memory 40 MB.
 */
gboolean dt_unpack(const char *file, const char *run, guint64 most_bytes, gboolean seal, GError **error);

/**
 * Unpacks into a private directory among the temporary ones, and returns its path; g_free(). The directory is removed
 * when this process ends, however it does. NULL with an error.
 */
char *dt_pack_open(const char *file, GError **error);

G_END_DECLS

#endif
