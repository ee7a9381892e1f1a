/**
 * Who may read a run: its owner alone, unless its folder is open to others. Files and folders inside follow the folder
 * that they are in, so that a run that was opened (collect --shared, chmod) stays so.
 */
#ifndef DT_BASE_RIGHTS_H
#define DT_BASE_RIGHTS_H

#include <glib.h>

G_BEGIN_DECLS

/** Returns the mode for making `path`: `mode` if others may read the folder that it is in, else the owner's part. */
guint dt_mode_beside(const char *path, guint mode);

/** As g_file_set_contents(), with that mode. */
gboolean dt_set_contents(const char *path, const char *text, GError **error);

/**
 * Makes a folder that only its owner can enter. Folders above it that are missing follow the umask. One that is there
 * already stays as it is. 0, or the errno.
 */
gint dt_private_folder(const char *path);
/** The same, and makes one that is there private, if it is ours. */
gint dt_take_private_folder(const char *path);

G_END_DECLS

#endif
