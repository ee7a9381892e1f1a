/* difftrace report: the page of a comparison, made again. */
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/commands.h"
#include "commands/report_options.h"
#include "commands/runs.h"
#include "compare/difference.h"
#include "result/page_data.h"
#include "text/text.h"

typedef struct {
    char *output;
    gint jobs;
} Options;

static void clear_options(Options *options)
{
    g_free(options->output);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

/* Under all filters of the ranking table, at once. */
static gboolean read_runs(const DtComparison *comparison, DtFoldingCache *cache, GError **error)
{
    static const DtReadingWants wants = {.argument_diffs = TRUE};
    g_autoptr(GPtrArray) notations = dt_filters_by_rank(comparison);
    g_autoptr(GPtrArray) filters = g_ptr_array_new_with_free_func((GDestroyNotify)dt_filter_unref);
    for (guint i = 0; i < notations->len; i++) {
        DtFilter *filter = dt_filter_parse(notations->pdata[i], error);
        if (!filter)
            return FALSE;
        g_ptr_array_add(filters, filter);
    }
    return dt_folding_cache_read(cache, NULL, filters, DT_NLR_DEFAULT_K, &wants, error);
}

static gboolean make_page(char **arguments, gpointer data, GError **error)
{
    const Options *options = data;
    const char *directory = arguments[0] ? arguments[0] : DT_RESULT_DIRECTORY;
    guint jobs;
    g_auto(DtCliListener) listener = {0};
    g_autoptr(DtResult) result =
        dt_cli_jobs(options->jobs, &jobs, error) ? dt_cli_open_result(directory, &listener, error) : NULL;
    if (!result)
        return FALSE;
    if (result->comparison->rows->len == 0) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "%s: its ranking table is empty: compare again",
                     directory);
        return FALSE;
    }
    g_autoptr(DtFoldingCache) cache =
        dt_folding_cache_new(result->runs, dt_recipe_loops(result->comparison->recipe), jobs);
    g_autoptr(DtProgress) progress = dt_progress_new("making the page");
    g_autofree char *page = read_runs(result->comparison, cache, error)
                                ? dt_page_make(result->comparison, result->runs, cache, jobs, error)
                                : NULL;
    g_clear_pointer(&progress, dt_progress_free);
    g_autofree char *file =
        options->output ? g_strdup(options->output) : g_build_filename(directory, DT_RESULT_PAGE, NULL);
    if (!page || !dt_cli_write(page, file, error))
        return FALSE;
    if (options->output)
        return TRUE;
    g_autofree char *line = dt_text_printf("%s\n", file);
    return dt_cli_write(line, NULL, error);
}

int dt_cmd_report(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const DtOption entries[] = {DT_OPTION("output", FILENAME, &options.output), DT_OPTION("jobs", INT, &options.jobs),
                                DT_OPTIONS_END};
    return dt_cli_run("report", entries, NULL, argc, argv, make_page, &options);
}
