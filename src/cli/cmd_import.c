/* difftrace import: traces of other tools become runs. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "import/import.h"

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
    g_autoptr(DtImportResult) result = dt_import(options->from, path, output, error);
    if (result == NULL)
        return;
    for (guint i = 0; i < result->warnings->len; i++)
        dt_cli_warn("warning: %s", (const char *)result->warnings->pdata[i]);
    dt_cli_warn("%s: processes %u, threads %u, events %" G_GUINT64_FORMAT, output, result->processes, result->threads,
                result->events);
}

int dt_cmd_import(int argc, char **argv)
{
    static const DtUsage usage = {
        .name = "import",
        .arguments = "PATH",
        .summary = "Makes a run of the traces of another tool, for all other commands to read.",
        .description =
            "Formats: parlot, a directory that the original ParLOT tools wrote (compressed or not, cut short\n"
            "or not); text, a file of events as 'difftrace dump --flat' prints them; uftrace, a directory that\n"
            "'uftrace record' wrote, or one of such directories whose names end with their rank.\n\n"
            "Example: difftrace import --from parlot traces/ -o normal",
        .least = 1,
        .most = 1};
    g_auto(Options) options = {0};
    const GOptionEntry entries[] = {
        {"from", 0, 0, G_OPTION_ARG_STRING, &options.from, "parlot, text or uftrace (default: what PATH looks like)",
         "FORMAT"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output, "the new run (default difftrace.data)", "RUN"},
        G_OPTION_ENTRY_NULL};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse(&usage, entries, NULL, argc, argv, &status);
    if (arguments == NULL)
        return status;
    g_autoptr(GError) error = NULL;
    import_run(arguments[0], &options, &error);
    return dt_cli_status(error);
}
