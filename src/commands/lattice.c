/* difftrace lattice: the concept lattice of a run's traces. */
#include "cli/cli.h"
#include "commands/commands.h"
#include "commands/runs.h"
#include "commands/selection_options.h"
#include "compare/configuration.h"

typedef struct {
    char *format, *output;
    gboolean json, tsv;
} Options;

static void clear_options(Options *options)
{
    g_free(options->format);
    g_free(options->output);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

static char *render(const char *run, const char *filter, DtAttributeSetting attributes, const DtContext *context,
                    DtReportFormat format, GError **error)
{
    DtLatticeReport what = {run, filter, dt_attribute_setting_name(attributes), context, NULL};
    guint most = DT_LATTICE_PICTURE_LIMIT;
    if (format == DT_FORMAT_SVG)
        return dt_report_lattice_upper(&what, &most, format, error);
    g_autoptr(DtLattice) lattice = format != DT_FORMAT_CXT ? dt_lattice_new(context, 0, error) : NULL;
    if (lattice == NULL && format != DT_FORMAT_CXT)
        return NULL;
    what.lattice = lattice;
    return dt_report_lattice(&what, format, error);
}

static gboolean show_lattice(const char *path, const Options *options, DtSelection *selection, GError **error)
{
    DtReportFormat format;
    dt_selection_default_filter(selection, "all");
    dt_selection_default_attributes(selection, "sing.noFreq");
    dt_selection_default_loops(selection, DT_NLR_DEFAULT_K, DT_NLR_DEFAULT_MIN_REPEAT);
    if (!dt_cli_format(options->format, options->json, options->tsv, &format, error) ||
        !dt_selection_check_single(selection, error))
        return FALSE;
    g_autoptr(DtRuns) runs = dt_cli_open_runs(NULL, NULL, path, error);
    if (runs == NULL)
        return FALSE;
    g_autoptr(DtFolding) folding =
        dt_folding_new(runs, dt_selection_filter(selection, 0), selection->k,
                       (DtLoops){selection->min_repeat, selection->form, DT_NAMES_ALONE}, selection->jobs, error);
    if (folding == NULL)
        return FALSE;
    if (folding->empty)
        dt_cli_warn("warning: filter %s: keeps no call of %s; take another --filter", folding->filter,
                    dt_run_path(runs->faulty));
    DtAttributeSetting attributes = dt_selection_attributes(selection, 0);
    g_autoptr(DtContext) context = dt_folding_context(folding->faulty, runs->functions, attributes);
    g_autofree char *report = render(dt_run_path(runs->faulty), folding->filter, attributes, context, format, error);
    return report != NULL && dt_cli_write(report, options->output, error);
}

int dt_cmd_lattice(int argc, char **argv)
{
    g_auto(DtSelectionOptions) selection_options = DT_SELECTION_OPTIONS_INIT;
    g_autofree DtOption *selection_entries = dt_selection_entries(&selection_options);
    g_auto(Options) options = {0};
    const DtOption entries[] = {DT_OPTION("format", STRING, &options.format), DT_OPTION("json", NONE, &options.json),
                                DT_OPTION("tsv", NONE, &options.tsv), DT_OPTION("output", FILENAME, &options.output),
                                DT_OPTIONS_END};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse("lattice", entries, selection_entries, argc, argv, &status);
    if (arguments == NULL)
        return status;
    g_autoptr(GError) error = NULL;
    g_autoptr(DtSelection) selection = dt_selection_new(&selection_options, &error);
    if (selection != NULL)
        show_lattice(arguments[0], &options, selection, &error);
    return dt_cli_status(error);
}
