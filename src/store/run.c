/* A run, and what is asked of an open one. */
#include <string.h>

#include "store/arguments/thread_index.h"
#include "store/run_private.h"

G_DEFINE_QUARK(dt_store_error, dt_store_error)

static void free_process(gpointer data)
{
    DtProcessEntry *entry = data;
    g_free((char *)entry->process.label);
    g_free((char *)entry->process.host);
    g_free((char *)entry->process.executable);
    g_free((char *)entry->process.arguments);
    g_free((char *)entry->process.stopped);
    if (entry->signatures != entry->functions)
        g_free(entry->signatures);
    g_clear_pointer(&entry->exact, g_hash_table_unref);
    g_free(entry->functions);
    g_free(entry->file_ids);
    g_clear_pointer(&entry->images, g_ptr_array_unref);
    g_clear_pointer(&entry->communicators, g_ptr_array_unref);
    g_clear_pointer(&entry->arrays, g_ptr_array_unref);
    dt_places_clear(entry);
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

DtRun *dt_run_new(const char *path)
{
    DtRun *run = g_new0(DtRun, 1);
    gsize length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    run->path = g_strndup(path, length);
    run->folder = g_strdup(run->path);
    run->problems = g_ptr_array_new_with_free_func(g_free);
    run->processes = g_ptr_array_new_with_free_func(free_process);
    run->traces = g_ptr_array_new_with_free_func(free_trace);
    run->unrecorded = g_ptr_array_new();
    run->labels = g_hash_table_new(g_str_hash, g_str_equal);
    run->symbols = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)dt_symbols_free);
    return run;
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
    g_ptr_array_unref(run->unrecorded);
    dt_manifest_file_free(run->manifest);
    dt_functions_unref(run->functions);
    g_free(run->path);
    g_free(run->folder);
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

guint32 dt_trace_index_in_file(const DtTrace *trace)
{
    return ((const DtTraceEntry *)trace)->record->index;
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

const char *dt_run_pseudonyms(const DtRun *run)
{
    return run->manifest->pseudonyms;
}
