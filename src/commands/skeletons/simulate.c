/* difftrace simulate: whether the ranks of a skeleton come to their ends, without MPI and without time. */
#include "simulate/simulate.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/commands.h"
#include "commands/report_options.h"
#include "commands/skeletons/read_skeletons.h"
#include "report/skeletons/simulation_report.h"
#include "text/text.h"

enum { STANDS_STILL = 3, ORDERS = 1000 };

typedef struct {
    char *sends, *wildcards;
    gint64 limit;
    DtReportOptions report;
    gboolean wanted[2], any; /* what they say */
} Options;

static void clear_options(Options *options)
{
    g_free(options->sends);
    g_free(options->wildcards);
    dt_report_options_clear(&options->report);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

static gboolean read_sends(Options *options, GError **error)
{
    const char *given = options->sends;
    gboolean both = given == NULL || g_str_equal(given, "both");
    options->wanted[DT_SENDS_BUFFERED] = both || g_str_equal(given, "buffered");
    options->wanted[DT_SENDS_UNBUFFERED] = both || g_str_equal(given, "unbuffered");
    if (options->wanted[0] || options->wanted[1])
        return TRUE;
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--sends %s: not one of buffered, unbuffered, both", given);
    return FALSE;
}

static gboolean read_wildcards(Options *options, GError **error)
{
    const char *given = options->wildcards;
    options->any = given != NULL && g_str_equal(given, "any");
    if (given != NULL && !options->any && !g_str_equal(given, "recorded")) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--wildcards %s: not one of recorded, any", given);
        return FALSE;
    }
    if (options->limit < 0) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--limit %" G_GINT64_FORMAT ": less than 1",
                     options->limit);
        return FALSE;
    }
    return TRUE;
}

static DtSimulation *simulate(const DtSkeleton *skeleton, DtSends sends, const Options *options, const char *path,
                              GError **error)
{
    g_autoptr(DtProgress) progress = dt_progress_new("simulating");
    g_autoptr(DtSimulation) simulation =
        options->any ? dt_simulate_any(skeleton, sends, options->limit > 0 ? (guint64)options->limit : ORDERS)
                     : dt_simulate(skeleton, sends);
    g_clear_pointer(&progress, dt_progress_free);
    if (!simulation->cut_short)
        return g_steal_pointer(&simulation);
    dt_set_error(error, DT_SKELETON_ERROR, DT_SKELETON_ERROR_LARGE,
                 "%s: a rank has more than %u calls: too many to be simulated", path, DT_SKELETON_MOST_CALLS);
    return NULL;
}

static void free_simulation(gpointer simulation)
{
    dt_simulation_free(simulation);
}

static gboolean run_simulate(const char *path, Options *options, gboolean *stands_still, GError **error)
{
    const DtSkeletonOptions how = {.communication_only = TRUE};
    DtReportFormat format;
    if (!read_sends(options, error) || !read_wildcards(options, error) ||
        !dt_cli_format(&options->report, &format, error))
        return FALSE;
    g_autoptr(DtSkeleton) skeleton = dt_cli_skeleton(path, &how, error);
    if (skeleton == NULL)
        return FALSE;
    g_autoptr(GPtrArray) simulations = g_ptr_array_new_with_free_func(free_simulation);
    for (guint sends = 0; sends < G_N_ELEMENTS(options->wanted); sends++) {
        if (!options->wanted[sends])
            continue;
        DtSimulation *simulation = simulate(skeleton, (DtSends)sends, options, path, error);
        if (simulation == NULL)
            return FALSE;
        g_ptr_array_add(simulations, simulation);
        *stands_still = *stands_still || (!simulation->ends && !simulation->undecided);
    }
    g_autofree char *report = dt_report_simulations(simulations, dt_cli_width(), format, error);
    return report != NULL && dt_cli_write(report, options->report.output, error);
}

int dt_cmd_simulate(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const DtOption entries[] = {
        DT_OPTION("sends", STRING, &options.sends), DT_OPTION("wildcards", STRING, &options.wildcards),
        DT_OPTION("limit", INT64, &options.limit), DT_REPORT_OPTIONS(options.report), DT_OPTIONS_END};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse("simulate", entries, NULL, argc, argv, &status);
    if (arguments == NULL)
        return status;
    g_autoptr(GError) error = NULL;
    gboolean stands_still = FALSE;
    run_simulate(arguments[0], &options, &stands_still, &error);
    status = dt_cli_status(error);
    return status == 0 && stands_still ? STANDS_STILL : status;
}
