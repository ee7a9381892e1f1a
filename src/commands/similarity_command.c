/* The body of `jsm` and `dendrogram`. */
#include "commands/similarity_command.h"

static char *make_report(const DtResult *result, const DtReportOptions *options, const char *wanted_side,
                         const DtSelection *selection, DtSimilarityRenderer render, GError **error)
{
    DtReportFormat format;
    DtSide side;
    g_auto(DtChoice) choice = {0};
    if (!dt_cli_format(options, &format, error) || !dt_result_side(result, wanted_side, &side, error) ||
        !dt_selection_check_single(selection, error) || !dt_result_choose(result, selection, &choice, error))
        return NULL;
    g_autoptr(DtFolding) folding = dt_result_fold(result, &choice, selection->jobs, error);
    if (!folding)
        return NULL;
    g_autoptr(DtProgress) progress = dt_progress_new("comparing the traces");
    g_autoptr(DtSimilarity) similarity = dt_similarity_new(result->runs, folding, choice.attributes, selection->jobs);
    DtSimilarityView view = {.side = side,
                             .filter = folding->filter,
                             .attributes = dt_attribute_setting_name(choice.attributes),
                             .linkage_name = dt_linkage_name(choice.linkage),
                             .linkage = choice.linkage,
                             .labels = result->runs->labels,
                             .similarity = similarity};
    char *report = render(&view, format, error);
    g_clear_pointer(&progress, dt_progress_free);
    return report;
}

static gboolean show(const char *directory, const DtReportOptions *options, const char *side,
                     const DtSelectionOptions *selection_options, DtSimilarityRenderer render, GError **error)
{
    g_autoptr(DtSelection) selection = dt_selection_new(selection_options, error);
    if (!selection)
        return FALSE;
    g_auto(DtCliListener) listener = {0};
    g_autoptr(DtResult) result = dt_cli_open_result(directory, &listener, error);
    if (!result)
        return FALSE;
    g_autofree char *report = make_report(result, options, side, selection, render, error);
    return report && dt_cli_write(report, options->output, error);
}

int dt_similarity_command(const char *command, DtSimilarityRenderer render, int argc, char **argv)
{
    g_auto(DtSelectionOptions) selection_options = DT_SELECTION_OPTIONS_INIT;
    g_autofree DtOption *selection_entries = dt_selection_entries(&selection_options);
    g_auto(DtReportOptions) options = {0};
    g_autofree char *side = NULL;
    const DtOption entries[] = {DT_OPTION("of", STRING, &side), DT_REPORT_OPTIONS(options), DT_OPTIONS_END};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse(command, entries, selection_entries, argc, argv, &status);
    if (!arguments)
        return status;
    g_autoptr(GError) error = NULL;
    show(arguments[0] ? arguments[0] : DT_RESULT_DIRECTORY, &options, side, &selection_options, render, &error);
    return dt_cli_status(error);
}
