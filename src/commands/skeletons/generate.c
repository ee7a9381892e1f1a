/* difftrace generate: a skeleton as a program in C and MPI. */
#include "generate/generate.h"

#include "cli/cli.h"
#include "commands/commands.h"
#include "commands/skeletons/read_skeletons.h"
#include "skeleton/node_times.h"
#include "skeleton/recorded_calls.h"
#include "text/text.h"

typedef struct {
    char *output, *wildcards;
    gboolean anonymous;
} Options;

static void clear_options(Options *options)
{
    g_free(options->output);
    g_free(options->wildcards);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

/* What the program does not do, though the recorded one did. */
static void tell_left_out(const DtGenerated *generated)
{
    g_autoptr(GString) names = g_string_new(NULL);
    for (guint i = 0; i < generated->left_out->len; i++)
        g_string_append_printf(names, "%s%s", i > 0 ? ", " : "", (const char *)generated->left_out->pdata[i]);
    if (names->len > 0)
        dt_cli_warn("not generated: %s", names->str);
}

static gboolean all_communicate(const DtSkeleton *skeleton)
{
    for (guint i = 0; i < skeleton->functions->len; i++)
        if (!dt_call_communicates(skeleton->functions->pdata[i]))
            return FALSE;
    return TRUE;
}

/* With the times that it has. */
static DtSkeleton *read_skeleton(const char *path, GError **error)
{
    const DtSkeletonOptions how = {.communication_only = TRUE, .processor_times = TRUE};
    if (!dt_cli_is_skeleton(path))
        return dt_cli_skeleton_timed(path, &how, DT_CLI_TIMES_IF_THERE, error);
    g_autoptr(DtSkeleton) skeleton = dt_cli_skeleton_timed(path, &how, DT_CLI_TIMES_OF_FILES, error);
    if (!skeleton || all_communicate(skeleton))
        return g_steal_pointer(&skeleton);
    if (dt_skeleton_has_times(skeleton))
        dt_cli_warn("%s: times of a file are not known when calls are left out: 'difftrace skeleton "
                    "--communication-only --times' writes one that keeps them",
                    path);
    return dt_skeleton_communicating(skeleton, &how, error);
}

static gboolean run_generate(char **arguments, gpointer data, GError **error)
{
    const Options *options = data;
    gboolean any = g_strcmp0(options->wildcards, "any") == 0;
    if (options->wildcards && !any && g_strcmp0(options->wildcards, "recorded") != 0) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--wildcards %s: not one of recorded, any",
                     options->wildcards);
        return FALSE;
    }
    g_autoptr(DtSkeleton) skeleton = read_skeleton(arguments[0], error);
    if (!skeleton)
        return FALSE;
    const DtGenerateOptions wanted = {.anonymous = options->anonymous, .any_source = any};
    g_autofree char *name = g_path_get_basename(arguments[0]);
    g_autoptr(DtGenerated) generated = dt_generate(skeleton, name, &wanted, error);
    if (!generated || !dt_cli_write(generated->text, options->output, error))
        return FALSE;
    tell_left_out(generated);
    return TRUE;
}

int dt_cmd_generate(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const DtOption entries[] = {DT_OPTION("output", FILENAME, &options.output),
                                DT_OPTION("wildcards", STRING, &options.wildcards),
                                DT_OPTION("anonymous", NONE, &options.anonymous), DT_OPTIONS_END};
    return dt_cli_run("generate", entries, NULL, argc, argv, run_generate, &options);
}
