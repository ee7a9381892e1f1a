/* difftrace waits: who waits for whom at the end of a run. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/runs.h"

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
    g_autoptr(DtRun) run = dt_cli_open_run(path, functions, DT_NAMES_WITH_ARGUMENTS, error);
    if (run == NULL)
        return FALSE;
    if (!dt_functions_have_signatures(functions))
        dt_cli_warn("warning: %s: no arguments of calls were recorded: who waits for whom cannot be told", path);
    g_autoptr(DtWaits) waits = dt_waits_new(run, jobs, error);
    if (waits == NULL)
        return FALSE;
    g_autofree char *report =
        dt_report_waits(waits, dt_cli_width(), dt_cli_terminal_format(format, options->output), error);
    return report != NULL && dt_cli_write(report, options->output, error);
}

int dt_cmd_waits(int argc, char **argv)
{
    static const DtUsage usage = {
        .name = "waits",
        .arguments = "RUN",
        .summary = "Shows who waits for whom at the end of a run that hung, and who is to blame.",
        .description =
            "From the last open calls and their arguments: messages are matched by communicator, peer and tag,\n"
            "collective calls by their order on each communicator, locks by who holds them. Traces that wait alike\n"
            "are one line.",
        .least = 1,
        .most = 1};
    g_auto(Options) options = {0};
    const GOptionEntry entries[] = {
        {"format", 0, 0, G_OPTION_ARG_STRING, &options.format, "text (default), tsv, dot, svg or json", "FORMAT"},
        {"json", 0, 0, G_OPTION_ARG_NONE, &options.json, "as a JSON document", NULL},
        {"tsv", 0, 0, G_OPTION_ARG_NONE, &options.tsv, "as tab-separated values, a trace a line", NULL},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output, "write to FILE instead of stdout", "FILE"},
        {"jobs", 'j', 0, G_OPTION_ARG_INT, &options.jobs, "threads to use (0: all cores)", "N"},
        G_OPTION_ENTRY_NULL};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse(&usage, entries, NULL, argc, argv, &status);
    if (arguments == NULL)
        return status;
    g_autoptr(GError) error = NULL;
    show_waits(arguments[0], &options, &error);
    return dt_cli_status(error);
}
