#include "collect/output_name.h"

#include <string.h>

#include "collect/collect.h"
#include "collect/launcher_job.h"
#include "text/text.h"

/* Slurm, PBS, LSF, Flux, Grid Engine. */
static const char *const job_variables[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID", "JOB_ID"};

static gboolean append_job(GString *name, const char *pattern, GError **error)
{
    for (guint i = 0; i < G_N_ELEMENTS(job_variables); i++) {
        const char *job = g_getenv(job_variables[i]);
        if (!job || job[0] == '\0')
            continue;
        g_autofree char *part = g_strdelimit(g_strdup(job), "/", '_');
        g_string_append(name, part);
        return TRUE;
    }
    dt_set_error(error, DT_COLLECT_ERROR, DT_COLLECT_ERROR_OPTION,
                 "-o '%s': %%j: no batch system has told the number of its job (SLURM_JOB_ID, PBS_JOBID, LSB_JOBID, "
                 "FLUX_JOB_ID, JOB_ID)",
                 pattern);
    return FALSE;
}

static gboolean append_rank(GString *name, const char *pattern, GError **error)
{
    DtLauncherJob *job = dt_launcher_job_new();
    if (!job) {
        dt_set_error(error, DT_COLLECT_ERROR, DT_COLLECT_ERROR_OPTION,
                     "-o '%s': %%r: no launcher has told a rank; put the collector behind it: mpirun ... difftrace "
                     "collect ...",
                     pattern);
        return FALSE;
    }
    g_string_append_printf(name, "%" G_GUINT64_FORMAT, job->rank);
    dt_launcher_job_free(job);
    return TRUE;
}

static gboolean append_host(GString *name)
{
    const char *host = g_get_host_name();
    g_string_append_len(name, host, (gssize)strcspn(host, "."));
    return TRUE;
}

static gboolean append_part(GString *name, char letter, const char *pattern, GError **error)
{
    switch (letter) {
    case 'j':
        return append_job(name, pattern, error);
    case 'r':
        return append_rank(name, pattern, error);
    case 'h':
        return append_host(name);
    case '%':
        g_string_append_c(name, '%');
        return TRUE;
    default:
        dt_set_error(error, DT_COLLECT_ERROR, DT_COLLECT_ERROR_OPTION,
                     "-o '%s': %%j is the job, %%r the rank, %%h the host; write %%%% for a percent sign", pattern);
        return FALSE;
    }
}

char *dt_output_name(const char *pattern, GError **error)
{
    g_autoptr(GString) name = g_string_new(NULL);
    for (const char *at = pattern; *at != '\0'; at++) {
        if (*at != '%')
            g_string_append_c(name, *at);
        else if (!append_part(name, *++at, pattern, error))
            return NULL;
    }
    return g_string_free(g_steal_pointer(&name), FALSE);
}
