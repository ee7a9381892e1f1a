/** Skeletons that commands are given: of a run, or of a file. */
#ifndef DT_COMMANDS_SKELETONS_H
#define DT_COMMANDS_SKELETONS_H

#include "skeleton/skeleton.h"

G_BEGIN_DECLS

/** Of the run, or the file, at `path`; tells what is damaged. Options are of runs alone. */
DtSkeleton *dt_cli_skeleton(const char *path, const DtSkeletonOptions *options, GError **error);

/** TRUE if it is a file with a skeleton, or something else that is no run. */
gboolean dt_cli_is_skeleton(const char *path);

G_END_DECLS

#endif
