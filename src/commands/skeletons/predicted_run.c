#include "commands/skeletons/predicted_run.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/runs.h"
#include "decoder/status.h"
#include "text/text.h"

enum { MOST_TOLD = 5 };

void dt_cli_laws_clear(DtCliLaws *laws)
{
    g_clear_pointer(&laws->laws, dt_laws_free);
    g_clear_pointer(&laws->sizes, g_array_unref);
    g_clear_pointer(&laws->skeletons, g_ptr_array_unref);
}

void dt_cli_predicted_clear(DtCliPredicted *predicted)
{
    g_free(predicted->normal);
    g_free(predicted->faulty);
    g_free(predicted->told);
    dt_prediction_free(predicted->details);
}

/* ---- formulas -------------------------------------------------------------------------------- */

static void free_skeleton(gpointer skeleton)
{
    dt_skeleton_free(skeleton);
}

/* Of a run that was cut off nobody knows what calls it would have made: FALSE. */
static gboolean came_to_its_end(const char *path, GError **error)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_cli_is_skeleton(path) ? NULL : dt_run_open(path, functions, NULL);
    if (!run || !dt_run_was_cut_off(run))
        return TRUE;
    dt_set_error(
        error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
        "%s: a time limit ended this run while it was still making progress, so that it tells no formula: take "
        "one that came to its end",
        path);
    return FALSE;
}

gboolean dt_cli_read_sizes(char **paths, const DtSkeletonOptions *how, DtCliTimes times, DtCliLaws *laws,
                           GError **error)
{
    laws->skeletons = g_ptr_array_new_with_free_func(free_skeleton);
    laws->sizes = g_array_new(FALSE, FALSE, sizeof(DtSize));
    for (guint i = 0; paths[i]; i++) {
        DtSkeleton *skeleton =
            came_to_its_end(paths[i], error) ? dt_cli_skeleton_with(paths[i], how, times, error) : NULL;
        if (!skeleton)
            return FALSE;
        const DtSize size = {.skeleton = skeleton, .name = paths[i]};
        g_ptr_array_add(laws->skeletons, skeleton);
        g_array_append_val(laws->sizes, size);
    }
    return TRUE;
}

gboolean dt_cli_find_laws(DtCliLaws *laws, const DtMesh *to, GError **error)
{
    g_autoptr(DtProgress) progress = dt_progress_new("finding formulas");
    laws->laws = dt_laws_find((const DtSize *)(gconstpointer)laws->sizes->data, laws->sizes->len, to, error);
    g_clear_pointer(&progress, dt_progress_free);
    return laws->laws != NULL;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static gboolean write_run(const DtRecordedCalls *calls, const DtSkeleton *skeleton, const DtCallsRun *what,
                          GError **error)
{
    return dt_output_directory(what->path, "run", error) && dt_calls_write_run(calls, skeleton, what, error);
}

static gboolean write_skeleton(const DtSkeleton *predicted, const DtCallsRun *what, GError **error)
{
    g_autoptr(DtSkeleton) skeleton = dt_skeleton_new();
    g_autoptr(DtRecordedCalls) calls = dt_recorded_calls_of_skeleton(predicted, TRUE, skeleton, error);
    return calls && write_run(calls, skeleton, what, error);
}

gboolean dt_cli_write_predicted(const DtCliLaws *laws, const DtSkeleton *skeleton, const char *path, GError **error)
{
    g_autoptr(DtUntoldFields) untold = dt_untold_fields_new();
    g_ptr_array_unref(dt_laws_untold(laws->laws, untold));
    return write_skeleton(skeleton, &(DtCallsRun){.path = path, .engine = "extrapolate", .untold = untold}, error);
}

static DtRecordedCalls *read_calls(const DtRun *run, DtSkeleton *skeleton, GError **error)
{
    const DtSkeletonOptions how = {.communication_only = TRUE, .no_lines = TRUE};
    g_autoptr(DtProgress) progress = dt_progress_new("reading calls");
    DtRecordedCalls *calls = dt_recorded_calls_read(run, &how, skeleton, error);
    g_clear_pointer(&progress, dt_progress_free);
    return calls;
}

/* ---- what is told ---------------------------------------------------------------------------- */

static void append_parts(GString *text, const GPtrArray *parts)
{
    for (guint i = 0; i < parts->len && i < MOST_TOLD; i++)
        g_string_append_printf(text, "%s%s", i > 0 ? "; " : "", (const char *)parts->pdata[i]);
    if (parts->len > MOST_TOLD)
        g_string_append_printf(text, "; and %u more", parts->len - MOST_TOLD);
}

static char *tell(const DtCliLaws *laws, guint ranks, const GPtrArray *untold)
{
    const DtLawCounts counts = dt_laws_count(laws->laws);
    g_autoptr(GPtrArray) unproved = dt_laws_unproved(laws->laws);
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "The normal run on %u ranks was predicted, from runs on ", ranks);
    for (guint i = 0; i < laws->sizes->len; i++)
        g_string_append_printf(text, "%s%u",
                               i == 0                     ? ""
                               : i + 1 < laws->sizes->len ? ", "
                                                          : " and ",
                               g_array_index(laws->sizes, DtSize, i).skeleton->ranks);
    g_string_append_printf(text, "; only calls that communicate are compared. %u of its %u lines are proved",
                           counts.proved, counts.proved + counts.unproved + counts.without);
    if (unproved->len > 0) {
        g_string_append(text, "; unproved: ");
        append_parts(text, unproved);
    }
    if (untold->len > 0) {
        g_string_append(text, ". Not compared, as there is no formula: ");
        append_parts(text, untold);
    }
    return g_string_free(g_string_append_c(text, '.'), FALSE);
}

static GStrv texts_of(const GPtrArray *texts)
{
    GStrv all = g_new0(char *, (gsize)texts->len + 1);
    for (guint i = 0; i < texts->len; i++)
        all[i] = g_strdup(texts->pdata[i]);
    return all;
}

DtPrediction *dt_cli_prediction(const DtCliLaws *laws, guint ranks)
{
    DtPrediction *details = dt_prediction_new();
    details->ranks = ranks;
    for (guint i = 0; i < laws->sizes->len; i++)
        g_array_append_val(details->from, g_array_index(laws->sizes, DtSize, i).skeleton->ranks);
    return details;
}

static DtPrediction *details_of(const DtCliLaws *laws, guint ranks, const GPtrArray *untold)
{
    const DtLawCounts counts = dt_laws_count(laws->laws);
    g_autoptr(GPtrArray) proved = dt_laws_proved(laws->laws), unproved = dt_laws_unproved(laws->laws);
    DtPrediction *details = dt_cli_prediction(laws, ranks);
    details->is_whole = TRUE;
    details->proved = counts.proved;
    details->unproved = counts.unproved;
    details->without = counts.without;
    details->proved_lines = texts_of(proved);
    details->unproved_lines = texts_of(unproved);
    details->open_values = texts_of(untold);
    return details;
}

/* ---- both ------------------------------------------------------------------------------------ */

/* Without a mesh to come that of the faulty run, if there has to be one. */
static DtSkeleton *predict(const DtCliLaws *laws, const DtRun *faulty, guint ranks, GError **error)
{
    g_autoptr(GError) problem = NULL;
    DtSkeleton *predicted = dt_laws_predict(laws->laws, ranks, &(DtMesh){0}, FALSE, &problem);
    if (g_error_matches(problem, DT_EXTRAPOLATE_ERROR, DT_EXTRAPOLATE_ERROR_MESH)) {
        const DtSkeletonOptions how = {.communication_only = TRUE, .no_lines = TRUE};
        g_autoptr(DtSkeleton) recorded = dt_skeleton_of_run(faulty, &how, NULL);
        if (recorded && recorded->mesh.axes > 0) {
            g_clear_error(&problem);
            predicted = dt_laws_predict(laws->laws, ranks, &recorded->mesh, FALSE, &problem);
        }
    }
    if (problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    return predicted;
}

gboolean dt_cli_predict(char **from, const char *faulty, const char *output, DtCliPredicted *predicted, GError **error)
{
    const DtSkeletonOptions how = {.communication_only = TRUE};
    g_auto(DtCliLaws) laws = {0};
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtSkeleton) recorded = dt_skeleton_new();
    g_autoptr(DtRun) run = dt_cli_open_run(faulty, functions, error);
    g_autoptr(DtRecordedCalls) calls = run ? read_calls(run, recorded, error) : NULL;
    if (!calls || !dt_cli_read_sizes(from, &how, DT_CLI_NO_TIMES, &laws, error) ||
        !dt_cli_find_laws(&laws, &(DtMesh){0}, error))
        return FALSE;
    g_autoptr(DtUntoldFields) untold = dt_untold_fields_new();
    g_autoptr(GPtrArray) parts = dt_laws_untold(laws.laws, untold);
    g_autoptr(DtSkeleton) skeleton = predict(&laws, run, recorded->ranks, error);
    if (!skeleton)
        return FALSE;
    predicted->normal = g_strconcat(output, ".normal", NULL);
    predicted->faulty = g_strconcat(output, ".faulty", NULL);
    predicted->told = tell(&laws, recorded->ranks, parts);
    predicted->details = details_of(&laws, recorded->ranks, parts);
    const DtCallsRun normal_run = {.path = predicted->normal, .engine = "extrapolate", .untold = untold},
                     faulty_run = {.path = predicted->faulty, .engine = "reduced", .like = run, .untold = untold};
    return write_skeleton(skeleton, &normal_run, error) && write_run(calls, recorded, &faulty_run, error);
}
