/**
 * Programs that replay skeletons: one for each MPI, or compiled when there is none. Their source is replay/replay.c.
 */
#ifndef DT_REPLAY_REPLAYERS_H
#define DT_REPLAY_REPLAYERS_H

#include <glib.h>

G_BEGIN_DECLS

#define DT_REPLAY_ERROR dt_replay_error_quark()
GQuark dt_replay_error_quark(void);
typedef enum {
    DT_REPLAY_ERROR_MISSING, /* no program, and no compiler */
    DT_REPLAY_ERROR_COMPILER /* it does not compile the source */
} DtReplayError;

/**
 * The program for the MPI of a launcher; g_free(). The installed one if the launcher stands where that MPI's compiler
 * did; else it is compiled from `source` into `folder`, by the mpicc beside the launcher or the one on the PATH. NULL:
 * the error says in one line what is missing.
 */
char *dt_replayer_for(const char *launcher, const char *source, const char *folder, GError **error);

/** How many ranks a launcher's command line starts, if it says so by -n, -np or the like, and only once; else 0. */
guint dt_launcher_ranks(const char *const *command);

G_END_DECLS

#endif
