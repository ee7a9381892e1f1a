/* difftrace dump: the call traces, as they were recorded. */
#include "cli/cli.h"
#include "commands/commands.h"
#include "commands/runs.h"
#include "commands/selection_options.h"
#include "commands/trace_printer.h"

typedef struct {
    char **traces;
    char *filter;
    gboolean flat, with_arguments, lines;
    gboolean clock;
    gint64 first, count;
} Options;

static void clear_options(Options *options)
{
    g_strfreev(options->traces);
    g_free(options->filter);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

static gboolean print_traces(const DtRun *run, const GPtrArray *traces, DtTracePrinter *printer, GError **error)
{
    gboolean go_on = TRUE;
    for (guint i = 0; go_on && i < traces->len; i++) {
        if (!dt_trace_printer_print(printer, run, traces->pdata[i], &go_on, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean check(const Options *options, GError **error)
{
    if (options->first >= 1 && options->count >= -1)
        return TRUE;
    g_set_error_literal(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                        options->first < 1 ? "--first: not the number of an event; 1 or more"
                                           : "--count: not a number of events; 0 or more");
    return FALSE;
}

static void note_no_events(const DtRun *run, const Options *options)
{
    if (options->filter)
        dt_cli_note_nothing_kept(run, options->filter);
    else if (options->first > 1 || options->count >= 0)
        dt_cli_note("note: no trace shown has an event in that range");
}

static gboolean dump(char **arguments, gpointer data, GError **error)
{
    const Options *options = data;
    if (!check(options, error))
        return FALSE;
    g_autoptr(DtFilter) filter = options->filter ? dt_filter_parse(options->filter, error) : NULL;
    if (!filter && options->filter)
        return FALSE;
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_cli_open_run(arguments[0], functions, error);
    if (!run)
        return FALSE;
    g_autoptr(GPtrArray) traces = dt_cli_find_traces(run, (const char *const *)options->traces, error);
    if (!traces)
        return FALSE;
    g_autoptr(DtFilterSet) set = filter ? dt_filter_compile(filter, functions, error) : NULL;
    if (filter && !set)
        return FALSE;
    if (options->with_arguments)
        dt_cli_warn_of_no_arguments(run, "calls are shown by their names");
    gboolean returns = !filter || !dt_filter_drops_returns(filter);
    g_autoptr(DtTracePrinter) printer =
        dt_trace_printer_new(functions, set, returns, options->flat, options->with_arguments);
    if (options->clock)
        dt_trace_printer_with_notes(printer);
    if (options->lines)
        dt_trace_printer_with_lines(printer);
    dt_trace_printer_range(printer, (guint64)options->first,
                           options->count < 0 ? G_MAXUINT64 : (guint64)options->count);
    if (!print_traces(run, traces, printer, error))
        return FALSE;
    if (!dt_trace_printer_has_events(printer))
        note_no_events(run, options);
    return TRUE;
}

int dt_cmd_dump(int argc, char **argv)
{
    g_auto(Options) options = {.first = 1, .count = -1};
    const DtOption entries[] = {DT_OPTION("trace", STRING_ARRAY, &options.traces),
                                DT_OPTION("filter", STRING, &options.filter),
                                DT_OPTION("args", NONE, &options.with_arguments),
                                DT_OPTION("lines", NONE, &options.lines),
                                DT_OPTION("first", INT64, &options.first),
                                DT_OPTION("count", INT64, &options.count),
                                DT_OPTION("flat", NONE, &options.flat),
                                DT_OPTION("clock", NONE, &options.clock),
                                DT_OPTIONS_END};
    return dt_cli_run("dump", entries, NULL, argc, argv, dump, &options);
}
