#include "base/launchers.h"

#include "base/running.h"

static const DtLauncher launchers[] = {
    {"OMPI_COMM_WORLD_RANK",
     "OMPI_COMM_WORLD_SIZE",
     NULL,
     "OMPI_COMM_WORLD_LOCAL_SIZE",
     {"PMIX_NAMESPACE", "OMPI_MCA_orte_precondition_transports"}},
    {"SLURM_PROCID",
     "SLURM_STEP_NUM_TASKS",
     "SLURM_STEP_ID",
     NULL,
     {"SLURM_STEP_ID", "SLURM_JOB_ID", "SLURM_CLUSTER_NAME"}},
    {"PMIX_RANK", "PMIX_SIZE", NULL, NULL, {"PMIX_NAMESPACE"}},
    {"PMI_RANK", "PMI_SIZE", NULL, "MPI_LOCALNRANKS", {NULL}},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", NULL, "MV2_COMM_WORLD_LOCAL_SIZE", {NULL}},
};

const DtLauncher *dt_launchers(guint *count)
{
    *count = G_N_ELEMENTS(launchers);
    return launchers;
}

/* Slurm sets its variable in batch scripts, too: a rank is of a step. */
const char *dt_launcher_rank(const DtLauncher *launcher, const char *environment, gsize bytes)
{
    if (launcher->step && !dt_environment_find(environment, bytes, launcher->step))
        return NULL;
    return dt_environment_find(environment, bytes, launcher->rank);
}
