/* difftrace nlr: the nested loop representation of traces. */
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/commands.h"
#include "commands/report_options.h"
#include "commands/runs.h"
#include "commands/selection_options.h"

/* The folded traces that were asked for, in the order asked. */
static GPtrArray *pick(const GPtrArray *folded, const GPtrArray *traces)
{
    GPtrArray *picked = g_ptr_array_new();
    for (guint i = 0; i < traces->len; i++)
        g_ptr_array_add(picked, folded->pdata[((const DtTrace *)traces->pdata[i])->index]);
    return picked;
}

static void warn_of_problems(const DtRun *run, const GPtrArray *picked)
{
    for (guint i = 0; i < picked->len; i++) {
        const DtFoldedTrace *folded = picked->pdata[i];
        if (folded->problem)
            dt_cli_warn("warning: %s: trace %s: %s", dt_run_path(run), folded->trace->label, folded->problem);
    }
}

static gboolean keeps_nothing(const GPtrArray *picked)
{
    for (guint i = 0; i < picked->len; i++) {
        if (dt_nlr_elements(((const DtFoldedTrace *)picked->pdata[i])->nlr).length > 0)
            return FALSE;
    }
    return TRUE;
}

static void show_folded(guint64 done, guint64 all, gpointer progress)
{
    dt_progress_set(progress, done, all);
}

/* All traces are folded even if one is shown: a loop has one name, whatever is shown. */
static gboolean show_nlr(const char *path, char **labels, DtProjection projection, DtSelection *selection,
                         const DtReportOptions *options, GError **error)
{
    DtReportFormat format;
    dt_selection_default_filter(selection, "all");
    dt_selection_default_loops(selection, DT_NLR_DEFAULT_K, DT_NLR_DEFAULT_MIN_REPEAT);
    if (!dt_cli_format(options, &format, error) || !dt_selection_check_single(selection, error))
        return FALSE;
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_cli_open_run(path, functions, error);
    if (!run)
        return FALSE;
    g_autoptr(GPtrArray) traces = dt_cli_find_traces(run, (const char *const *)labels, error);
    if (!traces)
        return FALSE;
    DtFilter *filter = dt_selection_filter(selection, 0);
    guint k = dt_filter_k(filter, selection->k);
    g_autofree char *notation = dt_filter_notation(filter, k);
    g_autoptr(DtFilterSet) set = dt_filter_compile(filter, functions, error);
    if (!set)
        return FALSE;
    if (projection == DT_NAMES_WITH_ARGUMENTS)
        dt_cli_warn_of_no_arguments(run, "calls are shown by their names");
    g_autoptr(DtLoopTable) table = dt_loop_table_new();
    g_autoptr(DtCallTree) tree = dt_call_tree_new(functions);
    const DtFoldPlan plan = {set, k, selection->min_repeat, table, selection->form, tree, projection};
    const DtRun *const runs[] = {run};
    g_autoptr(DtProgress) progress = dt_progress_new("folding");
    g_autoptr(GPtrArray) folded = dt_nlr_fold_runs(runs, 1, &plan, 1, selection->jobs, show_folded, progress, error);
    if (!folded)
        return FALSE;
    g_autoptr(GPtrArray) picked = pick(folded->pdata[0], traces);
    warn_of_problems(run, picked);
    if (keeps_nothing(picked))
        dt_cli_note_nothing_kept(run, notation);
    DtNlrReport what = {notation, functions, table, tree, picked};
    g_autofree char *report = dt_report_nlr(&what, format, error);
    g_clear_pointer(&progress, dt_progress_free);
    return report && dt_cli_write(report, options->output, error);
}

int dt_cmd_nlr(int argc, char **argv)
{
    g_auto(DtSelectionOptions) selection_options = DT_SELECTION_OPTIONS_INIT;
    g_autofree DtOption *selection_entries = dt_selection_entries(&selection_options);
    g_auto(DtReportOptions) options = {0};
    g_auto(GStrv) labels = NULL;
    gboolean with_arguments = FALSE;
    const DtOption entries[] = {DT_OPTION("trace", STRING_ARRAY, &labels), DT_OPTION("args", NONE, &with_arguments),
                                DT_REPORT_OPTIONS(options), DT_OPTIONS_END};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse("nlr", entries, selection_entries, argc, argv, &status);
    if (!arguments)
        return status;
    g_autoptr(GError) error = NULL;
    g_autoptr(DtSelection) selection = dt_selection_new(&selection_options, &error);
    if (selection)
        show_nlr(arguments[0], labels, with_arguments ? DT_NAMES_WITH_ARGUMENTS : DT_NAMES_ALONE, selection, &options,
                 &error);
    return dt_cli_status(error);
}
