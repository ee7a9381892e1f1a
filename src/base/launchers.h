/** Launchers tell each rank who it is by its environment. */
#ifndef DT_BASE_LAUNCHERS_H
#define DT_BASE_LAUNCHERS_H

#include <glib.h>

G_BEGIN_DECLS

/** The variables of a launcher. */
typedef struct {
    const char *rank, *ranks;
    const char *local_ranks; /* how many are on the host; NULL: it does not tell */
    const char *ids[3];      /* that name the job together; the first must be there; NULL: nothing names it */
} DtLauncher;

/** Those that are known, the one that says most first; static. */
const DtLauncher *dt_launchers(guint *count);

G_END_DECLS

#endif
