/** Names in packed runs. */
#ifndef DT_STORE_PACKED_NAMES_H
#define DT_STORE_PACKED_NAMES_H

#include <glib.h>

G_BEGIN_DECLS

/**
 * Whether a name is that of a file of a run, relative to it: manifest, logs, trace and symbol files, of the run itself,
 * of users and of parts of a gathered run. Such a name leads nowhere else: its folders are no ".." and not hidden.
 */
gboolean dt_packed_name_is_good(const char *name);

/** Whether it is that of a trace file. */
gboolean dt_packed_name_is_trace(const char *name);

G_END_DECLS

#endif
