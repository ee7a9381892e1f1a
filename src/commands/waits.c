/* difftrace waits: who waits for whom at the end of a run. */
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/commands.h"
#include "commands/report_options.h"
#include "commands/runs.h"

static gboolean anybody_waits(const DtWaitFor *waits)
{
    for (guint i = 0; i < waits->waiters->len; i++) {
        DtWaitMode mode = ((const DtWaiter *)waits->waiters->pdata[i])->mode;
        if (mode == DT_WAIT_FOR_ALL || mode == DT_WAIT_FOR_ANY)
            return TRUE;
    }
    return FALSE;
}

static gboolean show_waits(const char *path, const DtReportOptions *options, gint wanted_jobs, GError **error)
{
    DtReportFormat format;
    guint jobs;
    if (!dt_cli_format(options, &format, error) || !dt_cli_jobs(wanted_jobs, &jobs, error))
        return FALSE;
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_cli_open_run(path, functions, error);
    if (run == NULL)
        return FALSE;
    g_autoptr(DtProgress) progress = dt_progress_new("reading who waits");
    g_autoptr(DtWaitFor) waits = dt_wait_for_new(run, jobs, error);
    g_clear_pointer(&progress, dt_progress_free);
    if (waits == NULL)
        return FALSE;
    if (anybody_waits(waits) && waits->lacks_arguments)
        dt_cli_warn_of_no_arguments(run, "who waits for whom cannot be told");
    g_autofree char *report =
        dt_report_wait_for(waits, dt_cli_width(), dt_cli_terminal_format(format, options->output), error);
    return report != NULL && dt_cli_write(report, options->output, error);
}

int dt_cmd_waits(int argc, char **argv)
{
    g_auto(DtReportOptions) options = {0};
    gint jobs = 0;
    const DtOption entries[] = {DT_REPORT_OPTIONS(options), DT_OPTION("jobs", INT, &jobs), DT_OPTIONS_END};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse("waits", entries, NULL, argc, argv, &status);
    if (arguments == NULL)
        return status;
    g_autoptr(GError) error = NULL;
    show_waits(arguments[0], &options, jobs, &error);
    return dt_cli_status(error);
}
