/* difftrace stack: the call stack of a trace, or of all traces, at an event or at the end; or of what runs now. */
#include "cli/cli.h"
#include "commands/attached.h"
#include "commands/commands.h"
#include "commands/report_options.h"
#include "commands/runs.h"
#include "commands/stack_text.h"
#include "report/attached_stacks.h"
#include "text/text.h"

typedef struct {
    char *trace;
    gint64 at;
    gboolean all, lines, with_arguments, depths;
    DtAttachedOptions live;
    DtReportOptions report;
} Options;

static void clear_options(Options *options)
{
    g_free(options->trace);
    dt_attached_options_clear(&options->live);
    dt_report_options_clear(&options->report);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

static const gint64 at_the_end = G_MININT64;

static guint64 wanted_event(const Options *options)
{
    return options->at == at_the_end ? G_MAXUINT64 : (guint64)options->at;
}

static DtProjection projection(const Options *options)
{
    return options->with_arguments ? DT_NAMES_WITH_ARGUMENTS : DT_NAMES_ALONE;
}

static DtStackWants wants_of(const Options *options)
{
    return (DtStackWants){.at = wanted_event(options), .projection = projection(options), .lines = options->lines};
}

static gboolean show_run(const DtRun *run, const Options *options, DtReportFormat format, GError **error)
{
    const DtStackWants wants = wants_of(options);
    const DtTrace *trace = options->trace ? dt_cli_find_trace(run, options->trace, error) : NULL;
    if (options->trace && !trace)
        return FALSE;
    g_autofree char *report =
        trace ? dt_stack_text(run, trace, &wants, format, error) : dt_stacks_text(run, &wants, format, error);
    return report && dt_cli_write(report, options->report.output, error);
}

/* ---- what runs now ------------------------------------------------------------------ */

static const DtAttachedThread *find_thread(const DtAttachedJob *job, const char *label)
{
    g_autofree char *first = g_strdup_printf("%s.0", label);
    for (guint i = 0; i < job->processes->len; i++) {
        const DtAttachedProcess *process = job->processes->pdata[i];
        for (guint k = 0; k < process->threads->len; k++) {
            const DtAttachedThread *thread = process->threads->pdata[k];
            if (g_str_equal(thread->trace.label, label) || g_str_equal(thread->trace.label, first))
                return thread;
        }
    }
    return NULL;
}

static gboolean find_view(const Options *options, const DtAttachedJob *job, DtAttachedView *view, GError **error)
{
    *view = (DtAttachedView){.arguments = options->with_arguments, .lines = options->lines, .depths = options->depths};
    if (!options->trace)
        return TRUE;
    const DtAttachedThread *thread = find_thread(job, options->trace);
    if (!thread)
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "-t %s: there is no such thread; --all shows them",
                     options->trace);
    view->thread = thread ? thread->trace.label : NULL;
    return thread != NULL;
}

static gboolean show_attached(const Options *options, DtReportFormat format, GError **error)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtAttachedJob) job = dt_cli_look(&options->live, options->depths, functions, error);
    DtAttachedView view;
    if (!job || !find_view(options, job, &view, error))
        return FALSE;
    view.ranks = dt_attached_job_ranks(job, &view.ranks_seen);
    if (view.ranks_seen < view.ranks)
        dt_cli_warn("warning: of %u ranks, %u are seen here", view.ranks, view.ranks_seen);
    gboolean is_picture = format == DT_FORMAT_DOT || format == DT_FORMAT_SVG;
    g_autoptr(DtStackTree) tree = options->all || is_picture ? dt_attached_stack_tree(job, &view) : NULL;
    g_autofree char *report =
        tree ? dt_report_stack_tree(tree, format, error) : dt_report_attached_stacks(job, &view, format, error);
    return report && dt_cli_write(report, options->report.output, error);
}

static gboolean check(const Options *options, gboolean is_attached, GError **error)
{
    const char *problem = NULL;
    if (options->all && options->trace)
        problem = "--all: shows all traces; it does not go with -t";
    else if (options->at < 0 && options->at != at_the_end)
        problem = "--at: not the number of an event; 0 or more";
    else if (is_attached && options->at != at_the_end)
        problem = "--at: what runs now has no events";
    else if (!is_attached && options->depths)
        problem = "--internals: a run has no frames of libraries; it goes with --pid and --job";
    if (problem)
        g_set_error_literal(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, problem);
    return !problem;
}

static gboolean show_stack(char **arguments, gpointer data, GError **error)
{
    const Options *options = data;
    DtReportFormat format;
    gboolean is_attached;
    if (!dt_cli_is_attached(&options->live, arguments[0], &is_attached, error) || !check(options, is_attached, error) ||
        !dt_cli_format(&options->report, &format, error))
        return FALSE;
    if (is_attached)
        return show_attached(options, format, error);
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_cli_open_run(arguments[0], functions, error);
    if (!run)
        return FALSE;
    if (options->with_arguments)
        dt_cli_warn_of_no_arguments(run, "calls are shown by their names");
    return show_run(run, options, format, error);
}

int dt_cmd_stack(int argc, char **argv)
{
    g_auto(Options) options = {.at = at_the_end};
    const DtOption entries[] = {DT_OPTION("trace", STRING, &options.trace),
                                DT_OPTION("at", INT64, &options.at),
                                DT_OPTION("lines", NONE, &options.lines),
                                DT_OPTION("all", NONE, &options.all),
                                DT_OPTION("args", NONE, &options.with_arguments),
                                DT_OPTION("internals", NONE, &options.depths),
                                DT_ATTACHED_OPTIONS(options.live),
                                DT_REPORT_OPTIONS(options.report),
                                DT_OPTIONS_END};
    return dt_cli_run("stack", entries, NULL, argc, argv, show_stack, &options);
}
