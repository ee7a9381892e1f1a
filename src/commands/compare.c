/* difftrace compare: what a faulty run does differently, and which trace is to blame. */
#include "cli/cli.h"
#include "commands/commands.h"
#include "commands/report_options.h"
#include "commands/runs.h"
#include "commands/selection_options.h"
#include "commands/skeletons/law_comparison.h"
#include "commands/skeletons/predicted_run.h"
#include "compare/sweep.h"
#include "parallel/mpi_job.h"
#include "result/result_directory.h"
#include "result/result_writer.h"
#include "text/text.h"

enum { TEXT_ROWS = 10 };

typedef struct {
    char **baselines;
    DtReportOptions report; /* its output is that of all files */
    gboolean exit_code, no_arguments, no_times;
    char *predict; /* runs, separated by commas; NULL: the normal run is given */
    char *task;    /* the command line, which all ranks must have in common */
} Options;

static void clear_options(Options *options)
{
    g_strfreev(options->baselines);
    dt_report_options_clear(&options->report);
    g_free(options->predict);
    g_free(options->task);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

static const char *output_of(const Options *options)
{
    return options->report.output ? options->report.output : DT_RESULT_DIRECTORY;
}

static gboolean print_result(const DtComparison *comparison, const char *directory, char **files, DtReportFormat format,
                             GError **error)
{
    guint rows = format == DT_FORMAT_TEXT ? TEXT_ROWS : 0;
    g_autofree char *report = dt_report_comparison(comparison, rows, dt_cli_width(), format, error);
    if (!report || !dt_cli_write(report, NULL, error))
        return FALSE;
    if (format != DT_FORMAT_TEXT || !files)
        return TRUE;
    g_autoptr(GString) written = g_string_new("\nWritten:\n");
    for (guint i = 0; files[i]; i++) {
        g_autofree char *file = g_build_filename(directory, files[i], NULL);
        dt_text_append(written, "  %s\n", file);
    }
    return dt_cli_write(written->str, NULL, error);
}

/* What is compared. */
typedef struct {
    DtCliListener listener;
    DtRuns *runs;
    DtCliPredicted predicted; /* its paths NULL: they were not */
    gboolean root;            /* we are the one of the ranks that has the cache and goes on */
} Compared;

static void clear_compared(Compared *compared)
{
    g_clear_pointer(&compared->runs, dt_runs_free);
    dt_cli_listener_clear(&compared->listener);
    dt_cli_predicted_clear(&compared->predicted);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Compared, clear_compared)

static DtRuns *open_runs(char **paths, const Options *options, DtCliListener *listener, GError **error)
{
    const char *normal = paths[1] ? paths[0] : NULL;
    if (!normal && options->baselines) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--baseline: needs a normal run: compare NORMAL FAULTY");
        return NULL;
    }
    g_autoptr(DtRuns) runs = dt_cli_open_runs(normal, (const char *const *)options->baselines,
                                              normal ? paths[1] : paths[0], listener, error);
    if (!runs || !dt_runs_check_output(runs, output_of(options), error))
        return NULL;
    return g_steal_pointer(&runs);
}

/* The normal run of the faulty one's size, and what of the faulty one can be compared with it. */
static DtRuns *predict_runs(char **paths, const Options *options, const DtParallel *members, Compared *compared,
                            GError **error)
{
    const char *problem = paths[1]             ? "the normal run is predicted: give the faulty one alone"
                          : options->baselines ? "the normal run is predicted: leave out --baseline"
                          : members            ? "cannot be done by several processes: write the normal run with "
                                                 "'difftrace extrapolate --run'"
                                               : NULL;
    if (problem) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--predict: %s", problem);
        return NULL;
    }
    g_auto(GStrv) from = g_strsplit(options->predict, ",", -1);
    DtCliPredicted *predicted = &compared->predicted;
    if (!dt_cli_predict(from, paths[0], output_of(options), predicted, error))
        return NULL;
    char *both[] = {predicted->normal, predicted->faulty, NULL};
    return open_runs(both, options, &compared->listener, error);
}

/* The runs read and folded, by all ranks if there are several. */
static DtFoldingCache *open_and_read(char **paths, const Options *options, DtSelection *selection, Compared *compared,
                                     GError **error)
{
    g_autoptr(DtMpiJob) job = NULL;
    if (!dt_mpi_job_join(&job, error))
        return NULL;
    const DtParallel *members = dt_mpi_job_members(job);
    g_autoptr(GError) problem = NULL;
    compared->runs = options->predict ? predict_runs(paths, options, members, compared, &problem)
                                      : open_runs(paths, options, &compared->listener, &problem);
    compared->root = dt_parallel_is_root(members);
    if (members && !dt_parallel_agree(members, options->task, problem, error))
        return NULL;
    if (!compared->runs) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return NULL;
    }
    const DtReadingWants wants = {
        .verdict = TRUE, .argument_diffs = TRUE, .names_alone = options->no_arguments, .no_times = options->no_times};
    return dt_compare_read(compared->runs, selection, members, &wants, error);
}

/* The verdict says so. */
static void tell_prediction(DtComparison *comparison, DtCliPredicted *predicted)
{
    if (!predicted->told)
        return;
    char *verdict = comparison->verdict;
    comparison->prediction = g_steal_pointer(&predicted->details);
    comparison->verdict = g_strdup_printf("%s%s%s", verdict ? verdict : "", verdict ? ". " : "", predicted->told);
    g_free(verdict);
}

/* The names of the files; NULL: nothing was written, or nothing is left of it. */
static GStrv write_result(const DtComparison *comparison, const DtRuns *runs, DtSelection *selection,
                          DtFoldingCache *cache, const char *directory, GError **error)
{
    g_autofree char *partial = dt_result_begin(directory, error);
    if (!partial)
        return NULL;
    g_auto(GStrv) files = dt_write_result(comparison, runs, selection, cache, partial, error);
    if (files && dt_result_commit(partial, directory, error))
        return g_steal_pointer(&files);
    dt_result_discard(partial);
    return NULL;
}

/* Where the normal run has no formula: nothing is written, as there is no run to show beside the faulty one. */
static gboolean compare_with_laws(const char *faulty, const Options *options, const GError *reason,
                                  DtReportFormat format, gboolean *suspect, GError **error)
{
    g_auto(GStrv) from = g_strsplit(options->predict, ",", -1);
    g_autoptr(DtComparison) comparison = dt_cli_compare_with_laws(from, faulty, reason->message, suspect, error);
    return comparison && print_result(comparison, NULL, NULL, format, error);
}

static gboolean compare(char **paths, const Options *options, DtSelection *selection, gboolean *suspect, GError **error)
{
    const char *directory = output_of(options);
    DtReportFormat format;
    if (!dt_cli_format(&options->report, &format, error))
        return FALSE;
    g_auto(Compared) compared = {0};
    g_autoptr(GError) problem = NULL;
    g_autoptr(DtFoldingCache) cache = open_and_read(paths, options, selection, &compared, &problem);
    if (dt_cli_is_unpredicted(problem))
        return compare_with_laws(paths[0], options, problem, format, suspect, error);
    if (problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    if (!cache || !compared.root)
        return cache != NULL;
    g_autoptr(DtComparison) comparison = dt_compare(compared.runs, selection, cache, suspect, error);
    if (!comparison)
        return FALSE;
    tell_prediction(comparison, &compared.predicted);
    g_auto(GStrv) files = write_result(comparison, compared.runs, selection, cache, directory, error);
    if (!files && g_error_matches(*error, DT_STORE_ERROR, DT_STORE_ERROR_EXISTS))
        return FALSE;
    /* What took so long to find out is told even if it cannot be kept. */
    return print_result(comparison, directory, files, format, files ? error : NULL) && files;
}

static int run_compare(char **paths, const Options *options, const DtSelectionOptions *selection_options)
{
    g_autoptr(GError) error = NULL;
    gboolean suspect = FALSE;
    g_autoptr(DtSelection) selection = dt_selection_new(selection_options, &error);
    if (selection)
        compare(paths, options, selection, &suspect, &error);
    int status = dt_cli_status(error);
    return status == 0 && options->exit_code && suspect ? DT_EXIT_FOUND : status;
}

int dt_cmd_compare(int argc, char **argv)
{
    g_auto(DtSelectionOptions) selection_options = DT_SELECTION_OPTIONS_INIT;
    g_autofree DtOption *selection_entries = dt_selection_entries(&selection_options);
    g_auto(Options) options = {.task = g_strjoinv(" ", argv)};
    const DtOption entries[] = {DT_REPORT_OPTIONS(options.report),
                                DT_OPTION("baseline", FILENAME_ARRAY, &options.baselines),
                                DT_OPTION("predict", STRING, &options.predict),
                                DT_OPTION("no-args", NONE, &options.no_arguments),
                                DT_OPTION("no-times", NONE, &options.no_times),
                                DT_OPTION("exit-code", NONE, &options.exit_code),
                                DT_OPTIONS_END};
    int status = 0;
    dt_mpi_only_root_prints();
    g_auto(GStrv) arguments = dt_cli_parse("compare", entries, selection_entries, argc, argv, &status);
    if (!arguments)
        return dt_mpi_status(status);
    return dt_mpi_status(run_compare(arguments, &options, &selection_options));
}
