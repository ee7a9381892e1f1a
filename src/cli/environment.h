/** Options that are given by the environment: those of batch scripts and module files. */
#ifndef DT_CLI_ENVIRONMENT_H
#define DT_CLI_ENVIRONMENT_H

#include "cli/cli.h"

G_BEGIN_DECLS

/**
 * Sets those of `options` that the command line has not set (NULL, FALSE, a number that is G_MAXDOUBLE) to what the
 * environment says: --max-size to DIFFTRACE_MAX_SIZE, a flag if the variable is 1. Empty variables count for nothing.
 * FALSE with an error: a number is none, or a flag neither 1 nor 0.
 */
gboolean dt_cli_read_environment(const DtOption *options, GError **error);

G_END_DECLS

#endif
