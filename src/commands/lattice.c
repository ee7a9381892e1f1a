/* difftrace lattice: the concept lattice of a run's traces. */
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/commands.h"
#include "commands/report_options.h"
#include "commands/runs.h"
#include "commands/selection_options.h"
#include "compare/configuration.h"

static char *render(const char *run, const char *filter, DtAttributeSetting attributes, const DtContext *context,
                    DtReportFormat format, GError **error)
{
    DtLatticeReport what = {run, filter, dt_attribute_setting_name(attributes), context, NULL};
    guint most = DT_LATTICE_PICTURE_LIMIT;
    if (format == DT_FORMAT_SVG)
        return dt_report_lattice_upper(&what, &most, format, error);
    g_autoptr(DtLattice) lattice = format != DT_FORMAT_CXT ? dt_lattice_new(context, 0, error) : NULL;
    if (!lattice && format != DT_FORMAT_CXT)
        return NULL;
    what.lattice = lattice;
    return dt_report_lattice(&what, format, error);
}

static gboolean show_lattice(const char *path, const DtReportOptions *options, DtSelection *selection, GError **error)
{
    DtReportFormat format;
    dt_selection_default_filter(selection, "all");
    dt_selection_default_attributes(selection, "sing.noFreq");
    dt_selection_default_loops(selection, DT_NLR_DEFAULT_K, DT_NLR_DEFAULT_MIN_REPEAT);
    if (!dt_cli_format(options, &format, error) || !dt_selection_check_single(selection, error))
        return FALSE;
    g_auto(DtCliListener) listener = {0};
    g_autoptr(DtRuns) runs = dt_cli_open_runs(NULL, NULL, path, &listener, error);
    if (!runs)
        return FALSE;
    g_autoptr(DtFolding) folding =
        dt_folding_new(runs, dt_selection_filter(selection, 0), selection->k,
                       (DtLoops){selection->min_repeat, selection->form, DT_NAMES_ALONE}, selection->jobs, error);
    if (!folding)
        return FALSE;
    dt_cli_note_no_calls(runs->faulty);
    if (folding->empty)
        dt_cli_note_nothing_kept(runs->faulty, folding->filter);
    DtAttributeSetting attributes = dt_selection_attributes(selection, 0);
    g_autoptr(DtContext) context = dt_folding_context(folding->faulty, runs->functions, attributes);
    g_autoptr(DtProgress) progress = dt_progress_new("making the lattice");
    g_autofree char *report = render(dt_run_path(runs->faulty), folding->filter, attributes, context, format, error);
    g_clear_pointer(&progress, dt_progress_free);
    return report && dt_cli_write(report, options->output, error);
}

int dt_cmd_lattice(int argc, char **argv)
{
    g_auto(DtSelectionOptions) selection_options = DT_SELECTION_OPTIONS_INIT;
    g_autofree DtOption *selection_entries = dt_selection_entries(&selection_options);
    g_auto(DtReportOptions) options = {0};
    const DtOption entries[] = {DT_REPORT_OPTIONS(options), DT_OPTIONS_END};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse("lattice", entries, selection_entries, argc, argv, &status);
    if (!arguments)
        return status;
    g_autoptr(GError) error = NULL;
    g_autoptr(DtSelection) selection = dt_selection_new(&selection_options, &error);
    if (selection)
        show_lattice(arguments[0], &options, selection, &error);
    return dt_cli_status(error);
}
