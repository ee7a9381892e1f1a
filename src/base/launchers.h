/** Launchers tell each rank who it is by its environment. */
#ifndef DT_BASE_LAUNCHERS_H
#define DT_BASE_LAUNCHERS_H

#include <glib.h>

G_BEGIN_DECLS

/** The variables of a launcher. */
typedef struct {
    const char *rank, *ranks;
    const char *step;        /* must be there as well: without it there is no rank, or NULL */
    const char *local_ranks; /* how many are on the host; NULL: it does not tell */
    const char *ids[3];      /* that name the job together; the first must be there; NULL: nothing names it */
} DtLauncher;

/** Those that are known, the one that says most first; static. */
const DtLauncher *dt_launchers(guint *count);
/** The rank that it gives in an environment (base/running.h), or NULL; borrowed. */
const char *dt_launcher_rank(const DtLauncher *launcher, const char *environment, gsize bytes);

G_END_DECLS

#endif
