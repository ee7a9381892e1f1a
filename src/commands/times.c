/* difftrace times: where the time of a run went. */
#include "cli/cli.h"
#include "commands/commands.h"
#include "commands/report_options.h"
#include "commands/runs.h"
#include "commands/times/views.h"
#include "text/text.h"

#include <omp.h>
#include <string.h>

typedef struct {
    char **traces;
    char *by, *filter, *matrix;
    gboolean with_arguments, over_time, timeline, waits, critical_path, once;
    gint top, jobs;
    DtReportOptions report;
} Options;

static void clear_options(Options *options)
{
    g_strfreev(options->traces);
    g_free(options->by);
    g_free(options->filter);
    g_free(options->matrix);
    dt_report_options_clear(&options->report);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

/* ---- the command ----------------------------------------------------------------------- */

typedef struct {
    const char *by;
    DtTimesView view;
} View;

static const View views[] = {
    {"call", dt_times_by_call},       {"function", dt_times_by_function},   {"rank", dt_times_by_rank},
    {"balance", dt_times_by_balance}, {"iteration", dt_times_by_iteration}, {"link", dt_times_by_link},
    {"site", dt_times_by_site},
};
static const View matrices[] = {
    {"bytes", dt_times_matrix_bytes},
    {"messages", dt_times_matrix_messages},
    {"wait", dt_times_matrix_wait},
};

static DtTimesView find_named(const char *option, const char *name, const View *named, gsize count, GError **error)
{
    g_autoptr(GString) names = g_string_new(NULL);
    for (gsize i = 0; i < count; i++) {
        if (strcmp(name, named[i].by) == 0)
            return named[i].view;
        g_string_append_printf(names, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", named[i].by);
    }
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "%s '%s': unknown; %s", option, name, names->str);
    return NULL;
}

static DtTimesView find_view(const Options *options, GError **error)
{
    gint asked = (options->by != NULL) + (options->matrix != NULL) + options->over_time + options->timeline +
                 options->waits + options->critical_path;
    if (asked > 1) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                     "--by, --over-time, --timeline, --waits, --matrix and --critical-path are views of their own: one "
                     "at a time");
        return NULL;
    }
    if (options->matrix)
        return find_named("--matrix", options->matrix, matrices, G_N_ELEMENTS(matrices), error);
    return options->over_time  ? dt_times_over_time
           : options->timeline ? dt_times_timeline
           : options->waits    ? dt_times_waits
           : options->critical_path
               ? dt_times_critical_path
               : find_named("--by", options->by ? options->by : "call", views, G_N_ELEMENTS(views), error);
}

/* Messages are matched in the whole run. */
static gboolean is_of_all(DtTimesView view)
{
    return view == dt_times_waits || view == dt_times_timeline || view == dt_times_critical_path ||
           view == dt_times_by_link || view == dt_times_by_site || view == dt_times_matrix_bytes ||
           view == dt_times_matrix_messages || view == dt_times_matrix_wait;
}

static gboolean check_whole(DtTimesView view, const Options *options, GError **error)
{
    if (!is_of_all(view) || (!options->traces && !options->filter && !options->with_arguments))
        return TRUE;
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                 "--trace, --filter and --args are not of this view: messages are matched in the whole run");
    return FALSE;
}

/* Whether there is anything to show; else why not, and what to do. */
static gboolean check_times(const DtRun *run, const GPtrArray *traces, GError **error)
{
    for (guint i = 0; i < traces->len; i++)
        if (dt_trace_has_times(traces->pdata[i]))
            return TRUE;
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                 "%s: recorded without times; 'difftrace collect --times=api' records them", dt_run_path(run));
    return FALSE;
}

static gint by_index(gconstpointer a, gconstpointer b)
{
    guint first = (*(DtTrace *const *)a)->index, second = (*(DtTrace *const *)b)->index;
    return (first > second) - (first < second);
}

/* Threads that libraries made for themselves are shown when they are asked for. */
GPtrArray *dt_times_traces(const DtRun *run, char **labels, GError **error)
{
    g_autoptr(GPtrArray) traces = dt_cli_find_traces(run, (const char *const *)labels, error);
    if (!traces)
        return NULL;
    for (guint i = traces->len; !labels && i > 0; i--)
        if (((const DtTrace *)traces->pdata[i - 1])->library)
            g_ptr_array_remove_index(traces, i - 1);
    g_ptr_array_sort(traces, by_index);
    return check_times(run, traces, error) ? g_steal_pointer(&traces) : NULL;
}

static gboolean show(const DtTimesAsked *asked, DtTimesView view, const Options *options, GError **error)
{
    if (asked->with_arguments)
        dt_cli_warn_of_no_arguments(asked->shown.run, "calls are shown by their names");
    g_autofree char *report = view(asked, error);
    return report && dt_cli_write(report, options->report.output, error);
}

static gboolean open_and_show(const char *path, const Options *options, DtFilter *filter, DtTimesAsked *asked,
                              GError **error)
{
    DtTimesView view = find_view(options, error);
    if (!view || !check_whole(view, options, error))
        return FALSE;
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_cli_open_run(path, functions, error);
    if (!run)
        return FALSE;
    g_autoptr(GPtrArray) traces = dt_times_traces(run, options->traces, error);
    if (!traces)
        return FALSE;
    g_autoptr(DtFilterSet) set = filter ? dt_filter_compile(filter, functions, error) : NULL;
    if (filter && !set)
        return FALSE;
    asked->shown.run = run;
    asked->traces = traces;
    asked->shown.set = set;
    return show(asked, view, options, error);
}

static gboolean show_times(char **arguments, gpointer data, GError **error)
{
    const Options *options = data;
    DtTimesAsked asked = {
        .filter = options->filter, .with_arguments = options->with_arguments, .until_now = options->once};
    if (options->top < 0) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--top: not a number of rows; 0 (all) or more");
        return FALSE;
    }
    if (!dt_cli_format(&options->report, &asked.format, error) || !dt_cli_jobs(options->jobs, &asked.jobs, error))
        return FALSE;
    if (asked.jobs == 0)
        asked.jobs = (guint)omp_get_max_threads();
    g_autoptr(DtFilter) filter = options->filter ? dt_filter_parse(options->filter, error) : NULL;
    if (!filter && options->filter)
        return FALSE;
    asked.shown = (DtTimesShown){.width = dt_cli_width(), .top = (guint)options->top};
    return open_and_show(arguments[0], options, filter, &asked, error);
}

int dt_cmd_times(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const DtOption entries[] = {DT_OPTION("trace", STRING_ARRAY, &options.traces),
                                DT_OPTION("filter", STRING, &options.filter),
                                DT_OPTION("by", STRING, &options.by),
                                DT_OPTION("over-time", NONE, &options.over_time),
                                DT_OPTION("timeline", NONE, &options.timeline),
                                DT_OPTION("args", NONE, &options.with_arguments),
                                DT_OPTION("waits", NONE, &options.waits),
                                DT_OPTION("matrix", STRING, &options.matrix),
                                DT_OPTION("critical-path", NONE, &options.critical_path),
                                DT_OPTION("once", NONE, &options.once),
                                DT_OPTION("top", INT, &options.top),
                                DT_OPTION("jobs", INT, &options.jobs),
                                DT_REPORT_OPTIONS(options.report),
                                DT_OPTIONS_END};
    return dt_cli_run("times", entries, NULL, argc, argv, show_times, &options);
}
