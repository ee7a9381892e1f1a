#include "base/launchers.h"

static const DtLauncher launchers[] = {
    {"OMPI_COMM_WORLD_RANK",
     "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_SIZE",
     {"PMIX_NAMESPACE", "OMPI_MCA_orte_precondition_transports"}},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", NULL, {"SLURM_STEP_ID", "SLURM_JOB_ID", "SLURM_CLUSTER_NAME"}},
    {"PMIX_RANK", "PMIX_SIZE", NULL, {"PMIX_NAMESPACE"}},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", {NULL}},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE", {NULL}},
};

const DtLauncher *dt_launchers(guint *count)
{
    *count = G_N_ELEMENTS(launchers);
    return launchers;
}
