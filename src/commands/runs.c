/* Opening runs for commands. */
#include "commands/runs.h"

#include "base/nearest.h"
#include "cli/cli.h"
#include "store/writers.h"
#include "text/text.h"

#include <string.h>

/* ---- what is told ---------------------------------------------------------------- */

static void warn(const char *message, gpointer data)
{
    (void)data;
    if (g_str_has_prefix(message, "note: "))
        dt_cli_note("%s", message);
    else
        dt_cli_warn("%s", message);
}

static void show_progress(const char *work, guint64 done, guint64 all, gpointer data)
{
    DtCliListener *listener = data;
    if (!work)
        g_clear_pointer(&listener->progress, dt_progress_free);
    else if (!listener->progress)
        listener->progress = dt_progress_new(work);
    dt_progress_set(listener->progress, done, all);
}

static const DtCompareListener *tell_by(DtCliListener *listener)
{
    listener->told = (DtCompareListener){warn, show_progress, listener};
    return &listener->told;
}

void dt_cli_listener_clear(DtCliListener *listener)
{
    g_clear_pointer(&listener->progress, dt_progress_free);
}

void dt_cli_note_nothing_kept(const DtRun *run, const char *filter)
{
    if (dt_functions_count(dt_run_functions(run)) > 0)
        dt_cli_note("note: filter %s: keeps no call of %s; take another --filter", filter, dt_run_path(run));
}

void dt_cli_warn_of_no_arguments(const DtRun *run, const char *therefore)
{
    if (!dt_functions_have_signatures(dt_run_functions(run)))
        dt_cli_warn("warning: %s: no arguments of calls were recorded: %s", dt_run_path(run), therefore);
}

/* ---- opening ------------------------------------------------------------------- */

static gint by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of the runs in a folder, sorted, NULL terminated. */
static GPtrArray *runs_in(const char *folder)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GDir) entries = g_dir_open(folder, 0, NULL);
    const char *name;
    while (entries && (name = g_dir_read_name(entries))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (dt_is_our_directory(path, "run"))
            g_ptr_array_add(names, g_strdup(name));
    }
    g_ptr_array_sort(names, by_name);
    g_ptr_array_add(names, NULL);
    return names;
}

void dt_cli_suggest_run(const char *path, GError *error)
{
    if (!g_error_matches(error, DT_STORE_ERROR, DT_STORE_ERROR_NOT_FOUND) || g_file_test(path, G_FILE_TEST_EXISTS))
        return;
    g_autofree char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
    g_autoptr(GPtrArray) names = runs_in(folder);
    const char *nearest = dt_nearest(name, (const char *const *)names->pdata);
    if (!nearest)
        return;
    g_autofree char *message = error->message;
    g_autofree char *meant = strchr(path, '/') ? g_build_filename(folder, nearest, NULL) : g_strdup(nearest);
    error->message = dt_text_printf("%s; did you mean the run '%s'?", message, meant);
}

void dt_cli_note_no_calls(const DtRun *run)
{
    for (guint i = 0; i < dt_run_trace_count(run); i++) {
        if (dt_run_trace(run, i)->words > 0)
            return;
    }
    dt_cli_note("note: %s: no call was recorded; 'difftrace info' tells what was hooked", dt_run_path(run));
}

void dt_cli_note_still_running(const char *path)
{
    if (dt_writers_are_there(path))
        dt_cli_note("note: %s: the job is still running: this is as of now", path);
}

DtRun *dt_cli_open_run(const char *path, DtFunctions *functions, GError **error)
{
    DtRun *run = dt_run_open(path, functions, error);
    if (!run) {
        if (error)
            dt_cli_suggest_run(path, *error);
        return NULL;
    }
    g_autoptr(GPtrArray) warnings = dt_run_warnings(run);
    for (guint i = 0; i < warnings->len; i++)
        dt_cli_warn("%s", (const char *)warnings->pdata[i]);
    dt_cli_note_still_running(path);
    dt_cli_note_no_calls(run);
    return run;
}

/* The error is of the first that is not there. */
static void suggest_first(const char *const *paths, GError *error)
{
    while (*paths && g_file_test(*paths, G_FILE_TEST_EXISTS))
        paths++;
    if (*paths)
        dt_cli_suggest_run(*paths, error);
}

DtRuns *dt_cli_open_runs(const char *normal, const char *const *baselines, const char *faulty, DtCliListener *listener,
                         GError **error)
{
    DtRuns *runs = dt_runs_open(normal, baselines, faulty, tell_by(listener), error);
    g_autoptr(GPtrArray) paths = g_ptr_array_new();
    if (normal)
        g_ptr_array_add(paths, (gpointer)normal);
    for (; baselines && *baselines; baselines++)
        g_ptr_array_add(paths, (gpointer)*baselines);
    g_ptr_array_add(paths, (gpointer)faulty);
    for (guint i = 0; runs && i < paths->len; i++)
        dt_cli_note_still_running(paths->pdata[i]);
    g_ptr_array_add(paths, NULL);
    if (!runs && error)
        suggest_first((const char *const *)paths->pdata, *error);
    return runs;
}

DtResult *dt_cli_open_result(const char *directory, DtCliListener *listener, GError **error)
{
    return dt_result_open(directory, tell_by(listener), error);
}

/* ---- traces ---------------------------------------------------------------------- */

const DtTrace *dt_cli_find_trace(const DtRun *run, const char *label, GError **error)
{
    const DtTrace *trace = dt_run_find_trace(run, label);
    if (!trace) {
        g_autofree char *there = dt_run_trace_list(run);
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "trace '%s': not in %s\nits traces are %s", label,
                     dt_run_path(run), there);
    }
    return trace;
}

GPtrArray *dt_cli_find_traces(const DtRun *run, const char *const *labels, GError **error)
{
    gboolean all = !labels || !labels[0];
    g_autoptr(GPtrArray) traces = g_ptr_array_new();
    for (; labels && *labels; labels++) {
        const DtTrace *trace = dt_cli_find_trace(run, *labels, error);
        if (!trace)
            return NULL;
        if (!g_ptr_array_find(traces, trace, NULL))
            g_ptr_array_add(traces, (gpointer)trace);
    }
    for (guint i = 0; all && i < dt_run_trace_count(run); i++)
        g_ptr_array_add(traces, (gpointer)dt_run_trace(run, i));
    return g_steal_pointer(&traces);
}
