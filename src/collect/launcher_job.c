/* Launchers tell each rank who it is by its environment. Those of the PMIx family and Slurm name the job as well; of
 * others (Hydra) the process that started the ranks of a node stands for it. */
#include "collect/launcher_job.h"

#include <string.h>
#include <unistd.h>

typedef struct {
    const char *rank, *ranks;
    const char *ids[3]; /* variables that name the job together; the first must be there */
} Launcher;

static const Launcher launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {"PMIX_NAMESPACE", "OMPI_MCA_orte_precondition_transports"}},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", {"SLURM_STEP_ID", "SLURM_JOB_ID", "SLURM_CLUSTER_NAME"}},
    {"PMIX_RANK", "PMIX_SIZE", {"PMIX_NAMESPACE"}},
    {"PMI_RANK", "PMI_SIZE", {NULL}},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", {NULL}},
};

static guint64 number_in(const char *variable)
{
    const char *text = g_getenv(variable);
    return text != NULL ? g_ascii_strtoull(text, NULL, 10) : 0;
}

static char *id_in_environment(const Launcher *launcher)
{
    g_autoptr(GString) id = g_string_new(NULL);
    for (guint i = 0; i < G_N_ELEMENTS(launcher->ids) && launcher->ids[i] != NULL; i++) {
        const char *value = g_getenv(launcher->ids[i]);
        if (value == NULL && i == 0)
            return NULL;
        g_string_append_printf(id, "%s%s", i > 0 ? " " : "", value != NULL ? value : "");
    }
    return id->len > 0 ? g_strdup(id->str) : NULL;
}

/* ---- the process that started the ranks ------------------------------------------------- */

static gboolean has_variable(pid_t process, const char *variable)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/environ", process), *text = NULL;
    gsize bytes = 0;
    if (!g_file_get_contents(path, &text, &bytes, NULL))
        return FALSE;
    gsize length = strlen(variable);
    for (gsize at = 0; at < bytes; at += strlen(text + at) + 1)
        if (strncmp(text + at, variable, length) == 0 && text[at + length] == '=')
            return TRUE;
    return FALSE;
}

/* Field `number` of /proc/PID/stat, from 3 on: the name before them may hold anything. */
static guint64 stat_field(pid_t process, guint number)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/stat", process), *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL))
        return 0;
    const char *at = strrchr(text, ')');
    for (guint field = 2; at != NULL && field < number; field++)
        at = strchr(at + 1, ' ');
    return at != NULL ? g_ascii_strtoull(at, NULL, 10) : 0;
}

static char *id_of_launcher_process(const Launcher *launcher)
{
    enum { PARENT = 4, START = 22 };
    pid_t process = getppid();
    while (process > 1 && has_variable(process, launcher->rank))
        process = (pid_t)stat_field(process, PARENT);
    return g_strdup_printf("%s %d %" G_GUINT64_FORMAT, g_get_host_name(), process, stat_field(process, START));
}

DtLauncherJob *dt_launcher_job_new(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(launchers); i++) {
        const Launcher *launcher = &launchers[i];
        char *id = g_getenv(launcher->rank) != NULL ? id_in_environment(launcher) : NULL;
        if (id == NULL && (launcher->ids[0] != NULL || g_getenv(launcher->rank) == NULL))
            continue;
        DtLauncherJob *job = g_new0(DtLauncherJob, 1);
        *job = (DtLauncherJob){id, id != NULL, number_in(launcher->rank), number_in(launcher->ranks)};
        if (id == NULL)
            job->id = id_of_launcher_process(launcher);
        return job;
    }
    return NULL;
}

void dt_launcher_job_free(DtLauncherJob *job)
{
    g_free(job->id);
    g_free(job);
}
