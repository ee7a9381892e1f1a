/* Opening a run by the headers of its files. */
#include "store/run_headers.h"

#include <string.h>

#include "store/run_private.h"

/* The first report of damage to a process file, or NULL. */
static const char *find_damage(const DtRun *run)
{
    for (guint i = 0; i < run->problems->len; i++)
        if (strstr(run->problems->pdata[i], "processes/"))
            return run->problems->pdata[i];
    return NULL;
}

gboolean dt_run_has_traces(const DtRun *run, GError **error)
{
    if (run->traces->len > 0)
        return TRUE;
    const char *damage = find_damage(run);
    if (damage)
        g_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_DAMAGED, "%s: no trace can be read: %s", run->path, damage);
    else
        g_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_EMPTY,
                    "%s: a run without a single trace: its processes recorded nothing", run->path);
    return FALSE;
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
