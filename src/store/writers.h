/**
 * Who writes to an output directory at the moment: every writer holds a shared lock on one file in it, which goes with
 * the writer, however that ends.
 */
#ifndef DT_STORE_WRITERS_H
#define DT_STORE_WRITERS_H

#include <glib.h>

G_BEGIN_DECLS

/** Makes us a writer of the directory until the descriptor, which is closed on exec, is closed. -1: not possible there.
 */
gint dt_writers_join(const char *directory);

/** TRUE if somebody writes to it. A file system without locks has no writers. */
gboolean dt_writers_are_there(const char *directory);

/** Gives the descriptor of dt_writers_join() up; TRUE if no other writer is there. */
gboolean dt_writers_leave(gint descriptor);

/**
 * Waits until nobody else has locked the directory itself, and keeps others from it until the descriptor is closed. -1:
 * there is no such directory, or it cannot be locked, or is locked for ten seconds already.
 */
gint dt_directory_lock(const char *directory);

G_END_DECLS

#endif
