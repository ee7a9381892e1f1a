/** Result directories that come into being whole or not at all. */
#ifndef DT_RESULT_RESULT_DIRECTORY_H
#define DT_RESULT_RESULT_DIRECTORY_H

#include <glib.h>

G_BEGIN_DECLS

/**
 * A new, empty directory `directory`.partial to write a result to, in place of what an
 * interrupted comparison left there. An error if it or `directory` is in the way of others
 * (DT_STORE_ERROR_EXISTS). g_free().
 */
char *dt_result_begin(const char *directory, GError **error);

/** Removes what was written. */
void dt_result_discard(const char *partial);

/** What was written becomes `directory`; an earlier result there, `directory`.old. */
gboolean dt_result_commit(const char *partial, const char *directory, GError **error);

G_END_DECLS

#endif
