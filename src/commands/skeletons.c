#include "commands/skeletons.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/runs.h"
#include "report/skeletons/skeleton_difference_report.h"
#include "store/file.h"
#include "text/text.h"

enum { MOST_BYTES = 1 << 28 };

static DtSkeleton *read_file(const char *path, GError **error)
{
    gsize bytes;
    g_autofree char *text = dt_file_contents(path, MOST_BYTES, &bytes, error);
    if (text == NULL)
        return NULL;
    if (strlen(text) == bytes)
        return dt_skeleton_parse(text, path, error);
    dt_set_error(error, DT_SKELETON_ERROR, DT_SKELETON_ERROR_SYNTAX, "%s: has bytes of 0: this is no text", path);
    return NULL;
}

static DtSkeleton *make(const char *path, const DtSkeletonOptions *options, GError **error)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_cli_open_run(path, functions, error);
    if (run == NULL)
        return NULL;
    g_autoptr(DtProgress) progress = dt_progress_new("merging ranks");
    DtSkeleton *skeleton = dt_skeleton_of_run(run, options, error);
    g_clear_pointer(&progress, dt_progress_free);
    return skeleton;
}

/* A packed run is a file, too. */
static gboolean is_skeleton(const char *path)
{
    static const char first[] = "difftrace skeleton";
    char start[sizeof first] = {0};
    FILE *file = fopen(path, "rb");
    if (file == NULL)
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
    return dt_cli_is_skeleton(path) ? read_file(path, error) : make(path, options, error);
}

gboolean dt_cli_skeleton_difference(const char *first, const char *second, const DtSkeletonOptions *options,
                                    DtReportFormat format, const char *output, gboolean *equal, GError **error)
{
    g_autoptr(DtSkeleton) one = dt_cli_skeleton(first, options, error);
    g_autoptr(DtSkeleton) other = one != NULL ? dt_cli_skeleton(second, options, error) : NULL;
    if (other == NULL)
        return FALSE;
    g_autofree char *text_of_one = dt_skeleton_text_with(one, TRUE),
                    *text_of_other = dt_skeleton_text_with(other, TRUE);
    g_autoptr(DtSkeletonDifference) difference = dt_skeleton_difference_new(text_of_one, text_of_other);
    g_autofree char *report = dt_report_skeleton_difference(difference, dt_cli_terminal_format(format, output), error);
    *equal = dt_skeletons_are_equal(difference);
    return report != NULL && dt_cli_write(report, output, error);
}
