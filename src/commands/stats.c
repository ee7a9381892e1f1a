/* difftrace stats: how often functions call each other. */
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/commands.h"
#include "commands/report_options.h"
#include "commands/runs.h"
#include "text/text.h"

#include <string.h>

typedef struct {
    char **traces;
    char *by;
    DtReportOptions report;
    gint jobs;
} Options;

static void clear_options(Options *options)
{
    g_strfreev(options->traces);
    g_free(options->by);
    dt_report_options_clear(&options->report);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

static gboolean parse_by(const Options *options, DtReportFormat format, DtStatisticsBy *by, GError **error)
{
    static const char *const names[] = {"function", "edge", "process", "thread"};
    if (!options->by) {
        gboolean graph = format == DT_FORMAT_DOT || format == DT_FORMAT_SVG;
        *by = graph ? DT_STATISTICS_EDGE : DT_STATISTICS_FUNCTION;
        return TRUE;
    }
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        if (strcmp(options->by, names[i]) == 0) {
            *by = (DtStatisticsBy)i;
            return TRUE;
        }
    }
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--by '%s': unknown; function, edge, process or thread",
                 options->by);
    return FALSE;
}

static DtStatistics *statistics_over(const DtRun *run, const GPtrArray *traces, guint jobs, GError **error)
{
    g_autoptr(DtStatistics) statistics = dt_statistics_new();
    g_autoptr(DtProgress) progress = dt_progress_new("counting");
    for (guint i = 0; i < traces->len; i++) {
        guint64 events = 0;
        dt_progress_set(progress, i, traces->len);
        if (!dt_statistics_add(statistics, run, traces->pdata[i], jobs, &events, error))
            return NULL;
    }
    return g_steal_pointer(&statistics);
}

static void add_totals(DtCallCounts *counts, const DtStatistics *statistics, const DtFunctions *functions)
{
    for (guint32 id = 1; id <= dt_functions_count(functions); id++) {
        guint64 calls = dt_statistics_calls(statistics, id);
        counts->calls += calls;
        counts->functions += calls > 0;
    }
}

/* Traces of a process follow each other; one group each, or one a trace. */
static GArray *count_groups(const DtRun *run, const DtFunctions *functions, const GPtrArray *traces, gboolean processes,
                            guint jobs, GError **error)
{
    g_autoptr(GArray) groups = g_array_new(FALSE, FALSE, sizeof(DtCallCounts));
    g_autoptr(DtProgress) progress = dt_progress_new("counting");
    for (guint i = 0; i < traces->len;) {
        dt_progress_set(progress, i, traces->len);
        const DtTrace *first = traces->pdata[i];
        DtCallCounts counts = {processes ? first->process->label : first->label, 0, 0, 0};
        g_autoptr(DtStatistics) statistics = dt_statistics_new();
        for (gboolean same = TRUE; same;
             same = processes && i < traces->len && ((const DtTrace *)traces->pdata[i])->process == first->process) {
            guint64 events = 0;
            if (!dt_statistics_add(statistics, run, traces->pdata[i++], jobs, &events, error))
                return NULL;
            counts.events += events;
        }
        add_totals(&counts, statistics, functions);
        g_array_append_val(groups, counts);
    }
    return g_steal_pointer(&groups);
}

static gboolean print_report(const DtStatisticsReport *what, DtReportFormat format, const char *output, GError **error)
{
    g_autofree char *report = dt_report_statistics(what, format, error);
    return report && dt_cli_write(report, output, error);
}

static gint by_index(gconstpointer a, gconstpointer b)
{
    guint first = (*(DtTrace *const *)a)->index, second = (*(DtTrace *const *)b)->index;
    return (first > second) - (first < second);
}

static gboolean show_statistics(char **arguments, gpointer data, GError **error)
{
    const Options *options = data;
    DtStatisticsReport what = {.width = dt_cli_width()};
    DtReportFormat format;
    guint jobs;
    if (!dt_cli_format(&options->report, &format, error) || !parse_by(options, format, &what.by, error) ||
        !dt_cli_jobs(options->jobs, &jobs, error))
        return FALSE;
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_cli_open_run(arguments[0], functions, error);
    if (!run)
        return FALSE;
    g_autoptr(GPtrArray) traces = dt_cli_find_traces(run, (const char *const *)options->traces, error);
    if (!traces)
        return FALSE;
    g_ptr_array_sort(traces, by_index);
    what.functions = functions;
    if (what.by == DT_STATISTICS_FUNCTION || what.by == DT_STATISTICS_EDGE) {
        g_autoptr(DtStatistics) statistics = statistics_over(run, traces, jobs, error);
        what.statistics = statistics;
        return statistics && print_report(&what, format, options->report.output, error);
    }
    g_autoptr(GArray) groups = count_groups(run, functions, traces, what.by == DT_STATISTICS_PROCESS, jobs, error);
    if (!groups)
        return FALSE;
    what.counts = (const DtCallCounts *)(void *)groups->data;
    what.counted = groups->len;
    return print_report(&what, format, options->report.output, error);
}

int dt_cmd_stats(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const DtOption entries[] = {DT_OPTION("trace", STRING_ARRAY, &options.traces),
                                DT_OPTION("jobs", INT, &options.jobs), DT_OPTION("by", STRING, &options.by),
                                DT_REPORT_OPTIONS(options.report), DT_OPTIONS_END};
    return dt_cli_run("stats", entries, NULL, argc, argv, show_statistics, &options);
}
