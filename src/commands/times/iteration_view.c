/* Passes of the outermost loop. */
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/runs.h"
#include "commands/times/views.h"

static void free_set(gpointer set)
{
    dt_filter_set_free(set);
}

/* Calls of MPI are there on all ranks; all calls show where in the loop's body a pass begins. */
static DtLoopPasses *find_passes(const DtTimesAsked *asked, GError **error)
{
    enum { DEFAULTS = 2 };
    const char *const notations[DEFAULTS] = {asked->filter ? asked->filter : "mpi", "all"};
    const guint count = asked->filter ? 1 : DEFAULTS;
    g_autoptr(GPtrArray) sets = g_ptr_array_new_with_free_func(free_set);
    DtLoopFilter filters[DEFAULTS];
    for (guint i = 0; i < count; i++) {
        g_autoptr(DtFilter) filter = dt_filter_parse(notations[i], error);
        DtFilterSet *set = filter ? dt_filter_compile(filter, dt_run_functions(asked->shown.run), error) : NULL;
        if (!set)
            return NULL;
        g_ptr_array_add(sets, set);
        filters[i] = (DtLoopFilter){set, !dt_filter_drops_returns(filter)};
    }
    g_autoptr(DtProgress) progress = dt_progress_new("looking for loops");
    DtLoopPasses *passes = dt_loop_passes_new(asked->shown.run, asked->traces, filters, count, asked->jobs, error);
    g_clear_pointer(&progress, dt_progress_free);
    return passes;
}

char *dt_times_by_iteration(const DtTimesAsked *asked, GError **error)
{
    g_autoptr(DtLoopPasses) passes = find_passes(asked, error);
    if (!passes)
        return NULL;
    dt_times_warn(asked, passes->problems);
    if (passes->count == 0)
        dt_cli_note("note: %s: no trace has a loop; another --filter may show one", dt_run_path(asked->shown.run));
    return dt_report_loop_passes(&asked->shown, passes, asked->format, error);
}
