/* Opening a run by the headers of its files. */
#include "store/run_headers.h"

#include "store/run_private.h"
#include "store/unrecorded.h"

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

GPtrArray *dt_run_read_unrecorded(const char *path)
{
    DtRun *run = dt_run_new(path);
    g_autoptr(GPtrArray) names = NULL;
    if (dt_run_find_processes(run, &names, NULL))
        (void)dt_run_read_processes(run, names, NULL);
    dt_run_find_unrecorded(run);
    GPtrArray *unrecorded = g_ptr_array_ref(run->unrecorded);
    dt_run_free(run);
    return unrecorded;
}
