#include "base/launchers.h"

static const DtLauncher launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {"PMIX_NAMESPACE", "OMPI_MCA_orte_precondition_transports"}},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", {"SLURM_STEP_ID", "SLURM_JOB_ID", "SLURM_CLUSTER_NAME"}},
    {"PMIX_RANK", "PMIX_SIZE", {"PMIX_NAMESPACE"}},
    {"PMI_RANK", "PMI_SIZE", {NULL}},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", {NULL}},
};

const DtLauncher *dt_launchers(guint *count)
{
    *count = G_N_ELEMENTS(launchers);
    return launchers;
}
