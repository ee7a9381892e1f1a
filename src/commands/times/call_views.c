/* Calls that have times, by call and by rank. */
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/runs.h"
#include "commands/times/views.h"

static DtCallTimes *read_calls(const DtTimesAsked *asked, guint columns, GError **error)
{
    const DtCallTimesWants wants = {.run = asked->shown.run,
                                    .traces = asked->traces,
                                    .set = asked->shown.set,
                                    .projection = asked->with_arguments ? DT_NAMES_WITH_ARGUMENTS : DT_NAMES_ALONE,
                                    .jobs = asked->jobs,
                                    .columns = columns,
                                    .until_now = asked->until_now};
    g_autoptr(DtProgress) progress = dt_progress_new("reading times");
    DtCallTimes *times = dt_call_times_new(&wants, error);
    g_clear_pointer(&progress, dt_progress_free);
    if (times)
        dt_times_warn(asked, times->problems);
    return times;
}

char *dt_times_by_call(const DtTimesAsked *asked, GError **error)
{
    g_autoptr(DtCallTimes) times = read_calls(asked, 0, error);
    if (!times)
        return NULL;
    if (times->calls->len == 0 && !asked->filter)
        dt_cli_note("note: %s: no call of MPI, OpenMP or pthreads in these traces", dt_run_path(asked->shown.run));
    else if (times->calls->len == 0)
        dt_cli_note_nothing_kept(asked->shown.run, asked->filter);
    return dt_report_call_times(&asked->shown, times, asked->format, error);
}

char *dt_times_by_rank(const DtTimesAsked *asked, GError **error)
{
    g_autoptr(DtCallTimes) times = read_calls(asked, 0, error);
    return times ? dt_report_trace_times(&asked->shown, times, asked->format, error) : NULL;
}

guint dt_times_columns(const DtTimesAsked *asked)
{
    enum { COLUMNS = 480, OF_A_PAGE = 100, FEWEST = 20, OF_LABELS = 12 };
    const guint width = asked->shown.width;
    const gboolean text = asked->format == DT_FORMAT_TEXT || asked->format == DT_FORMAT_TERMINAL;
    const guint of_text = width > 0 ? MIN(MAX(width, FEWEST + OF_LABELS) - OF_LABELS, COLUMNS) : OF_A_PAGE;
    return text ? of_text : COLUMNS;
}

char *dt_times_over_time(const DtTimesAsked *asked, GError **error)
{
    g_autoptr(DtCallTimes) times = read_calls(asked, dt_times_columns(asked), error);
    return times ? dt_report_over_time(&asked->shown, times, asked->format, error) : NULL;
}

void dt_times_warn(const DtTimesAsked *asked, const GPtrArray *problems)
{
    for (guint i = 0; i < problems->len; i++)
        dt_cli_warn("warning: %s: %s", dt_run_path(asked->shown.run), (const char *)problems->pdata[i]);
}
