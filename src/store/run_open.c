/* Opening a run. */
#include <string.h>

#include "base/debug.h"
#include "store/ends.h"
#include "store/packed/unpack.h"
#include "store/run_private.h"
#include "store/unrecorded.h"
#include "text/text.h"

static void index_run(DtRun *run)
{
    dt_label_processes(run->processes);
    for (guint i = 0; i < run->processes->len; i++) {
        DtProcessEntry *entry = g_ptr_array_index(run->processes, i);
        dt_label_traces(entry, run->traces, run->problems);
        dt_resolve_functions(run, entry);
        dt_run_report_stopped(run, entry);
    }
    dt_settle_communicators(run->processes);
    for (guint i = 0; i < run->processes->len; i++)
        dt_resolve_signatures(run, g_ptr_array_index(run->processes, i));
    for (guint i = 0; i < run->traces->len; i++) {
        DtTraceEntry *entry = g_ptr_array_index(run->traces, i);
        g_hash_table_insert(run->labels, (gpointer)entry->trace.label, entry);
    }
}

/* The first report of damage to a process file, or NULL. */
static const char *find_damage(const DtRun *run)
{
    for (guint i = 0; i < run->problems->len; i++)
        if (strstr(run->problems->pdata[i], "processes/"))
            return run->problems->pdata[i];
    return NULL;
}

/* FALSE: it has none, and the error tells of damage that may be the reason. */
static gboolean has_traces(const DtRun *run, GError **error)
{
    if (run->traces->len > 0)
        return TRUE;
    const char *damage = find_damage(run);
    if (damage)
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_DAMAGED, "%s: no trace can be read: %s", run->path, damage);
    else
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_EMPTY,
                     "%s: a run without a single trace: its processes recorded nothing", run->path);
    return FALSE;
}

/* What a run has to hold. */
typedef enum { NEEDS_TRACES, NEEDS_PROCESSES } Needs;

static void load_ends(DtRun *run)
{
    g_autoptr(GPtrArray) folders = dt_run_folders(run);
    for (guint i = 0; i < folders->len; i++) {
        g_autofree char *folder = g_build_filename(run->folder, folders->pdata[i], NULL);
        dt_ends_load(folder, run->manifest->ends, run->problems);
    }
}

static gboolean unpack(DtRun *run, GError **error)
{
    if (!dt_pack_is(run->path))
        return TRUE;
    g_free(run->folder);
    run->folder = dt_pack_open(run->path, error);
    return run->folder != NULL;
}

static gboolean load_run(DtRun *run, Needs needs, GError **error)
{
    g_autoptr(GPtrArray) names = NULL;
    if (!unpack(run, error))
        return FALSE;
    if (!dt_run_find_processes(run, &names, error))
        return FALSE;
    run->manifest = run->parts ? dt_gathered_manifest(run->folder, run->parts, run->problems)
                               : dt_manifest_load(run->folder, run->problems);
    if (!dt_run_read_processes(run, names, error))
        return FALSE;
    load_ends(run);
    dt_run_set_ends(run);
    dt_run_find_unrecorded(run);
    index_run(run);
    dt_find_fatal_signals(run);
    dt_run_set_looks(run);
    return needs == NEEDS_PROCESSES || has_traces(run, error);
}

static DtRun *open_run(const char *path, DtFunctions *functions, Needs needs, GError **error)
{
    DtRun *run = dt_run_new(path);
    run->functions = dt_functions_ref(functions);
    if (load_run(run, needs, error)) {
        dt_debug(DT_DEBUG_STORE, "%s: opened: %u processes, %u traces; %u functions and signatures are known",
                 run->path, run->processes->len, run->traces->len, dt_functions_count(functions));
        return run;
    }
    dt_run_free(run);
    return NULL;
}

DtRun *dt_run_open(const char *path, DtFunctions *functions, GError **error)
{
    return open_run(path, functions, NEEDS_TRACES, error);
}

DtRun *dt_run_open_processes(const char *path, DtFunctions *functions, GError **error)
{
    return open_run(path, functions, NEEDS_PROCESSES, error);
}
