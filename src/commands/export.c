/* difftrace export: a run, or two, in another tool's format. */
#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/commands.h"
#include "commands/runs.h"
#include "export/served_file.h"
#include "text/text.h"

typedef struct {
    char **traces;
    char *format, *output, *filter;
    gdouble from, to;
    gboolean open;
} Options;

static void clear_options(Options *options)
{
    g_strfreev(options->traces);
    g_free(options->format);
    g_free(options->output);
    g_free(options->filter);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

typedef struct {
    FILE *file;
    gint failure; /* errno of what could not be written; 0: all could */
} Output;

static gboolean write_part(const char *text, gsize bytes, gpointer user_data)
{
    Output *output = user_data;
    if (fwrite(text, 1, bytes, output->file) == bytes)
        return TRUE;
    output->failure = errno;
    return FALSE;
}

static gboolean export_graph(const DtRun *run, const GPtrArray *traces, const Options *options, GError **error)
{
    g_autoptr(DtStatistics) statistics = dt_statistics_new();
    g_autoptr(DtProgress) progress = dt_progress_new("counting");
    for (guint i = 0; i < traces->len; i++) {
        guint64 events = 0;
        dt_progress_set(progress, i, traces->len);
        if (!dt_statistics_add(statistics, run, traces->pdata[i], 1, &events, error))
            return FALSE;
    }
    g_clear_pointer(&progress, dt_progress_free);
    DtStatisticsReport what = {.by = DT_STATISTICS_EDGE, .functions = dt_run_functions(run), .statistics = statistics};
    g_autofree char *report = dt_report_statistics(&what, DT_FORMAT_DOT, error);
    return report && dt_cli_write(report, options->output, error);
}

/* main() tells what could not be written. */
static gboolean export_to_stdout(const DtExportWants *wants, GError **error)
{
    Output output = {stdout, 0};
    g_autoptr(GError) cause = NULL;
    if (dt_export(wants, write_part, &output, &cause) || output.failure != 0)
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&cause));
    return FALSE;
}

/* Half an export would be taken for a whole one. */
static gboolean fail_to_write(const char *path, gint failure, GError **error)
{
    if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
        g_unlink(path);
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_OUTPUT, "%s: cannot be written: %s", path, g_strerror(failure));
    return FALSE;
}

static gboolean export_to_file(const DtExportWants *wants, const char *path, GError **error)
{
    if (!path || strcmp(path, "-") == 0)
        return export_to_stdout(wants, error);
    Output output = {fopen(path, "we"), 0};
    if (!output.file)
        return fail_to_write(path, errno, error);
    g_autoptr(GError) cause = NULL;
    g_autoptr(DtProgress) progress = dt_progress_new("exporting");
    gboolean whole = dt_export(wants, write_part, &output, &cause);
    if (fclose(output.file) != 0 && output.failure == 0)
        output.failure = errno;
    g_clear_pointer(&progress, dt_progress_free);
    if (output.failure != 0)
        return fail_to_write(path, output.failure, error);
    if (!whole)
        g_propagate_error(error, g_steal_pointer(&cause));
    return whole;
}

/* ---- for Perfetto's page ------------------------------------------------------------------------ */

/* The page's own rules let it ask this machine at that port alone. */
#define PERFETTO "https://ui.perfetto.dev"
enum { PERFETTO_PORT = 9001 };

/* Where there are windows, a browser opens; everybody else has the address. */
static void open_browser(const char *address)
{
    const char *const command[] = {"xdg-open", address, NULL};
    g_autofree char *opener = g_find_program_in_path(command[0]);
    if (opener && (g_getenv("DISPLAY") || g_getenv("WAYLAND_DISPLAY")))
        g_spawn_async(NULL, (char **)command, NULL,
                      G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL,
                      NULL);
}

static gboolean serve(DtServedFile *file, GError **error)
{
    g_autofree char *address = g_strdup_printf(PERFETTO "/#!/?url=%s", dt_served_file_address(file));
    g_autofree char *line = g_strconcat(address, "\n", NULL);
    dt_cli_print(line, strlen(line));
    fflush(stdout);
    open_browser(address);
    return dt_served_file_wait(file, error);
}

/* Without --output the file is gone once it is open. */
static gboolean export_to_page(const DtExportWants *wants, const char *path, GError **error)
{
    if (path && strcmp(path, "-") != 0) {
        g_autoptr(DtServedFile) file = NULL;
        if (export_to_file(wants, path, error))
            file = dt_served_file_new(path, PERFETTO_PORT, PERFETTO, error);
        return file && serve(file, error);
    }
    g_autofree char *folder = g_dir_make_tmp("difftrace-XXXXXX", error);
    g_autofree char *base = g_path_get_basename(dt_run_path(wants->run));
    g_autofree char *name = g_strconcat(base, wants->format == DT_EXPORT_CHROME ? ".json" : ".pftrace", NULL);
    g_autofree char *temporary = folder ? g_build_filename(folder, name, NULL) : NULL;
    if (!folder)
        return FALSE;
    g_autoptr(DtServedFile) file = NULL;
    if (export_to_file(wants, temporary, error))
        file = dt_served_file_new(temporary, PERFETTO_PORT, PERFETTO, error);
    g_unlink(temporary);
    g_rmdir(folder);
    return file && serve(file, error);
}

static gboolean can_be_opened(const Options *options, DtExportFormat format, gboolean is_text, GError **error)
{
    if (!options->open || (is_text && (format == DT_EXPORT_PERFETTO || format == DT_EXPORT_CHROME)))
        return TRUE;
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--open: of --format perfetto or chrome");
    return FALSE;
}

/* ---- archives of OTF2's ------------------------------------------------------------------------ */

static void remove_folder(const char *path)
{
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    const char *name;
    while (folder && (name = g_dir_read_name(folder))) {
        g_autofree char *file = g_build_filename(path, name, NULL);
        if (g_file_test(file, G_FILE_TEST_IS_DIR) && !g_file_test(file, G_FILE_TEST_IS_SYMLINK))
            remove_folder(file);
        else
            g_unlink(file);
    }
    g_rmdir(path);
}

/* TRUE if nothing is there. */
static gboolean is_empty(const char *path)
{
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    return folder ? !g_dir_read_name(folder) : !g_file_test(path, G_FILE_TEST_EXISTS);
}

static gboolean export_to_folder(const DtExportWants *wants, const char *path, GError **error)
{
    if (!path || strcmp(path, "-") == 0) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                     "--format otf2: makes a directory: say which with --output");
        return FALSE;
    }
    if (!is_empty(path)) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_OUTPUT, "%s: is there already: name a new directory", path);
        return FALSE;
    }
    g_autoptr(DtProgress) progress = dt_progress_new("exporting");
    gboolean done = dt_export_otf2(wants, path, error);
    g_clear_pointer(&progress, dt_progress_free);
    if (!done)
        remove_folder(path);
    return done;
}

/* ---- runs --------------------------------------------------------------------------------------- */

/* A run to export; what is not there is NULL. */
typedef struct {
    DtRun *run;
    GPtrArray *traces;
} Exported;

static void clear_exported(Exported *exported)
{
    g_clear_pointer(&exported->traces, g_ptr_array_unref);
    g_clear_pointer(&exported->run, dt_run_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Exported, clear_exported)

static gboolean open_exported(const char *path, const Options *options, DtFunctions *functions, Exported *exported,
                              GError **error)
{
    exported->run = dt_cli_open_run(path, functions, error);
    if (exported->run)
        exported->traces = dt_cli_find_traces(exported->run, (const char *const *)options->traces, error);
    return exported->traces != NULL;
}

static gboolean has_format(const Options *options, GError **error)
{
    if (options->format)
        return TRUE;
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                 "--format: missing; say which: chrome, folded, folded-time, difffolded, difffolded-time, callgrind, "
                 "dot, csv, perfetto or otf2");
    return FALSE;
}

static gboolean is_of_one_run(char **arguments, GError **error)
{
    if (!arguments[1])
        return TRUE;
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--format dot: of one run; export each to a file of its own");
    return FALSE;
}

static gboolean export_run(char **arguments, gpointer data, GError **error)
{
    const Options *options = data;
    if (!has_format(options, error))
        return FALSE;
    gboolean graph = g_ascii_strcasecmp(options->format, "dot") == 0;
    gboolean archive = g_ascii_strcasecmp(options->format, "otf2") == 0;
    DtExportFormat format = DT_EXPORT_CSV;
    if (graph && !is_of_one_run(arguments, error))
        return FALSE;
    if (!graph && !archive && !dt_export_format_parse(options->format, &format, error))
        return FALSE;
    if (!can_be_opened(options, format, !graph && !archive, error))
        return FALSE;
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_auto(Exported) first = {0}, second = {0};
    if (!open_exported(arguments[0], options, functions, &first, error))
        return FALSE;
    if (graph)
        return export_graph(first.run, first.traces, options, error);
    if (arguments[1] && !open_exported(arguments[1], options, functions, &second, error))
        return FALSE;
    g_autoptr(DtFilter) filter = options->filter ? dt_filter_parse(options->filter, error) : NULL;
    g_autoptr(DtFilterSet) set = filter ? dt_filter_compile(filter, functions, error) : NULL;
    if (options->filter && !set)
        return FALSE;
    const DtExportWants wants = {first.run,     first.traces, format,     set,
                                 options->from, options->to,  second.run, second.traces};
    if (options->open)
        return export_to_page(&wants, options->output, error);
    return (archive ? export_to_folder : export_to_file)(&wants, options->output, error);
}

int dt_cmd_export(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const DtOption entries[] = {
        DT_OPTION("format", STRING, &options.format),   DT_OPTION("trace", STRING_ARRAY, &options.traces),
        DT_OPTION("filter", STRING, &options.filter),   DT_OPTION("since", DOUBLE, &options.from),
        DT_OPTION("until", DOUBLE, &options.to),        DT_OPTION("open", NONE, &options.open),
        DT_OPTION("output", FILENAME, &options.output), DT_OPTIONS_END};
    return dt_cli_run("export", entries, NULL, argc, argv, export_run, &options);
}
