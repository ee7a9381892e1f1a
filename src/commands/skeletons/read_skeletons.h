/** Skeletons that commands are given: of a run, or of a file. */
#ifndef DT_COMMANDS_SKELETONS_READ_SKELETONS_H
#define DT_COMMANDS_SKELETONS_READ_SKELETONS_H

#include "report/report.h"
#include "skeleton/skeleton.h"

G_BEGIN_DECLS

/** Whether calls are to have times (skeleton/node_times.h). */
typedef enum {
    DT_CLI_NO_TIMES,
    DT_CLI_TIMES_OF_FILES,  /* those that a file has */
    DT_CLI_TIMES_IF_THERE,  /* those that are recorded, too */
    DT_CLI_TIMES_ARE_NEEDED /* the same; without any it is an error */
} DtCliTimes;

/** Of the run, or the file, at `path`, without times; tells what is damaged. Options are of runs alone. */
DtSkeleton *dt_cli_skeleton(const char *path, const DtSkeletonOptions *options, GError **error);
DtSkeleton *dt_cli_skeleton_timed(const char *path, const DtSkeletonOptions *options, DtCliTimes times, GError **error);
/** The same, but calls that say nothing to others are left out of a file, too; it has no times then. */
DtSkeleton *dt_cli_skeleton_with(const char *path, const DtSkeletonOptions *options, DtCliTimes times, GError **error);

/** Writes how the skeletons of two runs or files differ; *equal: they do not. `output` NULL: to stdout. */
gboolean dt_cli_skeleton_difference(const char *first, const char *second, const DtSkeletonOptions *options,
                                    DtReportFormat format, const char *output, gboolean *equal, GError **error);
/** TRUE if it is a file with a skeleton, or something else that is no run. */
gboolean dt_cli_is_skeleton(const char *path);

G_END_DECLS

#endif
