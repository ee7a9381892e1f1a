/** Wrappers: a command line with another program, such as Pin, before the programs to be traced. */
#ifndef DT_COLLECT_WRAPPER_H
#define DT_COLLECT_WRAPPER_H

#include <glib.h>

/**
 * The command line with `wrapper` before the program; with a launcher, before
 * each program that it starts: `mpirun -n 4 ./app` becomes `mpirun -n 4 WRAPPER
 * ./app`, and so after every `:`. A script gets its interpreter spelled out.
 * NULL-terminated, g_strfreev(). NULL and `error` if the launcher's arguments
 * name no program.
 */
char **dt_wrapper_command(const char *const *command, const char *const *wrapper, gboolean launcher, GError **error);

#endif
