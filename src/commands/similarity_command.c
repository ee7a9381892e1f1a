/* The body of `jsm` and `dendrogram`. */
#include "commands/similarity_command.h"

typedef struct {
    char *side, *format, *output;
    gboolean json, tsv;
} Options;

static void clear_options(Options *options)
{
    g_free(options->side);
    g_free(options->format);
    g_free(options->output);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

static char *make_report(const DtResult *result, const Options *options, const DtSelection *selection,
                         DtSimilarityRenderer render, GError **error)
{
    DtReportFormat format;
    DtSide side;
    g_auto(DtChoice) choice = {0};
    if (!dt_cli_format(options->format, options->json, options->tsv, &format, error) ||
        !dt_result_side(result, options->side, &side, error) || !dt_selection_check_single(selection, error) ||
        !dt_result_choose(result, selection, &choice, error))
        return NULL;
    g_autoptr(DtFolding) folding = dt_result_fold(result, &choice, selection->jobs, error);
    if (folding == NULL)
        return NULL;
    g_autoptr(DtSimilarity) similarity = dt_similarity_new(result->runs, folding, choice.attributes, selection->jobs);
    DtSimilarityView view = {.side = side,
                             .filter = folding->filter,
                             .attributes = dt_attribute_setting_name(choice.attributes),
                             .linkage_name = dt_linkage_name(choice.linkage),
                             .linkage = choice.linkage,
                             .labels = result->runs->labels,
                             .similarity = similarity};
    return render(&view, format, error);
}

static gboolean show(const char *directory, const Options *options, const DtSelectionOptions *selection_options,
                     DtSimilarityRenderer render, GError **error)
{
    g_autoptr(DtSelection) selection = dt_selection_new(selection_options, error);
    if (selection == NULL)
        return FALSE;
    g_autoptr(DtResult) result = dt_cli_open_result(directory, error);
    if (result == NULL)
        return FALSE;
    g_autofree char *report = make_report(result, options, selection, render, error);
    return report != NULL && dt_cli_write(report, options->output, error);
}

int dt_similarity_command(const char *command, DtSimilarityRenderer render, int argc, char **argv)
{
    g_auto(DtSelectionOptions) selection_options = DT_SELECTION_OPTIONS_INIT;
    g_autofree DtOption *selection_entries = dt_selection_entries(&selection_options);
    g_auto(Options) options = {0};
    const DtOption entries[] = {
        DT_OPTION("of", STRING, &options.side),         DT_OPTION("format", STRING, &options.format),
        DT_OPTION("json", NONE, &options.json),         DT_OPTION("tsv", NONE, &options.tsv),
        DT_OPTION("output", FILENAME, &options.output), DT_OPTIONS_END};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse(command, entries, selection_entries, argc, argv, &status);
    if (arguments == NULL)
        return status;
    g_autoptr(GError) error = NULL;
    show(arguments[0] != NULL ? arguments[0] : DT_RESULT_DIRECTORY, &options, &selection_options, render, &error);
    return dt_cli_status(error);
}
