/* difftrace lines: where in the source the calls of a run come from. */
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/commands.h"
#include "commands/report_options.h"
#include "commands/runs.h"
#include "report/calls/sites.h"
#include "store/symbols/source_lines.h"

typedef struct {
    gboolean store;
    DtReportOptions report;
} Options;

static void clear_options(Options *options)
{
    dt_report_options_clear(&options->report);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

static gboolean show(const DtRun *run, const Options *options, DtReportFormat format, GError **error)
{
    g_autoptr(DtProgress) progress = dt_progress_new("looking up lines");
    g_autoptr(DtSites) sites = dt_sites_of(run);
    g_clear_pointer(&progress, dt_progress_free);
    if (dt_sites_count(sites) == 0)
        dt_cli_note("note: %s: no call site is recorded: no call of MPI or of locks had its arguments recorded, or the "
                    "run is of an earlier version",
                    dt_run_path(run));
    g_autofree char *report = dt_report_sites(sites, dt_cli_width(), format, error);
    return report && dt_cli_write(report, options->report.output, error);
}

static gboolean run_lines(const char *path, const Options *options, GError **error)
{
    DtReportFormat format;
    if (!dt_cli_format(&options->report, &format, error))
        return FALSE;
    g_autoptr(DtFunctions) functions = dt_functions_new();
    if (!options->store) {
        g_autoptr(DtRun) run = dt_cli_open_run(path, functions, error);
        return run && show(run, options, format, error);
    }
    g_autoptr(DtRun) run = dt_run_open_processes(path, functions, error);
    return run && dt_source_lines_store(run, error);
}

int dt_cmd_lines(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const DtOption entries[] = {DT_OPTION("store", NONE, &options.store), DT_REPORT_OPTIONS(options.report),
                                DT_OPTIONS_END};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse("lines", entries, NULL, argc, argv, &status);
    if (!arguments)
        return status;
    g_autoptr(GError) error = NULL;
    run_lines(arguments[0], &options, &error);
    return dt_cli_status(error);
}
