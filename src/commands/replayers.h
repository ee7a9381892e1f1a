/** Programs that replay skeletons: one for each MPI, or compiled when there is none. */
#ifndef DT_COMMANDS_REPLAYERS_H
#define DT_COMMANDS_REPLAYERS_H

#include <glib.h>

/**
 * The program for the MPI of a launcher; g_free(). The installed one if the launcher stands where that MPI's compiler
 * did; else it is compiled from `source` into `folder`, by the mpicc beside the launcher or the one on the PATH. NULL:
 * the error says in one line what is missing.
 */
char *dt_replayer_for(const char *launcher, const char *source, const char *folder, GError **error);

/** How many ranks a launcher's command line starts, if it says so by -n, -np or the like, and only once; else 0. */
guint dt_launcher_ranks(const char *const *command);

#endif
