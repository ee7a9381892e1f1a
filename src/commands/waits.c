/* difftrace waits: who waits for whom at the end of a run. */
#include "cli/cli.h"
#include "commands/commands.h"
#include "commands/runs.h"

typedef struct {
    char *format, *output;
    gboolean json, tsv;
    gint jobs;
} Options;

static void clear_options(Options *options)
{
    g_free(options->format);
    g_free(options->output);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

static gboolean show_waits(const char *path, const Options *options, GError **error)
{
    DtReportFormat format;
    guint jobs;
    if (!dt_cli_format(options->format, options->json, options->tsv, &format, error) ||
        !dt_cli_jobs(options->jobs, &jobs, error))
        return FALSE;
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_cli_open_run(path, functions, error);
    if (run == NULL)
        return FALSE;
    if (!dt_functions_have_signatures(functions))
        dt_cli_warn("warning: %s: no arguments of calls were recorded: who waits for whom cannot be told", path);
    g_autoptr(DtWaitFor) waits = dt_wait_for_new(run, jobs, error);
    if (waits == NULL)
        return FALSE;
    g_autofree char *report =
        dt_report_wait_for(waits, dt_cli_width(), dt_cli_terminal_format(format, options->output), error);
    return report != NULL && dt_cli_write(report, options->output, error);
}

int dt_cmd_waits(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const DtOption entries[] = {
        DT_OPTION("format", STRING, &options.format), DT_OPTION("json", NONE, &options.json),
        DT_OPTION("tsv", NONE, &options.tsv),         DT_OPTION("output", FILENAME, &options.output),
        DT_OPTION("jobs", INT, &options.jobs),        DT_OPTIONS_END};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse("waits", entries, NULL, argc, argv, &status);
    if (arguments == NULL)
        return status;
    g_autoptr(GError) error = NULL;
    show_waits(arguments[0], &options, &error);
    return dt_cli_status(error);
}
