#include "commands/skeletons/law_comparison.h"

#include "cli/progress.h"
#include "commands/runs.h"
#include "commands/skeletons/predicted_run.h"
#include "decoder/status.h"
#include "extrapolate/site_laws.h"

/* So many ranks at most are blamed, one of each; more: the whole program departs. */
enum { RANKS_OF_ONE_SUSPECT = 4 };
static const gdouble least_of_suspects = 0.5;

gboolean dt_cli_is_unpredicted(const GError *error)
{
    return g_error_matches(error, DT_EXTRAPOLATE_ERROR, DT_EXTRAPOLATE_ERROR_NO_LAW) ||
           g_error_matches(error, DT_EXTRAPOLATE_ERROR, DT_EXTRAPOLATE_ERROR_NOT_WHOLE);
}

static const char *status_of(const DtRun *run, guint rank)
{
    g_autofree char *label = g_strdup_printf("%u.0", rank);
    const DtTrace *trace = dt_run_find_trace(run, label);
    const DtManifest *manifest = dt_run_manifest(run);
    if (trace && trace->process->end == DT_END_EXITED && trace->process->called_mpi_finalize)
        return dt_status_name(DT_STATUS_FINISHED);
    if (trace && trace->fatal_signal != 0)
        return dt_status_name(DT_STATUS_CRASHED);
    if (dt_run_was_cut_off(run))
        return dt_status_name(DT_STATUS_RUNNING);
    return dt_status_name(manifest->timed_out || manifest->stuck ? DT_STATUS_STUCK : DT_STATUS_KILLED);
}

static char *why(const DtSiteDeparture *departure)
{
    const char *what = departure->is_bytes ? "bytes" : "calls";
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "%s: %.0f %s, by the law %.6g", departure->site, departure->found, what,
                           departure->expected);
    if (departure->tolerance > 0)
        g_string_append_printf(text, " give or take %.6g", departure->tolerance);
    g_string_append_printf(text, " (%s)", departure->law);
    return g_string_free(text, FALSE);
}

static void add_suspect(DtComparison *comparison, const DtRun *run, const DtSiteDeparture *departure, DtLevel level)
{
    DtSuspectRow *row = g_new0(DtSuspectRow, 1);
    row->trace = g_strdup_printf("%u.0", departure->rank);
    row->level = g_strdup(dt_level_name(level));
    row->status = g_strdup(status_of(run, departure->rank));
    row->first_difference = g_strdup(departure->site);
    row->why = why(departure);
    row->score = departure->score;
    row->group = departure->rank;
    g_ptr_array_add(comparison->suspects, row);
}

/* What a run that was cut off has less of, it might yet have had. */
static void leave_what_might_come(const DtRun *run, GPtrArray *departures)
{
    for (guint i = departures->len; dt_run_was_cut_off(run) && i-- > 0;) {
        const DtSiteDeparture *departure = departures->pdata[i];
        if (departure->found < departure->expected)
            g_ptr_array_remove_index(departures, i);
    }
}

static void judge(DtComparison *comparison, const DtRun *run, const GPtrArray *departures, guint ranks,
                  const char *reason)
{
    guint blamed = 0;
    while (blamed < departures->len && ((const DtSiteDeparture *)departures->pdata[blamed])->score >= least_of_suspects)
        blamed++;
    const gboolean all = blamed > MAX(1, ranks / RANKS_OF_ONE_SUSPECT);
    for (guint i = 0; i < departures->len; i++)
        add_suspect(comparison, run, departures->pdata[i], i < blamed && !all ? DT_LEVEL_SUSPECT : DT_LEVEL_WEAK);
    comparison->scope = g_strdup(blamed == 0 ? "none" : blamed == 1 ? "one" : all ? "all" : "several");
    g_autofree char *first = departures->len > 0 ? why(departures->pdata[0]) : NULL;
    comparison->verdict =
        blamed == 0 ? g_strdup("all ranks keep to the laws of their calls and bytes")
        : all       ? g_strdup_printf("%u of %u ranks depart from the laws of their calls and bytes: nobody stands out",
                                      blamed, ranks)
                    : g_strdup_printf("%s departs most from the law of its calls: %s",
                                      ((const DtSuspectRow *)comparison->suspects->pdata[0])->trace, first);
    char *verdict = comparison->verdict;
    comparison->verdict = g_strdup_printf(
        "%s%s. No normal run on %u ranks could be predicted, so only how often and with how many bytes each "
        "rank makes each call was compared, with laws in the number of ranks: %s.",
        dt_run_was_cut_off(run)
            ? "a time limit ended the faulty run while it was still making progress: what it has less "
              "of is no difference; "
            : "",
        verdict, ranks, reason);
    g_free(verdict);
}

DtComparison *dt_cli_compare_with_laws(char **from, const char *faulty, const char *reason, gboolean *suspect,
                                       GError **error)
{
    const DtSkeletonOptions how = {.communication_only = TRUE};
    g_auto(DtCliLaws) laws = {0};
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_run_open(faulty, functions, error);
    g_autoptr(DtSkeleton) skeleton = run ? dt_skeleton_of_run(run, &how, error) : NULL;
    if (!skeleton || !dt_cli_read_sizes(from, &how, DT_CLI_NO_TIMES, &laws, error))
        return NULL;
    g_autoptr(DtProgress) progress = dt_progress_new("finding laws");
    g_autoptr(GPtrArray) departures =
        dt_site_departures((const DtSize *)(gconstpointer)laws.sizes->data, laws.sizes->len, skeleton);
    g_clear_pointer(&progress, dt_progress_free);
    leave_what_might_come(run, departures);
    g_autoptr(DtComparison) comparison = dt_comparison_new();
    comparison->faulty = g_strdup(faulty);
    comparison->baselines = g_new0(char *, 1);
    comparison->only_in_normal = g_new0(char *, 1);
    comparison->only_in_faulty = g_new0(char *, 1);
    judge(comparison, run, departures, skeleton->ranks, reason);
    comparison->prediction = dt_cli_prediction(&laws, skeleton->ranks);
    comparison->prediction->reason = g_strdup(reason);
    *suspect =
        comparison->suspects->len > 0 &&
        g_str_equal(((const DtSuspectRow *)comparison->suspects->pdata[0])->level, dt_level_name(DT_LEVEL_SUSPECT));
    return g_steal_pointer(&comparison);
}
