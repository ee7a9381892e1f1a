/** Being one of the ranks of an MPI job. */
#ifndef DT_PARALLEL_MPI_JOB_H
#define DT_PARALLEL_MPI_JOB_H

#include "parallel/parallel.h"

G_BEGIN_DECLS

/**
 * If a launcher started several of us: from here on only rank 0 prints. MPI is not needed for that, so that
 * command lines that are wrong are told once, too.
 */
void dt_mpi_only_root_prints(void);
/**
 * The exit status, returned when it is time to end: launchers end all ranks when one fails, and rank 0 must have told
 * why by then.
 */
int dt_mpi_status(int status);

/** The job of all ranks that a launcher started, linked by MPI; the plugin of that MPI is loaded now. */
typedef struct DtMpiJob DtMpiJob;
/** *job is NULL if we are alone. FALSE on error. */
gboolean dt_mpi_job_join(DtMpiJob **job, GError **error);
/** What the stages use; NULL for NULL. Borrowed. */
const DtParallel *dt_mpi_job_members(const DtMpiJob *job);
/** Collective: the ranks part, and each goes on alone, or ends. */
void dt_mpi_job_leave(DtMpiJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtMpiJob, dt_mpi_job_leave)

G_END_DECLS

#endif
