/* difftrace unpack: a packed run becomes a directory again. */
#include "store/packed/unpack.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/commands.h"

#include <string.h>

typedef struct {
    char *output;
} Options;

static void clear_options(Options *options)
{
    g_free(options->output);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

/* In the working directory: mails/normal.dtz becomes normal/. */
static char *default_output(const char *file)
{
    char *base = g_path_get_basename(file);
    if (g_str_has_suffix(base, ".dtz"))
        base[strlen(base) - strlen(".dtz")] = '\0';
    return base;
}

static gboolean unpack_run(char **arguments, gpointer data, GError **error)
{
    const Options *options = data;
    g_autofree char *output = options->output ? g_strdup(options->output) : default_output(arguments[0]);
    g_autoptr(DtProgress) progress = dt_progress_new("unpacking");
    gboolean done = dt_unpack(arguments[0], output, G_MAXUINT64, TRUE, error);
    g_clear_pointer(&progress, dt_progress_free);
    return done;
}

int dt_cmd_unpack(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const DtOption entries[] = {DT_OPTION("output", FILENAME, &options.output), DT_OPTIONS_END};
    return dt_cli_run("unpack", entries, NULL, argc, argv, unpack_run, &options);
}
