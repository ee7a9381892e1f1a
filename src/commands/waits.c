/* difftrace waits: who waits for whom at the end of a run, or in a job that runs now. */
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/attached.h"
#include "commands/commands.h"
#include "commands/report_options.h"
#include "commands/runs.h"
#include "waitfor/attached.h"

static gboolean anybody_waits(const DtWaitFor *waits)
{
    for (guint i = 0; i < waits->waiters->len; i++) {
        DtWaitMode mode = ((const DtWaiter *)waits->waiters->pdata[i])->mode;
        if (mode == DT_WAIT_FOR_ALL || mode == DT_WAIT_FOR_ANY)
            return TRUE;
    }
    return FALSE;
}

typedef struct {
    DtReportOptions report;
    DtAttachedOptions live;
    gint jobs;
} Options;

static void clear_options(Options *options)
{
    dt_report_options_clear(&options->report);
    dt_attached_options_clear(&options->live);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

static gboolean write_report(const DtWaitFor *waits, const Options *options, DtReportFormat format, GError **error)
{
    g_autofree char *report =
        dt_report_wait_for(waits, dt_cli_width(), dt_cli_terminal_format(format, options->report.output), error);
    return report && dt_cli_write(report, options->report.output, error);
}

static gboolean show_run(const char *path, const Options *options, DtReportFormat format, guint jobs, GError **error)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_cli_open_run(path, functions, error);
    if (!run)
        return FALSE;
    g_autoptr(DtProgress) progress = dt_progress_new("reading who waits");
    g_autoptr(DtWaitFor) waits = dt_wait_for_new(run, jobs, error);
    g_clear_pointer(&progress, dt_progress_free);
    if (!waits)
        return FALSE;
    if (anybody_waits(waits) && waits->lacks_arguments)
        dt_cli_warn_of_no_arguments(run, "who waits for whom cannot be told");
    return write_report(waits, options, format, error);
}

/* ---- what runs now ------------------------------------------------------------------ */

/* The run that records all of them: it knows more than can be seen from outside. NULL: there is none. */
static const char *run_of_all(const DtAttachedJob *job)
{
    const char *run = NULL;
    for (guint i = 0; i < job->processes->len; i++) {
        const DtAttachedProcess *process = job->processes->pdata[i];
        if (!process->run || (run && g_strcmp0(run, process->run) != 0))
            return NULL;
        run = process->run;
    }
    return run;
}

static gboolean show_attached(const Options *options, DtReportFormat format, guint jobs, GError **error)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtAttachedJob) job = dt_cli_look(&options->live, FALSE, functions, error);
    if (!job)
        return FALSE;
    if (run_of_all(job))
        return show_run(run_of_all(job), options, format, jobs, error);
    dt_attached_job_watch(job);
    g_autoptr(DtAttachedWaits) waits = dt_attached_waits_new(job);
    const GPtrArray *unknown = dt_attached_waits_unknown(waits);
    for (guint i = 0; i < unknown->len; i++)
        dt_cli_note("note: not known without a recording: %s", (const char *)unknown->pdata[i]);
    return write_report(dt_attached_waits_graph(waits), options, format, error);
}

static gboolean show_waits(char **arguments, gpointer data, GError **error)
{
    const Options *options = data;
    DtReportFormat format;
    gboolean is_attached;
    guint jobs;
    if (!dt_cli_is_attached(&options->live, arguments[0], &is_attached, error) ||
        !dt_cli_format(&options->report, &format, error) || !dt_cli_jobs(options->jobs, &jobs, error))
        return FALSE;
    return is_attached ? show_attached(options, format, jobs, error)
                       : show_run(arguments[0], options, format, jobs, error);
}

int dt_cmd_waits(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const DtOption entries[] = {DT_ATTACHED_OPTIONS(options.live), DT_REPORT_OPTIONS(options.report),
                                DT_OPTION("jobs", INT, &options.jobs), DT_OPTIONS_END};
    return dt_cli_run("waits", entries, NULL, argc, argv, show_waits, &options);
}
