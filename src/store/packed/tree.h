/** Directories that are made for what is unpacked. */
#ifndef DT_STORE_PACKED_TREE_H
#define DT_STORE_PACKED_TREE_H

#include <glib.h>

G_BEGIN_DECLS

/** Makes a directory, and those above it; FALSE with an error if it cannot be made, or is there and not empty. */
gboolean dt_tree_make(const char *path, GError **error);

/** Removes a directory with all that is in it; follows no links. */
void dt_tree_remove(const char *path);

G_END_DECLS

#endif
