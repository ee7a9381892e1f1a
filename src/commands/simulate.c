/* difftrace simulate: whether the ranks of a skeleton come to their ends, without MPI and without time. */
#include "simulate/simulate.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/commands.h"
#include "commands/skeletons.h"
#include "text/text.h"

enum { STANDS_STILL = 3 };

typedef struct {
    char *sends, *output;
} Options;

static void clear_options(Options *options)
{
    g_free(options->sends);
    g_free(options->output);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

static char *ranks_text(const GArray *ranks)
{
    enum { MOST = 8 };
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < ranks->len && i < MOST; i++)
        g_string_append_printf(text, "%s%u", i > 0 ? "," : "", g_array_index(ranks, guint, i));
    if (ranks->len > MOST)
        g_string_append_printf(text, ",... (%u)", ranks->len);
    return g_string_free(text, FALSE);
}

static void append_standing(GString *text, const DtStandingRank *standing)
{
    g_autofree char *awaited = ranks_text(standing->waits_for);
    g_string_append_printf(text, "  %u\t%s\t%s%s\n", standing->rank, standing->call,
                           standing->waits_for->len == 0 ? "nobody that is known"
                           : standing->for_any           ? "any of "
                                                         : "",
                           awaited);
}

static void append_simulation(GString *text, const DtSkeleton *skeleton, const DtSimulation *simulation,
                              const char *sends)
{
    if (simulation->ends)
        g_string_append_printf(text, "sends %s: all %u ranks come to their ends, %" G_GUINT64_FORMAT " calls\n", sends,
                               skeleton->ranks, simulation->calls);
    else
        g_string_append_printf(
            text, "sends %s: %u of %u ranks stand still, after %" G_GUINT64_FORMAT " calls\n  rank\tin\twaits for\n",
            sends, simulation->standing->len, skeleton->ranks, simulation->calls);
    if (simulation->went_on > 0)
        g_string_append_printf(text,
                               "  %u ranks return here from a call that did not return when it was recorded: the "
                               "cause may be outside of MPI\n",
                               simulation->went_on);
    for (guint i = 0; i < simulation->standing->len; i++)
        append_standing(text, simulation->standing->pdata[i]);
}

static gboolean read_sends(const char *given, gboolean wanted[2], GError **error)
{
    gboolean both = given == NULL || g_str_equal(given, "both");
    wanted[DT_SENDS_BUFFERED] = both || g_str_equal(given, "buffered");
    wanted[DT_SENDS_UNBUFFERED] = both || g_str_equal(given, "unbuffered");
    if (wanted[0] || wanted[1])
        return TRUE;
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--sends %s: not one of buffered, unbuffered, both", given);
    return FALSE;
}

static gboolean run_simulate(const char *path, const Options *options, gboolean *stands_still, GError **error)
{
    static const char *const names[] = {[DT_SENDS_BUFFERED] = "buffered", [DT_SENDS_UNBUFFERED] = "unbuffered"};
    const DtSkeletonOptions how = {.communication_only = TRUE};
    gboolean wanted[2];
    if (!read_sends(options->sends, wanted, error))
        return FALSE;
    g_autoptr(DtSkeleton) skeleton = dt_cli_skeleton(path, &how, error);
    if (skeleton == NULL)
        return FALSE;
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint sends = 0; sends < G_N_ELEMENTS(names); sends++) {
        if (!wanted[sends])
            continue;
        g_autoptr(DtProgress) progress = dt_progress_new("simulating");
        g_autoptr(DtSimulation) simulation = dt_simulate(skeleton, (DtSends)sends);
        g_clear_pointer(&progress, dt_progress_free);
        if (simulation->cut_short) {
            dt_set_error(error, DT_SKELETON_ERROR, DT_SKELETON_ERROR_LARGE,
                         "%s: a rank has more than %u calls: too many to be simulated", path, DT_SKELETON_MOST_CALLS);
            return FALSE;
        }
        append_simulation(text, skeleton, simulation, names[sends]);
        *stands_still = *stands_still || !simulation->ends;
    }
    return dt_cli_write(text->str, options->output, error);
}

int dt_cmd_simulate(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const DtOption entries[] = {DT_OPTION("sends", STRING, &options.sends),
                                DT_OPTION("output", FILENAME, &options.output), DT_OPTIONS_END};
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
