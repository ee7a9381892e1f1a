/* difftrace minimise: the smallest skeleton that still hangs. */
#include "simulate/minimise.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/commands.h"
#include "commands/skeletons/read_skeletons.h"
#include "text/text.h"

typedef struct {
    char *keep, *sends, *output;
} Options;

static void clear_options(Options *options)
{
    g_free(options->keep);
    g_free(options->sends);
    g_free(options->output);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

/* `other`: tried where it does not hang with `sends`. */
static gboolean read_options(const Options *options, DtSends *sends, DtSends *other, GError **error)
{
    gboolean both = !options->sends || g_str_equal(options->sends, "both");
    *sends = both || !g_str_equal(options->sends, "unbuffered") ? DT_SENDS_BUFFERED : DT_SENDS_UNBUFFERED;
    *other = both ? DT_SENDS_UNBUFFERED : *sends;
    if (options->keep && !g_str_equal(options->keep, "hang")) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--keep %s: not hang, which is all that can be kept",
                     options->keep);
        return FALSE;
    }
    if (both || *sends == DT_SENDS_UNBUFFERED || g_str_equal(options->sends, "buffered"))
        return TRUE;
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--sends %s: not one of buffered, unbuffered, both",
                 options->sends);
    return FALSE;
}

static gboolean run_minimise(const char *path, const Options *options, GError **error)
{
    const DtSkeletonOptions how = {.communication_only = TRUE};
    DtSends sends, other;
    DtMinimiseSize before, after;
    if (!read_options(options, &sends, &other, error))
        return FALSE;
    g_autoptr(DtSkeleton) skeleton = dt_cli_skeleton(path, &how, error);
    if (!skeleton)
        return FALSE;
    g_autoptr(DtProgress) progress = dt_progress_new("leaving out");
    g_autoptr(GError) first = NULL;
    g_autoptr(DtSkeleton) smallest = dt_minimise(skeleton, sends, &before, &after, &first);
    if (!smallest)
        smallest = other != sends && g_error_matches(first, DT_MINIMISE_ERROR, DT_MINIMISE_ERROR_ENDS)
                       ? dt_minimise(skeleton, other, &before, &after, error)
                       : (g_propagate_error(error, g_steal_pointer(&first)), NULL);
    g_clear_pointer(&progress, dt_progress_free);
    if (!smallest) {
        g_prefix_error(error, "%s: ", path);
        return FALSE;
    }
    dt_cli_note(
        "note: %u ranks, %" G_GUINT64_FORMAT " calls, %u lines of them; of these stay %u, %" G_GUINT64_FORMAT ", %u",
        before.ranks, before.calls, dt_skeleton_size(skeleton), after.ranks, after.calls, dt_skeleton_size(smallest));
    g_autofree char *text = dt_skeleton_text(smallest);
    return dt_cli_write(text, options->output, error);
}

int dt_cmd_minimise(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const DtOption entries[] = {DT_OPTION("keep", STRING, &options.keep), DT_OPTION("sends", STRING, &options.sends),
                                DT_OPTION("output", FILENAME, &options.output), DT_OPTIONS_END};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse("minimise", entries, NULL, argc, argv, &status);
    if (!arguments)
        return status;
    g_autoptr(GError) error = NULL;
    run_minimise(arguments[0], &options, &error);
    return dt_cli_status(error);
}
