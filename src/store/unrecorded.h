/** Processes that were not recorded: what is told of them, and what of that is so. */
#ifndef DT_STORE_UNRECORDED_H
#define DT_STORE_UNRECORDED_H

#include "store/run_private.h"

G_BEGIN_DECLS

/** An empty list of DtUnrecorded, which it owns. */
GPtrArray *dt_unrecorded_list_new(void);

/** Appends what the text of an unrecorded.log tells to `told`; lines that are damaged go to `problems`. */
void dt_unrecorded_parse(const char *text, gsize bytes, GPtrArray *told, GPtrArray *problems);

/** The same with the unrecorded.log in that folder, if there is one. */
void dt_unrecorded_read_log(const char *folder, GPtrArray *told, GPtrArray *problems);

/** No reason is known. */
gboolean dt_unrecorded_is_unknown(const DtUnrecorded *process);

/** Finds out which processes of the run were not recorded; its processes are known. */
void dt_run_find_unrecorded(DtRun *run);

G_END_DECLS

#endif
