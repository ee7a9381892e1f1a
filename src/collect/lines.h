/** The lines of a run's calls, stored with it when it has ended. */
#ifndef DT_COLLECT_LINES_H
#define DT_COLLECT_LINES_H

#include <glib.h>

G_BEGIN_DECLS

/**
 * Looks them up and stores them: `difftrace lines --store` in a process of its own. Whatever becomes of that, the run
 * is whole without; after a minute it is ended.
 */
void dt_lines_store(const char *run);

G_END_DECLS

#endif
