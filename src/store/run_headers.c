/* Opening a run by the headers of its files. */
#include "store/run_headers.h"

#include <signal.h>
#include <string.h>

#include "store/run_private.h"
#include "store/unrecorded.h"

/* What has only just begun may yet make its file. */
static void leave_out_starting(DtRun *run)
{
    for (guint i = run->unrecorded->len; i-- > 0;) {
        const DtUnrecorded *process = run->unrecorded->pdata[i];
        gboolean here = strcmp(process->host, g_get_host_name()) == 0;
        if (here && dt_unrecorded_is_unknown(process) && kill((pid_t)process->pid, 0) == 0)
            g_ptr_array_remove_index(run->unrecorded, i);
    }
}

static gboolean read_headers(DtRun *run, GError **error)
{
    g_autoptr(GPtrArray) names = NULL;
    if (!dt_run_find_processes(run, &names, error) || !dt_run_read_processes(run, names, error))
        return FALSE;
    dt_label_processes(run->processes);
    for (guint i = 0; i < run->processes->len; i++) {
        DtProcessEntry *entry = g_ptr_array_index(run->processes, i);
        dt_label_traces(entry, run->traces, run->problems);
        dt_run_report_stopped(run, entry);
    }
    dt_run_find_unrecorded(run);
    leave_out_starting(run);
    return TRUE;
}

DtRun *dt_run_open_headers(const char *path, GError **error)
{
    DtRun *run = dt_run_new(path);
    if (read_headers(run, error))
        return run;
    dt_run_free(run);
    return NULL;
}

gboolean dt_run_has_wanted_image(const DtRun *run)
{
    for (guint p = 0; p < run->processes->len; p++) {
        const GArray *images = ((const DtProcessEntry *)run->processes->pdata[p])->file->images;
        for (guint i = 0; i < images->len; i++) {
            if ((g_array_index(images, struct dt_image, i).flags & DT_IMAGE_API_ONLY) == 0)
                return TRUE;
        }
    }
    return FALSE;
}

GPtrArray *dt_run_read_unrecorded(const char *path)
{
    DtRun *run = dt_run_new(path);
    g_autoptr(GPtrArray) names = NULL;
    if (dt_run_find_processes(run, &names, NULL))
        (void)dt_run_read_processes(run, names, NULL);
    dt_run_find_unrecorded(run);
    leave_out_starting(run);
    GPtrArray *unrecorded = g_ptr_array_ref(run->unrecorded);
    dt_run_free(run);
    return unrecorded;
}
