/* Opening runs and pairing their traces. */
#include "compare/runs.h"

#include "base/debug.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- the listener ---------------------------------------------------------------- */

void dt_compare_warn(const DtCompareListener *listener, const char *format, ...)
{
    if (!listener || !listener->warn)
        return;
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *message = dt_text_vprintf(format, arguments);
    va_end(arguments);
    listener->warn(message, listener->data);
}

void dt_compare_progress(const DtCompareListener *listener, const char *work, guint64 done, guint64 all)
{
    if (listener && listener->progress)
        listener->progress(work, done, all, listener->data);
}

/* ---- opening ------------------------------------------------------------------- */

static DtRun *open_run(const DtRuns *runs, const char *path, GError **error)
{
    DtRun *run = dt_run_open(path, runs->functions, error);
    g_autoptr(GPtrArray) warnings = run ? dt_run_warnings(run) : NULL;
    for (guint i = 0; warnings && i < warnings->len; i++)
        dt_compare_warn(runs->listener, "%s", (const char *)warnings->pdata[i]);
    if (run && dt_run_problems(run)->len > 0)
        dt_compare_warn(runs->listener, "warning: %s is damaged: what differs may come from that, not from the fault",
                        dt_run_path(run));
    return run;
}

char *dt_run_trace_list(const DtRun *run)
{
    g_autoptr(GPtrArray) labels = g_ptr_array_new();
    for (guint i = 0; i < dt_run_trace_count(run); i++)
        g_ptr_array_add(labels, (gpointer)dt_run_trace(run, i)->label);
    g_autofree char *text = dt_trace_list_text(labels);
    return strlen(text) > 200 ? g_strdup_printf("%.200s...", text) : g_steal_pointer(&text);
}

/* ---- pairs --------------------------------------------------------------------- */

static GStrv labels_not_in(const DtRun *run, const DtRun *other)
{
    g_autoptr(GStrvBuilder) labels = g_strv_builder_new();
    for (guint i = 0; i < dt_run_trace_count(run); i++) {
        const char *label = dt_run_trace(run, i)->label;
        if (!dt_run_find_trace(other, label))
            g_strv_builder_add(labels, label);
    }
    return g_strv_builder_end(labels);
}

static void set_pairing_error(const DtRuns *runs, GError **error)
{
    if (!runs->normal) {
        dt_set_error(error, DT_COMPARE_ERROR, DT_COMPARE_ERROR_PAIRS,
                     "%s: no trace of a thread of the application itself", dt_run_path(runs->faulty));
        return;
    }
    g_autofree char *normal = dt_run_trace_list(runs->normal), *faulty = dt_run_trace_list(runs->faulty);
    dt_set_error(
        error, DT_COMPARE_ERROR, DT_COMPARE_ERROR_PAIRS,
        "%s and %s: no common traces: %s in one, %s in the other\ncompare runs of the same program, started alike",
        dt_run_path(runs->normal), dt_run_path(runs->faulty), normal, faulty);
}

static gboolean pair_traces(DtRuns *runs, GError **error)
{
    guint traces = dt_run_trace_count(runs->faulty);
    runs->labels = g_new0(const char *, (gsize)traces + 1);
    runs->normal_index = g_new0(guint, (gsize)traces + 1);
    runs->faulty_index = g_new0(guint, (gsize)traces + 1);
    for (guint i = 0; i < traces; i++) {
        const DtTrace *faulty = dt_run_trace(runs->faulty, i);
        const DtTrace *normal = runs->normal ? dt_run_find_trace(runs->normal, faulty->label) : faulty;
        if (!normal || faulty->library)
            continue;
        runs->labels[runs->common] = faulty->label;
        runs->normal_index[runs->common] = normal->index;
        runs->faulty_index[runs->common] = i;
        runs->common++;
    }
    runs->only_in_normal = runs->normal ? labels_not_in(runs->normal, runs->faulty) : g_new0(char *, 1);
    runs->only_in_faulty = runs->normal ? labels_not_in(runs->faulty, runs->normal) : g_new0(char *, 1);
    dt_debug(DT_DEBUG_COMPARE, "%u traces in both runs, %u in one only", runs->common,
             g_strv_length(runs->only_in_normal) + g_strv_length(runs->only_in_faulty));
    if (runs->common > 0)
        return TRUE;
    set_pairing_error(runs, error);
    return FALSE;
}

static gboolean open_normal(DtRuns *runs, const char *path, GError **error)
{
    DtRun *run = open_run(runs, path, error);
    if (run)
        g_ptr_array_add(runs->normals, run);
    return run != NULL;
}

DtRuns *dt_runs_open(const char *normal, const char *const *baselines, const char *faulty,
                     const DtCompareListener *listener, GError **error)
{
    g_autoptr(DtRuns) runs = g_new0(DtRuns, 1);
    runs->functions = dt_functions_new();
    runs->listener = listener;
    runs->normals = g_ptr_array_new_with_free_func((GDestroyNotify)dt_run_free);
    if (normal && !open_normal(runs, normal, error))
        return NULL;
    for (; baselines && *baselines; baselines++) {
        if (!open_normal(runs, *baselines, error))
            return NULL;
    }
    runs->normal = runs->normals->len > 0 ? runs->normals->pdata[0] : NULL;
    runs->faulty = open_run(runs, faulty, error);
    if (!runs->faulty || !pair_traces(runs, error))
        return NULL;
    return g_steal_pointer(&runs);
}

void dt_runs_free(DtRuns *runs)
{
    if (!runs)
        return;
    g_ptr_array_unref(runs->normals);
    dt_run_free(runs->faulty);
    g_free(runs->labels);
    g_free(runs->normal_index);
    g_free(runs->faulty_index);
    g_strfreev(runs->only_in_normal);
    g_strfreev(runs->only_in_faulty);
    dt_functions_unref(runs->functions);
    g_free(runs);
}

/* ---- outputs ---------------------------------------------------------------------- */

static gboolean holds(const char *directory, const char *path)
{
    gsize length = strlen(directory);
    return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* `output` may not exist yet: then nothing can be in its way. */
static gboolean is_clear(const char *output, const DtRun *run, GError **error)
{
    char *real_output = realpath(output, NULL), *real_run = realpath(dt_run_path(run), NULL);
    gboolean clear = !real_output || !real_run || !holds(real_output, real_run);
    free(real_output);
    free(real_run);
    if (!clear)
        dt_set_error(error, DT_COMPARE_ERROR, DT_COMPARE_ERROR_OUTPUT,
                     "%s: holds the run %s, which is being compared: choose another output with -o", output,
                     dt_run_path(run));
    return clear;
}

gboolean dt_runs_check_output(const DtRuns *runs, const char *path, GError **error)
{
    g_autofree char *plain = g_strdup(path);
    for (gsize length = strlen(plain); length > 1 && plain[length - 1] == '/'; length--)
        plain[length - 1] = '\0';
    g_autofree char *old = g_strconcat(plain, ".old", NULL);
    for (guint i = 0; i < runs->normals->len; i++) {
        if (!is_clear(plain, runs->normals->pdata[i], error) || !is_clear(old, runs->normals->pdata[i], error))
            return FALSE;
    }
    return is_clear(plain, runs->faulty, error) && is_clear(old, runs->faulty, error);
}
