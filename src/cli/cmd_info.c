/* difftrace info: what a run holds. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/runs.h"

static guint64 decoded_events(const DtRun *run, const DtTrace *trace, GError **error)
{
    enum { BATCH = 4096 };
    g_autoptr(DtReader) reader = dt_reader_open(run, trace, error);
    if (reader == NULL)
        return 0;
    guint32 events[BATCH];
    guint64 total = 0;
    for (gsize count = BATCH; count > 0; total += count)
        count = dt_reader_next(reader, events, BATCH);
    return total;
}

/* Ids are dense: with one that takes an escape, words are more than events. */
static gboolean has_escapes(const DtRun *run, const DtTrace *trace)
{
    g_autoptr(DtStream) stream = dt_stream_open(run, trace, NULL);
    guint32 count = 0;
    return stream == NULL || (dt_stream_functions(stream, &count) != NULL && count > DT_WORD_LAST_ID + 1);
}

/* Words are events unless a process gave out so many ids that some take three. */
static guint64 *count_events(const DtRun *run)
{
    guint traces = dt_run_trace_count(run);
    guint64 *events = g_new0(guint64, (gsize)traces + 1);
    const DtProcess *known = NULL;
    gboolean escapes = FALSE;
    for (guint i = 0; i < traces; i++) {
        const DtTrace *trace = dt_run_trace(run, i);
        if (trace->process != known)
            escapes = has_escapes(run, trace);
        known = trace->process;
        events[i] = escapes ? decoded_events(run, trace, NULL) : trace->words;
    }
    return events;
}

static gboolean show_info(const char *path, DtReportFormat format, GError **error)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_run_open(path, functions, error);
    if (run == NULL)
        return FALSE;
    g_autofree guint64 *events = count_events(run);
    DtRunReport what = {run, events};
    g_autofree char *report = dt_report_run(&what, format, error);
    return report != NULL && dt_cli_write(report, NULL, error);
}

int dt_cmd_info(int argc, char **argv)
{
    static const DtUsage usage = {
        .name = "info",
        .arguments = "RUN",
        .summary = "Shows what a run holds: its command, processes, threads, events and bytes, which functions were\n"
                   "hooked and which were not and why, how each process ended, and what is damaged.",
        .least = 1,
        .most = 1};
    gboolean json = FALSE;
    const GOptionEntry entries[] = {{"json", 0, 0, G_OPTION_ARG_NONE, &json, "as a JSON document", NULL},
                                    G_OPTION_ENTRY_NULL};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse(&usage, entries, NULL, argc, argv, &status);
    if (arguments == NULL)
        return status;
    g_autoptr(GError) error = NULL;
    show_info(arguments[0], json ? DT_FORMAT_JSON : DT_FORMAT_TEXT, &error);
    return dt_cli_status(error);
}
