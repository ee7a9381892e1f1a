/* difftrace pack: a run in one file, to be mailed. */
#include "pack/pack.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/commands.h"
#include "commands/runs.h"
#include "text/text.h"

#include <string.h>

typedef struct {
    char *output, *key;
    gboolean anonymous;
} Options;

static void clear_options(Options *options)
{
    g_free(options->output);
    g_free(options->key);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

/* Beside the run: normal/ becomes normal.dtz. */
static char *default_output(const char *run)
{
    gsize length = strlen(run);
    while (length > 1 && run[length - 1] == '/')
        length--;
    g_autofree char *plain = g_strndup(run, length);
    return g_strconcat(plain, ".dtz", NULL);
}

static char *size_text(guint64 bytes)
{
    g_autofree char *text = g_format_size(bytes);
    g_auto(GStrv) parts = g_strsplit(text, "\u00a0", 2);
    return g_strjoinv(" ", parts);
}

/* Who mails it should know what it says. */
static void tell_contents(const char *file, const Options *options)
{
    if (!options->anonymous)
        dt_cli_note(
            "%s passes on command lines, paths, and names of hosts, users' numbers, functions and source files; "
            "--anonymous leaves them out",
            file);
    else if (!options->key)
        dt_cli_note("%s has pseudonyms of its own; to compare it with other packs, pack all with the same --key FILE",
                    file);
}

static gboolean pack_run(char **arguments, gpointer data, GError **error)
{
    const Options *options = data;
    const char *run = arguments[0];
    DtPackResult result;
    g_autoptr(DtPseudonyms) names = NULL;
    if (options->key && !options->anonymous) {
        g_set_error_literal(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--key: give --anonymous too");
        return FALSE;
    }
    if (options->anonymous && !(names = dt_pseudonyms_new(options->key, error)))
        return FALSE;
    g_autofree char *output = options->output ? g_strdup(options->output) : default_output(run);
    g_autoptr(DtProgress) progress = dt_progress_new("packing");
    gboolean done = dt_pack(run, output, names, &result, error);
    g_clear_pointer(&progress, dt_progress_free);
    if (!done) {
        dt_cli_suggest_run(run, *error);
        return FALSE;
    }
    g_autofree char *from = size_text(result.from_bytes), *bytes = size_text(result.bytes);
    if (result.kept > 0)
        dt_cli_note("note: %s: the code of %u threads stays as it was recorded: it is not whole", run, result.kept);
    dt_cli_note("%s: processes %u, %s of %s", output, result.processes, bytes, from);
    tell_contents(output, options);
    return TRUE;
}

int dt_cmd_pack(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const DtOption entries[] = {DT_OPTION("output", FILENAME, &options.output),
                                DT_OPTION("anonymous", NONE, &options.anonymous),
                                DT_OPTION("key", FILENAME, &options.key), DT_OPTIONS_END};
    return dt_cli_run("pack", entries, NULL, argc, argv, pack_run, &options);
}
