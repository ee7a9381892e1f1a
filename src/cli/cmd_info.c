/* difftrace info: what a run holds. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/stacks.h"

static gboolean show_info(const char *path, DtReportFormat format, GError **error)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_run_open(path, functions, error);
    if (run == NULL)
        return FALSE;
    g_autofree guint64 *events = dt_count_events(run);
    DtRunReport what = {run, events, dt_cli_width()};
    g_autofree char *report = dt_report_run(&what, format, error);
    return report != NULL && dt_cli_write(report, NULL, error);
}

int dt_cmd_info(int argc, char **argv)
{
    static const DtUsage usage = {
        .name = "info",
        .arguments = "RUN",
        .summary = "Shows what a run holds: its command, processes, threads, events and bytes, which functions were\n"
                   "hooked and which were not and why, how each process ended, and what is damaged.",
        .least = 1,
        .most = 1};
    gboolean json = FALSE, tsv = FALSE;
    const GOptionEntry entries[] = {
        {"json", 0, 0, G_OPTION_ARG_NONE, &json, "as a JSON document", NULL},
        {"tsv", 0, 0, G_OPTION_ARG_NONE, &tsv, "the processes as tab-separated values", NULL},
        G_OPTION_ENTRY_NULL};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse(&usage, entries, NULL, argc, argv, &status);
    if (arguments == NULL)
        return status;
    g_autoptr(GError) error = NULL;
    show_info(arguments[0], json ? DT_FORMAT_JSON : tsv ? DT_FORMAT_TSV : DT_FORMAT_TEXT, &error);
    return dt_cli_status(error);
}
