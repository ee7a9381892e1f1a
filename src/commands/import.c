/* difftrace import: traces of other tools become runs. */
#include "import/import.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/commands.h"
#include "store/store.h"
#include "text/text.h"

typedef struct {
    char *from, *output;
} Options;

static void clear_options(Options *options)
{
    g_free(options->from);
    g_free(options->output);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

static gboolean import_run(char **arguments, gpointer data, GError **error)
{
    const Options *options = data;
    const char *output = options->output ? options->output : "difftrace.data";
    for (guint i = 0; arguments[i]; i++) {
        if (!dt_is_our_directory(arguments[i], "run"))
            continue;
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "%s: a run already: all commands read it", arguments[i]);
        return FALSE;
    }
    g_autoptr(DtProgress) progress = dt_progress_new("importing");
    g_autoptr(DtImportResult) result = dt_import_several(options->from, (const char *const *)arguments, output, error);
    g_clear_pointer(&progress, dt_progress_free);
    if (!result)
        return FALSE;
    for (guint i = 0; i < result->warnings->len; i++)
        dt_cli_warn("warning: %s", (const char *)result->warnings->pdata[i]);
    dt_cli_note("%s: processes %u, threads %u, events %" G_GUINT64_FORMAT, output, result->processes, result->threads,
                result->events);
    return TRUE;
}

int dt_cmd_import(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const DtOption entries[] = {DT_OPTION("from", STRING, &options.from),
                                DT_OPTION("output", FILENAME, &options.output), DT_OPTIONS_END};
    return dt_cli_run("import", entries, NULL, argc, argv, import_run, &options);
}
