/* Comparing runs: the sweep over filters and attributes, then the verdict. */
#include "compare/sweep.h"

#include "compare/checks.h"

#include "text/text.h"

#include <omp.h>
#include <stdlib.h>

static const char *const default_filters[] = {"mpiall", "mpicol", "mpisr", "ompall", "mem", "all"};

static void complete_selection(DtSelection *selection)
{
    selection->default_filters = selection->filters->len == 0;
    for (guint i = 0; selection->default_filters && i < G_N_ELEMENTS(default_filters); i++)
        g_ptr_array_add(selection->filters, dt_filter_parse(default_filters[i], NULL));
    if (selection->attributes->len == 0)
        g_array_append_vals(selection->attributes, dt_attribute_settings(), DT_ATTRIBUTE_SETTINGS);
    dt_selection_default_loops(selection, DT_NLR_DEFAULT_K, DT_NLR_DEFAULT_MIN_REPEAT);
}

/* Times are compared if all runs have them; that one has not is told only if it is to be missed. */
static void tell_missing_times(const DtRuns *runs)
{
    const DtRun *without = dt_run_has_times(runs->faulty) ? NULL : runs->faulty;
    gboolean any = !without;
    for (guint i = 0; i < runs->normals->len; i++) {
        const DtRun *normal = runs->normals->pdata[i];
        if (dt_run_has_times(normal))
            any = TRUE;
        else if (!without)
            without = normal;
    }
    if (any && without)
        dt_compare_warn(runs->listener, "note: %s: recorded without times: times are not compared",
                        dt_run_path(without));
}

/* What is damaged in a run's times, in a line: what is left of them may tell of what is not so. */
static void tell_damaged_times(const DtRuns *runs, const DtRun *run)
{
    g_autofree char *first = NULL;
    guint damaged = 0;
    for (guint i = 0; i < dt_run_trace_count(run); i++) {
        const DtTrace *trace = dt_run_trace(run, i);
        g_autoptr(DtStamps) stamps = dt_trace_has_times(trace) ? dt_stamps_open(run, trace, NULL) : NULL;
        const char *problem = stamps ? dt_stamps_problem(stamps) : NULL;
        if (problem && damaged++ == 0)
            first = g_strdup(problem);
    }
    if (damaged == 1)
        dt_compare_warn(runs->listener, "warning: %s: %s", dt_run_path(run), first);
    else if (damaged > 1)
        dt_compare_warn(runs->listener, "warning: %s: %s; so are those of %u more traces", dt_run_path(run), first,
                        damaged - 1);
}

DtFoldingCache *dt_compare_read(const DtRuns *runs, DtSelection *selection, const DtParallel *parallel,
                                const DtReadingWants *wants, GError **error)
{
    complete_selection(selection);
    if (wants->verdict && !wants->no_times && dt_parallel_is_root(parallel)) {
        tell_missing_times(runs);
        tell_damaged_times(runs, runs->faulty);
        for (guint i = 0; i < runs->normals->len; i++)
            tell_damaged_times(runs, runs->normals->pdata[i]);
    }
    g_autoptr(DtFoldingCache) cache =
        dt_folding_cache_new(runs, (DtLoops){selection->min_repeat, selection->form, DT_NAMES_ALONE}, selection->jobs);
    if (!dt_folding_cache_read(cache, parallel, selection->filters, selection->k, wants, error))
        return NULL;
    return g_steal_pointer(&cache);
}

/* ---- the sweep ------------------------------------------------------------------------ */

/* Folded filters that keep something, in the order of the selection (element-type DtFolding, borrowed). */
static GPtrArray *folded_filters(const DtRuns *runs, const DtSelection *selection, DtFoldingCache *cache,
                                 GError **error)
{
    g_autoptr(GPtrArray) folded = g_ptr_array_new();
    for (guint i = 0; i < selection->filters->len; i++) {
        g_autofree char *notation = dt_filter_notation(dt_selection_filter(selection, i), selection->k);
        const DtFolding *folding = dt_folding_cache_get(cache, notation, error);
        if (!folding)
            return NULL;
        if (!folding->empty)
            g_ptr_array_add(folded, (gpointer)folding);
        else if (!selection->default_filters)
            dt_compare_warn(runs->listener, "note: filter %s keeps no call of these runs", notation);
    }
    return g_steal_pointer(&folded);
}

/* A filter and an attribute setting at a time; each alone in its thread. */
static void rank_configurations(const DtRuns *runs, const DtSelection *selection, const GPtrArray *folded,
                                DtRankingRow **rows)
{
    guint settings = selection->attributes->len, count = folded->len * settings, done = 0;
    int workers = (int)MIN(count, selection->jobs > 0 ? selection->jobs : (guint)omp_get_max_threads());
    dt_compare_progress(runs->listener, "filters and attributes", 0, count);
#pragma omp parallel for schedule(dynamic) num_threads(workers)
    for (gint task = 0; task < (gint)count; task++) {
        const guint i = (guint)task;
        const DtFolding *folding = folded->pdata[i / settings];
        DtAttributeSetting attributes = dt_selection_attributes(selection, i % settings);
        rows[i] = dt_configuration_rank(runs, folding, attributes, selection->linkage);
        guint so_far;
#pragma omp atomic capture
        so_far = ++done;
        if (omp_get_thread_num() == 0)
            dt_compare_progress(runs->listener, "filters and attributes", so_far, count);
    }
    dt_compare_progress(runs->listener, NULL, 0, 0);
}

static gboolean sweep(DtComparison *comparison, const DtRuns *runs, const DtSelection *selection, DtFoldingCache *cache,
                      GError **error)
{
    g_autoptr(GPtrArray) folded = folded_filters(runs, selection, cache, error);
    if (!folded)
        return FALSE;
    guint count = folded->len * selection->attributes->len;
    if (count == 0) {
        dt_set_error(error, DT_COMPARE_ERROR, DT_COMPARE_ERROR_SELECTION,
                     "%s: nothing to compare: no filter keeps a call of these runs%s", dt_run_path(runs->faulty),
                     selection->default_filters ? ", which recorded none" : "; take another --filter, e.g. all");
        return FALSE;
    }
    g_autofree DtRankingRow **rows = g_new0(DtRankingRow *, count);
    rank_configurations(runs, selection, folded, rows);
    for (guint i = 0; i < count; i++)
        g_ptr_array_add(comparison->rows, rows[i]);
    return TRUE;
}

/* ---- verdict -------------------------------------------------------------------------- */

static gboolean add_verdict(DtComparison *comparison, const DtRuns *runs, const DtFoldingCache *cache,
                            gboolean *suspect, GError **error)
{
    dt_compare_progress(runs->listener, "verdict", 0, 0);
    DtVerdict *verdict = dt_reading_verdict(dt_folding_cache_reading(cache), error);
    dt_compare_progress(runs->listener, NULL, 0, 0);
    if (!verdict)
        return FALSE;
    comparison->verdict = g_strdup(verdict->verdict);
    comparison->scope = g_strdup(dt_scope_name(verdict->scope));
    comparison->common = dt_common_copy(&verdict->common);
    comparison->data = dt_data_verdict_ref(verdict->data);
    comparison->times = dt_time_verdict_ref(verdict->times);
    comparison->waits = g_steal_pointer(&verdict->waits);
    for (guint i = 0; i < verdict->suspects->len; i++)
        dt_comparison_add_suspect(comparison, verdict->suspects->pdata[i]);
    *suspect = verdict->failed ||
               (verdict->suspects->len > 0 && ((DtSuspect *)verdict->suspects->pdata[0])->level == DT_LEVEL_SUSPECT);
    dt_verdict_free(verdict);
    return TRUE;
}

/* ---- names and recipe -------------------------------------------------------------------- */

static char *absolute_path(const DtRun *run)
{
    char *real = realpath(dt_run_path(run), NULL);
    char *copy = real ? g_strdup(real) : g_canonicalize_filename(dt_run_path(run), NULL);
    free(real);
    return copy;
}

static GStrv baseline_names(const DtRuns *runs, gboolean absolute)
{
    g_autoptr(GStrvBuilder) names = g_strv_builder_new();
    for (guint i = 1; i < runs->normals->len; i++) {
        g_autofree char *path =
            absolute ? absolute_path(runs->normals->pdata[i]) : g_strdup(dt_run_path(runs->normals->pdata[i]));
        g_strv_builder_add(names, path);
    }
    return g_strv_builder_end(names);
}

static DtRecipe *recipe_new(const DtRuns *runs, const DtSelection *selection)
{
    g_autoptr(GStrvBuilder) filters = g_strv_builder_new(), attributes = g_strv_builder_new();
    for (guint i = 0; i < selection->filters->len; i++) {
        g_autofree char *notation = dt_filter_notation(dt_selection_filter(selection, i), selection->k);
        g_strv_builder_add(filters, notation);
    }
    for (guint i = 0; i < selection->attributes->len; i++)
        g_strv_builder_add(attributes, dt_attribute_setting_name(dt_selection_attributes(selection, i)));
    DtRecipe *recipe = g_new0(DtRecipe, 1);
    recipe->normal = runs->normal ? absolute_path(runs->normal) : NULL;
    recipe->faulty = absolute_path(runs->faulty);
    recipe->baselines = baseline_names(runs, TRUE);
    recipe->filters = g_strv_builder_end(filters);
    recipe->attributes = g_strv_builder_end(attributes);
    recipe->k = selection->k;
    recipe->min_repeat = selection->min_repeat;
    recipe->form = g_strdup(dt_nlr_form_name(selection->form));
    recipe->linkage = g_strdup(dt_linkage_name(selection->linkage));
    return recipe;
}

DtComparison *dt_compare(const DtRuns *runs, const DtSelection *selection, DtFoldingCache *cache, gboolean *suspect,
                         GError **error)
{
    g_autoptr(DtComparison) comparison = dt_comparison_new();
    comparison->normal = runs->normal ? g_strdup(dt_run_path(runs->normal)) : NULL;
    comparison->faulty = g_strdup(dt_run_path(runs->faulty));
    comparison->baselines = baseline_names(runs, FALSE);
    comparison->only_in_normal = g_strdupv(runs->only_in_normal);
    comparison->only_in_faulty = g_strdupv(runs->only_in_faulty);
    comparison->recipe = recipe_new(runs, selection);
    if (!sweep(comparison, runs, selection, cache, error) || !add_verdict(comparison, runs, cache, suspect, error))
        return NULL;
    dt_compare_progress(runs->listener, "rules", 0, 0);
    gboolean proved;
    dt_comparison_check(comparison, runs, &proved);
    *suspect = *suspect || proved;
    dt_compare_progress(runs->listener, NULL, 0, 0);
    dt_comparison_sort(comparison);
    return g_steal_pointer(&comparison);
}

/* ---- all of it ------------------------------------------------------------------------------ */

DtComparison *dt_compare_runs(const char *normal, const char *faulty, const DtCompareOptions *options,
                              const DtCompareListener *listener, GError **error)
{
    static const DtCompareOptions defaults = {0};
    options = options ? options : &defaults;
    g_autoptr(DtSelection) selection = dt_selection_of_options(options, error);
    g_autoptr(DtRuns) runs =
        selection ? dt_runs_open(normal, normal ? options->baselines : NULL, faulty, listener, error) : NULL;
    const DtReadingWants wants = {.verdict = TRUE, .names_alone = options->names_alone, .no_times = options->no_times};
    g_autoptr(DtFoldingCache) cache = runs ? dt_compare_read(runs, selection, NULL, &wants, error) : NULL;
    gboolean suspect;
    return cache ? dt_compare(runs, selection, cache, &suspect, error) : NULL;
}
