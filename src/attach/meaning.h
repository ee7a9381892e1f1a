/** What the arguments of a call are: ranks, tags, communicators, datatypes. */
#ifndef DT_ATTACH_MEANING_H
#define DT_ATTACH_MEANING_H

#include "attach/passed.h"

G_BEGIN_DECLS

/** The arguments of a call that is open, made by `symbol` in the frame; g_free(). NULL: none is known. */
DtPassed *dt_meaning_of(const DtCallerFrame *frame, const char *symbol);
/** The function with those of them that make its signature, as in a recorded run; the function itself if these are
 * none. `rank` and `ranks`: of the process in MPI_COMM_WORLD, -1: not known. */
guint32 dt_meaning_signature(DtFunctions *functions, guint32 function, const DtPassed *passed, gint rank, gint ranks);

G_END_DECLS

#endif
