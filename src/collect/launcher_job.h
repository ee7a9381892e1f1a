/** The job that we are a rank of, if a launcher started us: mpirun -n 4 difftrace collect -- ./app. */
#ifndef DT_COLLECT_LAUNCHER_JOB_H
#define DT_COLLECT_LAUNCHER_JOB_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
    char *id; /* of this job alone; where only the node's launcher tells us apart, it differs from node to node */
    gboolean is_whole; /* the id is the same on all nodes */
    guint64 rank, ranks;
} DtLauncherJob;

/** NULL: no launcher started us. */
DtLauncherJob *dt_launcher_job_new(void);
void dt_launcher_job_free(DtLauncherJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtLauncherJob, dt_launcher_job_free)

G_END_DECLS

#endif
