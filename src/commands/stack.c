/* difftrace stack: the call stack of a trace, or of all traces, at an event or at the end; or of what runs now. */
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/attached.h"
#include "commands/commands.h"
#include "commands/report_options.h"
#include "commands/runs.h"
#include "decoder/open_calls.h"
#include "report/attached_stacks.h"
#include "report/stacks.h"
#include "store/symbols/source_lines.h"
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

/* One for each frame; NULL where nothing is known. */
static GPtrArray *find_lines(const DtRun *run, const DtTrace *trace, const GArray *frames)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(DtSourceLines) source = dt_source_lines_new();
    for (guint i = 0; i < frames->len; i++)
        g_ptr_array_add(
            lines, dt_source_lines_find(source, run, trace->process,
                                        dt_functions_base(dt_run_functions(run), g_array_index(frames, guint32, i))));
    return lines;
}

/* Where the open calls at the end of a trace were made. */
typedef struct {
    GPtrArray *lines; /* "file:line" or NULL, outermost first; NULL: none is known */
    char *at, *fault;
} Calls;

static void calls_clear(Calls *calls)
{
    g_clear_pointer(&calls->lines, g_ptr_array_unref);
    g_free(calls->at);
    g_free(calls->fault);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Calls, calls_clear)

static void find_calls(Calls *calls, const DtRun *run, const DtTrace *trace, const GArray *frames)
{
    g_autoptr(GArray) open = dt_open_calls_at_end(run, trace, NULL);
    g_autoptr(DtSourceLines) source = dt_source_lines_new();
    DtPlace place;
    DtSignalHit hit;
    if (open == NULL || open->len != frames->len)
        return;
    gboolean some = FALSE;
    calls->lines = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < open->len; i++) {
        const DtOpenCall *call = &g_array_index(open, DtOpenCall, i);
        gboolean shown = call->known && dt_run_place_is_own(run, trace->process, &call->place);
        some = some || shown;
        g_ptr_array_add(calls->lines, shown ? dt_source_lines_text(source, run, trace->process, &call->place) : NULL);
    }
    if (!some)
        g_clear_pointer(&calls->lines, g_ptr_array_unref);
    if (dt_open_calls_innermost(run, trace, open, &place))
        calls->at = dt_source_lines_text(source, run, trace->process, &place);
    if (trace->fatal_signal != 0 && dt_run_signal_hit(run, trace, &hit) && hit.is_fault)
        calls->fault = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", hit.fault_address);
}

static void tell(const GPtrArray *warnings)
{
    for (guint i = 0; i < warnings->len; i++)
        dt_cli_warn("%s", (const char *)warnings->pdata[i]);
}

static gboolean show_one(const DtRun *run, const DtFunctions *functions, const Options *options, DtReportFormat format,
                         GError **error)
{
    const DtTrace *trace = dt_cli_find_trace(run, options->trace, error);
    if (trace == NULL)
        return FALSE;
    g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    DtSnapshot snapshot = {
        .at = wanted_event(options), .projection = projection(options), .frames = frames, .warnings = warnings};
    if (!dt_snapshot_read(&snapshot, run, trace, error))
        return FALSE;
    tell(warnings);
    if (options->at != at_the_end && snapshot.at > snapshot.seen) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                     "--at %" G_GUINT64_FORMAT ": trace %s has only %" G_GUINT64_FORMAT " events", snapshot.at,
                     trace->label, snapshot.seen);
        return FALSE;
    }
    if (frames->len == 0)
        dt_cli_note("note: trace %s: no call is open %s", trace->label,
                    options->at == at_the_end ? "at its end" : "there");
    g_autoptr(GPtrArray) lines = options->lines ? find_lines(run, trace, frames) : NULL;
    g_auto(Calls) calls = {0};
    if (options->at == at_the_end)
        find_calls(&calls, run, trace, frames);
    DtStackReport what = {.trace = trace->label,
                          .functions = functions,
                          .frames = (const guint32 *)(void *)frames->data,
                          .depth = frames->len,
                          .never_returned = snapshot.never_returned,
                          .lines = lines != NULL ? (const char *const *)lines->pdata : NULL,
                          .calls = calls.lines != NULL ? (const char *const *)calls.lines->pdata : NULL,
                          .at = calls.at,
                          .signal = options->at == at_the_end ? trace->fatal_signal : 0,
                          .fault = calls.fault};
    g_autofree char *report = dt_report_stack(&what, format, error);
    return report != NULL && dt_cli_write(report, options->report.output, error);
}

static gboolean show_all(const DtRun *run, const Options *options, DtReportFormat format, GError **error)
{
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(DtProgress) progress = dt_progress_new("reading stacks");
    g_autoptr(DtStackTree) tree =
        dt_stacks_at(run, wanted_event(options), projection(options), options->lines, warnings, error);
    g_clear_pointer(&progress, dt_progress_free);
    tell(warnings);
    if (tree == NULL)
        return FALSE;
    g_autofree char *report = dt_report_stack_tree(tree, format, error);
    return report != NULL && dt_cli_write(report, options->report.output, error);
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
    if (options->trace == NULL)
        return TRUE;
    const DtAttachedThread *thread = find_thread(job, options->trace);
    if (thread == NULL)
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "-t %s: there is no such thread; --all shows them",
                     options->trace);
    view->thread = thread != NULL ? thread->trace.label : NULL;
    return thread != NULL;
}

static gboolean show_attached(const Options *options, DtReportFormat format, GError **error)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtAttachedJob) job = dt_cli_look(&options->live, options->depths, functions, error);
    DtAttachedView view;
    if (job == NULL || !find_view(options, job, &view, error))
        return FALSE;
    gboolean is_picture = format == DT_FORMAT_DOT || format == DT_FORMAT_SVG;
    g_autoptr(DtStackTree) tree = options->all || is_picture ? dt_attached_stack_tree(job, &view) : NULL;
    g_autofree char *report =
        tree != NULL ? dt_report_stack_tree(tree, format, error) : dt_report_attached_stacks(job, &view, format, error);
    return report != NULL && dt_cli_write(report, options->report.output, error);
}

static gboolean check(const Options *options, gboolean is_attached, GError **error)
{
    const char *problem = NULL;
    if (options->all && options->trace != NULL)
        problem = "--all: shows all traces; it does not go with -t";
    else if (options->at < 0 && options->at != at_the_end)
        problem = "--at: not the number of an event; 0 or more";
    else if (is_attached && options->at != at_the_end)
        problem = "--at: what runs now has no events";
    else if (!is_attached && options->depths)
        problem = "--internals: a run has no frames of libraries; it goes with --pid and --job";
    if (problem != NULL)
        g_set_error_literal(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, problem);
    return problem == NULL;
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
    if (run == NULL)
        return FALSE;
    if (options->with_arguments)
        dt_cli_warn_of_no_arguments(run, "calls are shown by their names");
    return options->trace == NULL ? show_all(run, options, format, error)
                                  : show_one(run, functions, options, format, error);
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
