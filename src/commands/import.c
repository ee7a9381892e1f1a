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

static void import_run(const char *path, const Options *options, GError **error)
{
    const char *output = options->output != NULL ? options->output : "difftrace.data";
    if (dt_is_our_directory(path, "run")) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "%s: a run already: all commands read it", path);
        return;
    }
    g_autoptr(DtProgress) progress = dt_progress_new("importing");
    g_autoptr(DtImportResult) result = dt_import(options->from, path, output, error);
    g_clear_pointer(&progress, dt_progress_free);
    if (result == NULL)
        return;
    for (guint i = 0; i < result->warnings->len; i++)
        dt_cli_warn("warning: %s", (const char *)result->warnings->pdata[i]);
    dt_cli_note("%s: processes %u, threads %u, events %" G_GUINT64_FORMAT, output, result->processes, result->threads,
                result->events);
}

int dt_cmd_import(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const DtOption entries[] = {DT_OPTION("from", STRING, &options.from),
                                DT_OPTION("output", FILENAME, &options.output), DT_OPTIONS_END};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse("import", entries, NULL, argc, argv, &status);
    if (arguments == NULL)
        return status;
    g_autoptr(GError) error = NULL;
    import_run(arguments[0], &options, &error);
    return dt_cli_status(error);
}
