/** RUN/ends.log: how processes ended, told by those that waited for them. */
#ifndef DT_STORE_ENDS_H
#define DT_STORE_ENDS_H

#include "store/manifest.h"

G_BEGIN_DECLS

/** Appends what the file in that folder of a run tells to `ends` (element-type DtSeenEnd); damage goes to `problems`.
 * Without the file: nothing. */
void dt_ends_load(const char *folder, GArray *ends, GPtrArray *problems);

G_END_DECLS

#endif
