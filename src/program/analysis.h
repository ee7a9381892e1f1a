/**
 * The commands that analyse: a module, loaded when one of them is wanted, so that the others start without the
 * libraries that only these need.
 */
#ifndef DT_PROGRAM_ANALYSIS_H
#define DT_PROGRAM_ANALYSIS_H

#include <glib.h>

G_BEGIN_DECLS

/** Takes its own name as argv[0], prints, and returns the exit status. */
typedef int (*DtCommand)(int argc, char **argv);

/** The module's function for the command of that name: dt_cmd_NAME() of commands.h. */
DtCommand dt_analysis_command(const char *name, GError **error);

G_END_DECLS

#endif
