/** Launchers: commands that start the ranks of a parallel program. */
#ifndef DT_COLLECT_LAUNCHER_H
#define DT_COLLECT_LAUNCHER_H

#include <glib.h>

typedef enum {
    DT_LAUNCHER_NONE,
    DT_LAUNCHER_OPEN_MPI,       /* passes only named variables on to other nodes */
    DT_LAUNCHER_MAYBE_OPEN_MPI, /* an mpirun that does not say whose it is */
    DT_LAUNCHER_OTHER           /* passes the environment on as it is */
} DtLauncherKind;

/** By the base name of `path`, symbolic links (mpirun -> orterun) followed. */
DtLauncherKind dt_launcher_of(const char *path);

/**
 * The command line to start, for a launcher: NULL-terminated, g_strfreev().
 * What would keep the runtime from the ranks is mended: an LD_PRELOAD set by an
 * argument gets the runtime (NULL: there is none) in front, and with Open MPI the variables of
 * `environment` are named, by OMPI_MCA_mca_base_env_list there or, where the
 * command line already uses -x (the two exclude each other), by -x; its daemons on other nodes get the runtime by
 * OMPI_MCA_orte_launch_agent, unless another agent is asked for.
 */
char **dt_launcher_command(DtLauncherKind launcher, const char *const *command, const char *runtime,
                           GStrv *environment);

/** One line for each program among the arguments that cannot be traced; `preloading`: by a preloaded runtime. */
void dt_launcher_check_programs(const char *const *command, gboolean preloading, GPtrArray *warnings);

#endif
