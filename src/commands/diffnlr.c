/* difftrace diffnlr: the difference of one trace between the two runs of a comparison. */
#include "cli/cli.h"
#include "commands/commands.h"
#include "commands/report_options.h"
#include "commands/runs.h"
#include "commands/selection_options.h"
#include "compare/folding_cache.h"
#include "result/difference_report.h"
#include "text/text.h"

/* The trace in both runs, or an error that says which one lacks it. */
static const DtTrace *find_common(const DtResult *result, const char *label, GError **error)
{
    if (!result->runs->normal) {
        dt_set_error(
            error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
            "diffnlr: the comparison had no normal run; a difference needs two: difftrace compare NORMAL FAULTY");
        return NULL;
    }
    if (!dt_cli_find_trace(result->runs->normal, label, error))
        return NULL;
    return dt_cli_find_trace(result->runs->faulty, label, error);
}

/* Under the best row's filter; if that one hides how the trace differs, another row's. */
static const DtFolding *fold_telling(const DtResult *result, DtFoldingCache *cache, const char *label, GError **error)
{
    const DtFolding *folding = dt_folding_cache_telling(cache, result->comparison, label, NULL, error);
    const DtRankingRow *row = result->comparison->rows->pdata[0];
    if (folding && g_strcmp0(row->filter, folding->filter) != 0)
        dt_cli_note("note: shown under filter %s: the best row's, %s, hides how trace %s differs", folding->filter,
                    row->filter, label);
    return folding;
}

static gboolean print_difference(const DtResult *result, const DtFolding *folding, const char *label,
                                 DtReportFormat format, const DtReportOptions *options, GError **error)
{
    g_autofree char *report = dt_difference_report(result->comparison, result->runs, folding, label, dt_cli_width(),
                                                   dt_cli_terminal_format(format, options->output), error);
    return report && dt_cli_write(report, options->output, error);
}

static gboolean show_trace(const DtResult *result, const char *label, DtReportFormat format, DtProjection projection,
                           const DtReportOptions *options, const DtSelection *selection, GError **error)
{
    g_auto(DtChoice) choice = {0};
    if (!dt_selection_check_single(selection, error) || !dt_result_choose(result, selection, &choice, error))
        return FALSE;
    choice.loops.projection = projection;
    if (selection->filters->len > 0 || selection->k != 0 || result->comparison->rows->len == 0) {
        g_autoptr(DtFolding) chosen = dt_result_fold(result, &choice, selection->jobs, error);
        return chosen && print_difference(result, chosen, label, format, options, error);
    }
    g_autoptr(DtFoldingCache) cache = dt_folding_cache_new(result->runs, choice.loops, selection->jobs);
    const DtFolding *folding = fold_telling(result, cache, label, error);
    return folding && print_difference(result, folding, label, format, options, error);
}

static gboolean show_difference(const char *label, const char *directory, const DtReportOptions *options,
                                DtProjection projection, const DtSelection *selection, GError **error)
{
    DtReportFormat format;
    if (!dt_cli_format(options, &format, error))
        return FALSE;
    g_auto(DtCliListener) listener = {0};
    g_autoptr(DtResult) result = dt_cli_open_result(directory, &listener, error);
    if (!result)
        return FALSE;
    if (projection == DT_NAMES_WITH_ARGUMENTS)
        dt_cli_warn_of_no_arguments(result->runs->faulty, "calls are shown by their names");
    const DtTrace *trace = find_common(result, label, error);
    return trace && show_trace(result, trace->label, format, projection, options, selection, error);
}

int dt_cmd_diffnlr(int argc, char **argv)
{
    g_auto(DtSelectionOptions) selection_options = DT_SELECTION_OPTIONS_INIT;
    g_autofree DtOption *selection_entries = dt_selection_entries(&selection_options);
    g_auto(DtReportOptions) options = {0};
    gboolean with_arguments = FALSE;
    const DtOption entries[] = {DT_OPTION("args", NONE, &with_arguments), DT_REPORT_OPTIONS(options), DT_OPTIONS_END};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse("diffnlr", entries, selection_entries, argc, argv, &status);
    if (!arguments)
        return status;
    g_autoptr(GError) error = NULL;
    g_autoptr(DtSelection) selection = dt_selection_new(&selection_options, &error);
    if (selection)
        show_difference(arguments[0], arguments[1] ? arguments[1] : DT_RESULT_DIRECTORY, &options,
                        with_arguments ? DT_NAMES_WITH_ARGUMENTS : DT_NAMES_ALONE, selection, &error);
    return dt_cli_status(error);
}
