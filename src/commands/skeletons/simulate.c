/* difftrace simulate: whether the ranks of a skeleton come to their ends, without MPI; on a simulated machine also
 * when. */
#include "simulate/simulate.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/commands.h"
#include "commands/report_options.h"
#include "commands/skeletons/read_skeletons.h"
#include "report/skeletons/simulation_report.h"
#include "simulate/timed.h"
#include "text/text.h"

enum { STANDS_STILL = 3, ORDERS = 1000 };

typedef struct {
    char *sends, *wildcards, *platform, *compute, *size, *collectives;
    gint64 limit;
    DtReportOptions report;
    gboolean wanted[2], any; /* what they say */
    DtTimedOptions timed;
} Options;

static void clear_options(Options *options)
{
    g_free(options->sends);
    g_free(options->wildcards);
    g_free(options->platform);
    g_free(options->compute);
    g_free(options->size);
    g_free(options->collectives);
    dt_report_options_clear(&options->report);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

static gboolean read_sends(Options *options, GError **error)
{
    const char *given = options->sends;
    gboolean both = !given || g_str_equal(given, "both");
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
    options->any = given && g_str_equal(given, "any");
    if (given && !options->any && !g_str_equal(given, "recorded")) {
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

/* Of a number of per cent. */
static gboolean read_percent(const char *option, const char *text, guint least, guint *percent, GError **error)
{
    char *end = NULL;
    const gint64 number = g_ascii_strtoll(text, &end, 10);
    if (end != text && *end == '%')
        end++;
    if (end != text && *end == '\0' && number >= least && number <= 100000) {
        *percent = (guint)number;
        return TRUE;
    }
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "%s %s: give %u%% to 100000%%", option, text, least);
    return FALSE;
}

static gboolean read_collectives(Options *options, GError **error)
{
    g_autofree char *why = NULL;
    if (!options->collectives || dt_collective_choice_parse(options->collectives, &options->timed.collectives, &why))
        return TRUE;
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--collectives %s: %s", options->collectives, why);
    return FALSE;
}

/* What is said of time says nothing without a machine, and choices are not made with one. */
static gboolean read_timed(Options *options, GError **error)
{
    const char *timed = options->compute       ? "--compute"
                        : options->size        ? "--size"
                        : options->collectives ? "--collectives"
                                               : NULL;
    options->timed.compute = options->timed.size = 100;
    if (!options->platform && timed) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "%s is of simulations with times: give --platform, too",
                     timed);
        return FALSE;
    }
    if (options->platform && (options->any || options->limit > 0)) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                     "--wildcards any and --limit are of simulations without times: leave --platform out");
        return FALSE;
    }
    return (!options->compute || read_percent("--compute", options->compute, 0, &options->timed.compute, error)) &&
           (!options->size || read_percent("--size", options->size, 1, &options->timed.size, error)) &&
           read_collectives(options, error);
}

/* Without a word what was recorded is computed, if that is known. */
static DtCliTimes times_of(const Options *options)
{
    if (!options->platform || options->timed.compute == 0)
        return DT_CLI_NO_TIMES;
    return options->compute ? DT_CLI_TIMES_ARE_NEEDED : DT_CLI_TIMES_IF_THERE;
}

static DtSimulation *simulate(const DtSkeleton *skeleton, DtSends sends, const Options *options,
                              DtSimulatedMachine *machine, const char *path, GError **error)
{
    g_autoptr(DtProgress) progress = dt_progress_new("simulating");
    g_autoptr(DtSimulation) simulation =
        machine        ? dt_simulate_timed(skeleton, sends, machine, &options->timed)
        : options->any ? dt_simulate_any(skeleton, sends, options->limit > 0 ? (guint64)options->limit : ORDERS)
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
    if (!read_sends(options, error) || !read_wildcards(options, error) || !read_timed(options, error) ||
        !dt_cli_format(&options->report, &format, error))
        return FALSE;
    g_autoptr(DtSkeleton) skeleton = dt_cli_skeleton_timed(path, &how, times_of(options), error);
    if (!skeleton)
        return FALSE;
    g_autoptr(DtSimulatedMachine) machine =
        options->platform ? dt_simulated_machine_new(options->platform, error) : NULL;
    if (options->platform && !machine)
        return FALSE;
    g_autoptr(GPtrArray) simulations = g_ptr_array_new_with_free_func(free_simulation);
    for (guint sends = 0; sends < G_N_ELEMENTS(options->wanted); sends++) {
        if (!options->wanted[sends])
            continue;
        DtSimulation *simulation = simulate(skeleton, (DtSends)sends, options, machine, path, error);
        if (!simulation)
            return FALSE;
        g_ptr_array_add(simulations, simulation);
        *stands_still = *stands_still || (!simulation->ends && !simulation->undecided);
    }
    g_autofree char *report = dt_report_simulations(simulations, dt_cli_width(), format, error);
    return report && dt_cli_write(report, options->report.output, error);
}

int dt_cmd_simulate(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const DtOption entries[] = {DT_OPTION("sends", STRING, &options.sends),
                                DT_OPTION("wildcards", STRING, &options.wildcards),
                                DT_OPTION("limit", INT64, &options.limit),
                                DT_OPTION("platform", STRING, &options.platform),
                                DT_OPTION("compute", STRING, &options.compute),
                                DT_OPTION("size", STRING, &options.size),
                                DT_OPTION("collectives", STRING, &options.collectives),
                                DT_REPORT_OPTIONS(options.report),
                                DT_OPTIONS_END};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse("simulate", entries, NULL, argc, argv, &status);
    if (!arguments)
        return status;
    g_autoptr(GError) error = NULL;
    gboolean stands_still = FALSE;
    run_simulate(arguments[0], &options, &stands_still, &error);
    status = dt_cli_status(error);
    return status == 0 && stands_still ? STANDS_STILL : status;
}
