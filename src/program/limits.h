/**
 * The limits that the program was started with: what is too small for it is done without, or named in one line. What
 * `collect` starts has the limits that it was given.
 */
#ifndef DT_PROGRAM_LIMITS_H
#define DT_PROGRAM_LIMITS_H

#include <glib.h>

G_BEGIN_DECLS

/** FALSE, with a message: too few files may be open for a command. Of the analysis the limit is raised if that is
 * allowed; else what cannot be opened would seem not to be there. */
gboolean dt_limits_open_files(gboolean is_analysis);

/** Calls `run` with a stack that is large enough; so are those of all threads made from then on. */
int dt_limits_call(int (*run)(int argc, char **argv), int argc, char **argv);

G_END_DECLS

#endif
