#include "commands/skeletons/read_skeletons.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/runs.h"
#include "report/skeletons/skeleton_difference_report.h"
#include "skeleton/node_times.h"
#include "store/file.h"
#include "text/text.h"
#include "times/skeleton_times.h"

enum { MOST_BYTES = 1 << 28 };

static DtSkeleton *read_file(const char *path, GError **error)
{
    gsize bytes;
    g_autofree char *text = dt_file_contents(path, MOST_BYTES, &bytes, error);
    if (!text)
        return NULL;
    if (strlen(text) == bytes)
        return dt_skeleton_parse(text, path, error);
    dt_set_error(error, DT_SKELETON_ERROR, DT_SKELETON_ERROR_SYNTAX, "%s: has bytes of 0: this is no text", path);
    return NULL;
}

static gboolean has_times(const DtRun *run)
{
    for (guint t = 0; t < dt_run_trace_count(run); t++)
        if (dt_trace_has_times(dt_run_trace(run, t)))
            return TRUE;
    return FALSE;
}

static DtSkeleton *make(const char *path, const DtSkeletonOptions *options, DtCliTimes times, GError **error)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_cli_open_run(path, functions, error);
    if (!run)
        return NULL;
    if (times == DT_CLI_TIMES_ARE_NEEDED && !has_times(run)) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                     "%s: recorded without times; 'difftrace collect --times=api' records them", path);
        return NULL;
    }
    g_autoptr(DtProgress) progress = dt_progress_new("merging ranks");
    g_autoptr(DtSkeleton) skeleton = dt_skeleton_of_run(run, options, error);
    if (skeleton && times >= DT_CLI_TIMES_IF_THERE && !dt_skeleton_add_times(skeleton, run, options, error))
        g_clear_pointer(&skeleton, dt_skeleton_free);
    g_clear_pointer(&progress, dt_progress_free);
    return g_steal_pointer(&skeleton);
}

/* A packed run is a file, too. */
static gboolean is_skeleton(const char *path)
{
    static const char first[] = "difftrace skeleton";
    char start[sizeof first] = {0};
    FILE *file = fopen(path, "rb");
    if (!file)
        return FALSE;
    gboolean is_one = fread(start, 1, sizeof first - 1, file) > 0 && g_str_has_prefix(start, "difftrace skel");
    fclose(file);
    return is_one;
}

gboolean dt_cli_is_skeleton(const char *path)
{
    gboolean is_file = g_file_test(path, G_FILE_TEST_IS_REGULAR);
    gboolean is_packed = is_file && g_str_has_suffix(path, ".dtz");
    return is_file && (!is_packed || is_skeleton(path));
}

DtSkeleton *dt_cli_skeleton(const char *path, const DtSkeletonOptions *options, GError **error)
{
    return dt_cli_skeleton_timed(path, options, DT_CLI_NO_TIMES, error);
}

DtSkeleton *dt_cli_skeleton_timed(const char *path, const DtSkeletonOptions *options, DtCliTimes times, GError **error)
{
    if (!dt_cli_is_skeleton(path))
        return make(path, options, times, error);
    g_autoptr(DtSkeleton) skeleton = read_file(path, error);
    if (skeleton && times == DT_CLI_NO_TIMES)
        dt_skeleton_drop_times(skeleton);
    if (!skeleton || times < DT_CLI_TIMES_ARE_NEEDED || dt_skeleton_has_times(skeleton))
        return g_steal_pointer(&skeleton);
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                 "%s has no times: 'difftrace skeleton --times RUN' writes them", path);
    return NULL;
}

DtSkeleton *dt_cli_skeleton_with(const char *path, const DtSkeletonOptions *options, DtCliTimes times, GError **error)
{
    const gboolean anew = options->communication_only && dt_cli_is_skeleton(path);
    if (anew && times == DT_CLI_TIMES_ARE_NEEDED) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                     "%s: what passed between calls of a file is not known when some are left out: make it of the run, "
                     "with --communication-only --times",
                     path);
        return NULL;
    }
    g_autoptr(DtSkeleton) skeleton = dt_cli_skeleton_timed(path, options, times, error);
    if (skeleton && anew)
        return dt_skeleton_communicating(skeleton, options, error);
    return g_steal_pointer(&skeleton);
}

gboolean dt_cli_skeleton_difference(const char *first, const char *second, const DtSkeletonOptions *options,
                                    DtReportFormat format, const char *output, gboolean *equal, GError **error)
{
    g_autoptr(DtSkeleton) one = dt_cli_skeleton_with(first, options, DT_CLI_NO_TIMES, error);
    g_autoptr(DtSkeleton) other = one ? dt_cli_skeleton_with(second, options, DT_CLI_NO_TIMES, error) : NULL;
    if (!other)
        return FALSE;
    g_autofree char *text_of_one = dt_skeleton_text_with(one, DT_TEXT_NO_LINES),
                    *text_of_other = dt_skeleton_text_with(other, DT_TEXT_NO_LINES);
    g_autoptr(DtSkeletonDifference) difference = dt_skeleton_difference_new(text_of_one, text_of_other);
    g_autofree char *report = dt_report_skeleton_difference(difference, dt_cli_terminal_format(format, output), error);
    *equal = dt_skeletons_are_equal(difference);
    return report && dt_cli_write(report, output, error);
}
