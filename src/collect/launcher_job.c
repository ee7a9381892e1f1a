/* Launchers of the PMIx family and Slurm name the job as well; of others (Hydra) the process that started the ranks of
 * a node stands for it. */
#include "collect/launcher_job.h"

#include <unistd.h>

#include "base/launchers.h"
#include "base/running.h"

static guint64 number_in(const char *variable)
{
    const char *text = g_getenv(variable);
    return text ? g_ascii_strtoull(text, NULL, 10) : 0;
}

static char *id_in_environment(const DtLauncher *launcher)
{
    g_autoptr(GString) id = g_string_new(NULL);
    for (guint i = 0; i < G_N_ELEMENTS(launcher->ids) && launcher->ids[i]; i++) {
        const char *value = g_getenv(launcher->ids[i]);
        if (!value && i == 0)
            return NULL;
        g_string_append_printf(id, "%s%s", i > 0 ? " " : "", value ? value : "");
    }
    return id->len > 0 ? g_strdup(id->str) : NULL;
}

/* ---- the process that started the ranks ------------------------------------------------- */

static gboolean has_variable(pid_t process, const char *variable)
{
    gsize bytes = 0;
    g_autofree char *environment = dt_running_environment(process, &bytes);
    return environment && dt_environment_find(environment, bytes, variable);
}

static char *id_of_launcher_process(const DtLauncher *launcher)
{
    DtRunning process = {.pid = getppid()};
    while (dt_running_find(process.pid, &process) && process.pid > 1 && has_variable(process.pid, launcher->rank))
        process.pid = process.parent;
    return g_strdup_printf("%s %d %" G_GUINT64_FORMAT, g_get_host_name(), process.pid, process.start);
}

DtLauncherJob *dt_launcher_job_new(void)
{
    guint count;
    const DtLauncher *launchers = dt_launchers(&count);
    for (guint i = 0; i < count; i++) {
        const DtLauncher *launcher = &launchers[i];
        char *id = g_getenv(launcher->rank) ? id_in_environment(launcher) : NULL;
        if (!id && (launcher->ids[0] || !g_getenv(launcher->rank)))
            continue;
        DtLauncherJob *job = g_new0(DtLauncherJob, 1);
        *job = (DtLauncherJob){id, id != NULL, number_in(launcher->rank), number_in(launcher->ranks)};
        if (!id)
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
