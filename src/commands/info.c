/* difftrace info: what a run holds. */
#include "cli/cli.h"
#include "commands/commands.h"
#include "commands/runs.h"
#include "report/stacks.h"

static gboolean show_info(const char *path, DtReportFormat format, GError **error)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_run_open_processes(path, functions, error);
    if (run == NULL) {
        dt_cli_suggest_run(path, *error);
        return FALSE;
    }
    g_autofree guint64 *events = dt_count_events(run, NULL, NULL);
    DtRunReport what = {run, events, dt_cli_width()};
    g_autofree char *report = dt_report_run(&what, format, error);
    return report != NULL && dt_cli_write(report, NULL, error);
}

int dt_cmd_info(int argc, char **argv)
{
    gboolean json = FALSE, tsv = FALSE;
    const DtOption entries[] = {DT_OPTION("json", NONE, &json), DT_OPTION("tsv", NONE, &tsv), DT_OPTIONS_END};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse("info", entries, NULL, argc, argv, &status);
    if (arguments == NULL)
        return status;
    g_autoptr(GError) error = NULL;
    show_info(arguments[0], json ? DT_FORMAT_JSON : tsv ? DT_FORMAT_TSV : DT_FORMAT_TEXT, &error);
    return dt_cli_status(error);
}
