/* Opening a run, and what is asked of an open one. */
#include <errno.h>
#include <string.h>

#include "store/ends.h"
#include "store/problems.h"
#include "store/run_private.h"

G_DEFINE_QUARK(dt - store - error - quark, dt_store_error)

static void free_process(gpointer data)
{
    DtProcessEntry *entry = data;
    g_free((char *)entry->process.label);
    g_free((char *)entry->process.host);
    g_free((char *)entry->process.executable);
    g_free((char *)entry->process.arguments);
    g_free((char *)entry->process.stopped);
    g_free(entry->functions);
    g_clear_pointer(&entry->images, g_ptr_array_unref);
    g_clear_pointer(&entry->communicators, g_ptr_array_unref);
    dt_process_file_free(entry->file);
    g_free(entry);
}

static void free_trace(gpointer data)
{
    DtTraceEntry *entry = data;
    g_free((char *)entry->trace.label);
    g_free((char *)entry->trace.name);
    g_free(entry);
}

static DtRun *new_run(const char *path, DtFunctions *functions)
{
    DtRun *run = g_new0(DtRun, 1);
    gsize length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    run->path = g_strndup(path, length);
    run->functions = dt_functions_ref(functions);
    run->problems = g_ptr_array_new_with_free_func(g_free);
    run->processes = g_ptr_array_new_with_free_func(free_process);
    run->traces = g_ptr_array_new_with_free_func(free_trace);
    run->labels = g_hash_table_new(g_str_hash, g_str_equal);
    run->symbols = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)dt_symbols_free);
    return run;
}

static gboolean find_processes(DtRun *run, GPtrArray **names, GError **error)
{
    *names = dt_list_process_files(run->path);
    if (*names)
        return TRUE;
    int reason = errno;
    run->parts = dt_find_parts(run->path);
    if (run->parts) {
        *names = dt_list_gathered_files(run->path, run->parts);
        return TRUE;
    }
    if (!g_file_test(run->path, G_FILE_TEST_EXISTS))
        g_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_NOT_FOUND, "%s: no such directory", run->path);
    else if (dt_is_our_directory(run->path, "run"))
        g_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_EMPTY,
                    "%s: a run without a single trace: nothing was collected into it", run->path);
    else if (reason == EACCES)
        g_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO, "%s: %s", run->path, g_strerror(reason));
    else if (dt_is_our_directory(run->path, "result"))
        g_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_NOT_FOUND,
                    "%s: not a run but the result of a comparison: for rank, report, diffnlr, jsm and dendrogram",
                    run->path);
    else if (!g_file_test(run->path, G_FILE_TEST_IS_DIR))
        g_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_NOT_FOUND,
                    "%s: not a run but a file: a run is the directory that \"difftrace collect\" makes", run->path);
    else
        g_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_NOT_FOUND,
                    "%s: not a run: it has no directory of processes; make one with \"difftrace collect\"", run->path);
    return FALSE;
}

static void index_run(DtRun *run)
{
    dt_label_processes(run->processes);
    for (guint i = 0; i < run->processes->len; i++) {
        DtProcessEntry *entry = g_ptr_array_index(run->processes, i);
        dt_label_traces(entry, run->traces, run->problems);
        dt_resolve_functions(run, entry);
        if (entry->process.stopped)
            dt_problem(run->problems, entry->file->name, "recording stopped early: %s", entry->process.stopped);
    }
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

static gboolean load_run(DtRun *run, GError **error)
{
    g_autoptr(GPtrArray) names = NULL;
    if (!find_processes(run, &names, error))
        return FALSE;
    run->manifest = run->parts ? dt_gathered_manifest(run->path, run->parts, run->problems)
                               : dt_manifest_load(run->path, run->problems);
    if (!dt_run_read_processes(run, names, error))
        return FALSE;
    dt_ends_load(run->path, run->manifest->ends, run->problems);
    dt_run_set_ends(run);
    index_run(run);
    dt_find_fatal_signals(run);
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

static DtRun *open_run(const char *path, DtFunctions *functions, gboolean with_arguments, GError **error)
{
    DtRun *run = new_run(path, functions);
    run->with_arguments = with_arguments;
    if (load_run(run, error))
        return run;
    dt_run_free(run);
    return NULL;
}

DtRun *dt_run_open(const char *path, DtFunctions *functions, GError **error)
{
    return open_run(path, functions, FALSE, error);
}

DtRun *dt_run_open_with_arguments(const char *path, DtFunctions *functions, GError **error)
{
    return open_run(path, functions, TRUE, error);
}

void dt_run_free(DtRun *run)
{
    if (!run)
        return;
    g_hash_table_unref(run->labels);
    g_hash_table_unref(run->symbols);
    g_ptr_array_unref(run->traces);
    g_ptr_array_unref(run->processes);
    g_clear_pointer(&run->parts, g_ptr_array_unref);
    g_ptr_array_unref(run->problems);
    dt_manifest_file_free(run->manifest);
    dt_functions_unref(run->functions);
    g_free(run->path);
    g_free(run);
}

const char *dt_run_path(const DtRun *run)
{
    return run->path;
}

DtFunctions *dt_run_functions(const DtRun *run)
{
    return run->functions;
}

guint dt_run_process_count(const DtRun *run)
{
    return run->processes->len;
}

const DtProcess *dt_run_process(const DtRun *run, guint index)
{
    const DtProcessEntry *entry = g_ptr_array_index(run->processes, index);
    return &entry->process;
}

guint dt_run_trace_count(const DtRun *run)
{
    return run->traces->len;
}

const DtTrace *dt_run_trace(const DtRun *run, guint index)
{
    const DtTraceEntry *entry = g_ptr_array_index(run->traces, index);
    return &entry->trace;
}

const DtTrace *dt_run_find_trace(const DtRun *run, const char *label)
{
    g_autofree char *main_thread = strchr(label, '.') ? NULL : g_strconcat(label, ".0", NULL);
    const DtTraceEntry *entry = g_hash_table_lookup(run->labels, main_thread ? main_thread : label);
    return entry ? &entry->trace : NULL;
}

const GPtrArray *dt_run_images(const DtRun *run, const DtProcess *process)
{
    const DtProcessEntry *entry = g_ptr_array_index(run->processes, process->index);
    return entry->images;
}

const GPtrArray *dt_run_communicators(const DtRun *run, const DtProcess *process)
{
    const DtProcessEntry *entry = g_ptr_array_index(run->processes, process->index);
    return entry->communicators;
}

const DtCommunicator *dt_run_find_communicator(const DtRun *run, const DtProcess *process, const char *name)
{
    const GPtrArray *communicators = dt_run_communicators(run, process);
    for (guint i = 0; i < communicators->len; i++) {
        const DtCommunicator *communicator = communicators->pdata[i];
        if (g_str_equal(communicator->name, name))
            return communicator;
    }
    return NULL;
}

const GPtrArray *dt_run_problems(const DtRun *run)
{
    return run->problems;
}

const DtManifest *dt_run_manifest(const DtRun *run)
{
    return &run->manifest->manifest;
}
