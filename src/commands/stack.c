/* difftrace stack: the call stack of a trace, or of all traces, at an event or at the end. */
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/commands.h"
#include "commands/report_options.h"
#include "commands/runs.h"
#include "decoder/open_calls.h"
#include "report/stacks.h"
#include "store/symbols/source_lines.h"
#include "text/text.h"

typedef struct {
    char *trace;
    gint64 at;
    gboolean all, lines;
    DtReportOptions report;
} Options;

static void clear_options(Options *options)
{
    g_free(options->trace);
    dt_report_options_clear(&options->report);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

static guint64 wanted_event(const Options *options)
{
    return options->at < 0 ? G_MAXUINT64 : (guint64)options->at;
}

/* One for each frame; NULL where nothing is known. */
static GPtrArray *find_lines(const DtRun *run, const DtTrace *trace, const GArray *frames)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(DtSourceLines) source = dt_source_lines_new();
    for (guint i = 0; i < frames->len; i++)
        g_ptr_array_add(lines, dt_source_lines_find(source, run, trace->process, g_array_index(frames, guint32, i)));
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
    DtSnapshot snapshot = {.at = wanted_event(options), .frames = frames, .warnings = warnings};
    if (!dt_snapshot_read(&snapshot, run, trace, error))
        return FALSE;
    tell(warnings);
    if (options->at >= 0 && snapshot.at > snapshot.seen) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                     "--at %" G_GUINT64_FORMAT ": trace %s has only %" G_GUINT64_FORMAT " events", snapshot.at,
                     trace->label, snapshot.seen);
        return FALSE;
    }
    if (frames->len == 0)
        dt_cli_note("note: trace %s: no call is open %s", trace->label, options->at < 0 ? "at its end" : "there");
    g_autoptr(GPtrArray) lines = options->lines ? find_lines(run, trace, frames) : NULL;
    g_auto(Calls) calls = {0};
    if (options->at < 0)
        find_calls(&calls, run, trace, frames);
    DtStackReport what = {.trace = trace->label,
                          .functions = functions,
                          .frames = (const guint32 *)(void *)frames->data,
                          .depth = frames->len,
                          .never_returned = snapshot.never_returned,
                          .lines = lines != NULL ? (const char *const *)lines->pdata : NULL,
                          .calls = calls.lines != NULL ? (const char *const *)calls.lines->pdata : NULL,
                          .at = calls.at,
                          .signal = options->at < 0 ? trace->fatal_signal : 0,
                          .fault = calls.fault};
    g_autofree char *report = dt_report_stack(&what, format, error);
    return report != NULL && dt_cli_write(report, options->report.output, error);
}

static gboolean show_all(const DtRun *run, const Options *options, DtReportFormat format, GError **error)
{
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(DtProgress) progress = dt_progress_new("reading stacks");
    g_autoptr(DtStackTree) tree = dt_stacks_at(run, wanted_event(options), warnings, error);
    g_clear_pointer(&progress, dt_progress_free);
    tell(warnings);
    if (tree == NULL)
        return FALSE;
    g_autofree char *report = dt_report_stack_tree(tree, format, error);
    return report != NULL && dt_cli_write(report, options->report.output, error);
}

static gboolean check(const Options *options, GError **error)
{
    const char *problem = NULL;
    if (options->all && options->trace != NULL)
        problem = "--all: shows all traces; it does not go with -t";
    else if (!options->all && options->trace == NULL)
        problem = "-t: missing; say which trace, e.g. -t 5.0, or --all";
    else if (options->lines && options->all)
        problem = "--lines: goes with -t, not with --all";
    else if (options->at < -1)
        problem = "--at: not the number of an event; 0 or more";
    if (problem != NULL)
        g_set_error_literal(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, problem);
    return problem == NULL;
}

static gboolean show_stack(const char *path, const Options *options, GError **error)
{
    DtReportFormat format;
    if (!check(options, error) || !dt_cli_format(&options->report, &format, error))
        return FALSE;
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_cli_open_run(path, functions, error);
    if (run == NULL)
        return FALSE;
    return options->all ? show_all(run, options, format, error) : show_one(run, functions, options, format, error);
}

int dt_cmd_stack(int argc, char **argv)
{
    g_auto(Options) options = {.at = -1};
    const DtOption entries[] = {DT_OPTION("trace", STRING, &options.trace), DT_OPTION("at", INT64, &options.at),
                                DT_OPTION("lines", NONE, &options.lines),   DT_OPTION("all", NONE, &options.all),
                                DT_REPORT_OPTIONS(options.report),          DT_OPTIONS_END};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse("stack", entries, NULL, argc, argv, &status);
    if (arguments == NULL)
        return status;
    g_autoptr(GError) error = NULL;
    show_stack(arguments[0], &options, &error);
    return dt_cli_status(error);
}
