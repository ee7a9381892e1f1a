/* Functions, by what they took and by how that is spread. */
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/runs.h"
#include "commands/times/views.h"

static void warn(const DtTimesAsked *asked, const GPtrArray *times)
{
    g_autoptr(GPtrArray) problems = g_ptr_array_new();
    for (guint i = 0; i < times->len; i++) {
        const DtFunctionTimes *trace = times->pdata[i];
        if (trace->problem)
            g_ptr_array_add(problems, trace->problem);
    }
    dt_times_warn(asked, problems);
}

static gboolean any_kept(const DtTimesAsked *asked, const GPtrArray *times)
{
    for (guint i = 0; i < times->len; i++) {
        const GArray *functions = ((const DtFunctionTimes *)times->pdata[i])->functions;
        for (guint each = 0; each < functions->len; each++)
            if (!asked->shown.set ||
                dt_filter_set_keeps(asked->shown.set, g_array_index(functions, DtFunctionTime, each).function))
                return TRUE;
    }
    return FALSE;
}

static char *show_functions(const DtTimesAsked *asked, gboolean balance, GError **error)
{
    g_autoptr(DtProgress) progress = dt_progress_new("reading times");
    g_autoptr(GPtrArray) times = dt_function_times_of_traces(asked->shown.run, asked->traces, asked->jobs, error);
    g_clear_pointer(&progress, dt_progress_free);
    if (!times)
        return NULL;
    warn(asked, times);
    if (!any_kept(asked, times))
        dt_cli_note_nothing_kept(asked->shown.run, asked->filter);
    return dt_report_function_times(&asked->shown, times, balance, asked->format, error);
}

char *dt_times_by_function(const DtTimesAsked *asked, GError **error)
{
    return show_functions(asked, FALSE, error);
}

char *dt_times_by_balance(const DtTimesAsked *asked, GError **error)
{
    return show_functions(asked, TRUE, error);
}
