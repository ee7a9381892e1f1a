/* difftrace coverage: what runs exercised of what could have happened, and what none of them ever did. */
#include "coverage/coverage.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/commands.h"
#include "commands/report_options.h"
#include "commands/runs.h"
#include "report/coverage/coverage_report.h"

typedef struct {
    gboolean never, found, exit_code;
    DtReportOptions report;
} Options;

static void clear_options(Options *options)
{
    dt_report_options_clear(&options->report);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

static gboolean add_run(DtCoverage *coverage, const char *path, GError **error)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_cli_open_run(path, functions, error);
    return run && dt_coverage_add(coverage, run, path, error);
}

static gboolean show_coverage(char **arguments, gpointer data, GError **error)
{
    Options *options = data;
    DtReportFormat format;
    if (!dt_cli_format(&options->report, &format, error))
        return FALSE;
    g_autoptr(DtCoverage) coverage = dt_coverage_new();
    g_autoptr(DtProgress) progress = dt_progress_new("reading runs");
    for (guint i = 0; arguments[i]; i++)
        if (!add_run(coverage, arguments[i], error))
            return FALSE;
    dt_coverage_complete(coverage);
    g_clear_pointer(&progress, dt_progress_free);
    options->found = coverage->seen < coverage->required;
    g_autofree char *report = dt_report_coverage(coverage, options->never, dt_cli_width(), format, error);
    return report && dt_cli_write(report, options->report.output, error);
}

int dt_cmd_coverage(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const DtOption entries[] = {DT_OPTION("never", NONE, &options.never),
                                DT_OPTION("exit-code", NONE, &options.exit_code), DT_REPORT_OPTIONS(options.report),
                                DT_OPTIONS_END};
    const int status = dt_cli_run("coverage", entries, NULL, argc, argv, show_coverage, &options);
    return status == 0 && options.exit_code && options.found ? DT_EXIT_FOUND : status;
}
