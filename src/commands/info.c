/* difftrace info: what a run holds. */
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/commands.h"
#include "commands/report_options.h"
#include "commands/runs.h"
#include "report/stacks.h"

typedef struct {
    DtReportOptions report;
    gboolean skipped;
} Options;

static void clear_options(Options *options)
{
    dt_report_options_clear(&options->report);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

static gboolean show_info(char **arguments, gpointer data, GError **error)
{
    const Options *options = data;
    const char *path = arguments[0];
    DtReportFormat format;
    if (!dt_cli_format(&options->report, &format, error))
        return FALSE;
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_run_open_processes(path, functions, error);
    if (!run) {
        dt_cli_suggest_run(path, *error);
        return FALSE;
    }
    dt_cli_note_still_running(path);
    g_autoptr(DtProgress) progress = dt_progress_new("counting events");
    g_autofree guint64 *events = dt_count_events(run, NULL, NULL);
    g_clear_pointer(&progress, dt_progress_free);
    DtRunReport what = {run, events, dt_cli_width(), options->skipped};
    g_autofree char *report = dt_report_run(&what, format, error);
    return report && dt_cli_write(report, options->report.output, error);
}

int dt_cmd_info(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const DtOption entries[] = {DT_OPTION("skipped", NONE, &options.skipped), DT_REPORT_OPTIONS(options.report),
                                DT_OPTIONS_END};
    return dt_cli_run("info", entries, NULL, argc, argv, show_info, &options);
}
