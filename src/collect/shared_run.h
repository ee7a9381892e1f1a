/**
 * A run directory in which we record, alone or with the other collectors of one job. Of a job whose ranks are each
 * started by a collector, the first makes the directory and each of the others joins. RUN/collectors.jsonl has a line
 * for each that came, and one for each that left; whoever leaves last completes the manifest.
 */
#ifndef DT_COLLECT_SHARED_RUN_H
#define DT_COLLECT_SHARED_RUN_H

#include "collect/collect.h"
#include "collect/launch.h"
#include "collect/launcher_job.h"

G_BEGIN_DECLS

typedef struct {
    char *path; /* absolute */
    DtLauncherJob *job;
    gint writer;     /* descriptor: we write to it */
    gboolean joined; /* another collector of the job made it */
} DtSharedRun;

/**
 * Makes the directory of `options`, with a manifest that says that the command has not ended; or joins it, if it is
 * the run of our job, in which our rank is not yet. `job` may be NULL; it is taken.
 */
DtSharedRun *dt_shared_run_new(const DtCollectOptions *options, DtLauncherJob *job, const DtCollectResult *result,
                               GError **error);
void dt_shared_run_free(DtSharedRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtSharedRun, dt_shared_run_free)

/**
 * Leaves it. If nobody else records in it: the manifest is completed, `result` and `launched` become those of all, and
 * `result->last` is set. Problems become warnings.
 */
void dt_shared_run_leave(DtSharedRun *run, const DtCollectOptions *options, DtCollectResult *result,
                         DtLaunched *launched);

G_END_DECLS

#endif
