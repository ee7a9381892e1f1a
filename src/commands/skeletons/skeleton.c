/* difftrace skeleton: what all ranks do to communicate, as one text. */
#include <string.h>

#include "cli/cli.h"
#include "commands/commands.h"
#include "commands/report_options.h"
#include "commands/skeletons/read_skeletons.h"
#include "report/skeletons/skeleton_report.h"
#include "text/text.h"

typedef struct {
    gboolean communication_only, check, stats, no_lines, times, no_times, processor, anonymous, json, exit_code;
    char *expand, *output, *mesh, *format;
} Options;

static void clear_options(Options *options)
{
    g_free(options->expand);
    g_free(options->mesh);
    g_free(options->format);
    g_free(options->output);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

/* "5" or "5.2": a rank and its thread. */
static gboolean read_trace(const char *label, const DtSkeleton *skeleton, guint *rank, guint *thread, GError **error)
{
    guint64 numbers[2] = {0, 0};
    g_auto(GStrv) parts = g_strsplit(label, ".", 2);
    for (guint i = 0; parts[i]; i++)
        if (!g_ascii_string_to_unsigned(parts[i], 10, 0, G_MAXINT, &numbers[i], NULL))
            numbers[0] = G_MAXUINT64;
    if (numbers[0] >= skeleton->ranks) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--expand %s: not a rank: these are 0 to %u", label,
                     skeleton->ranks - 1);
        return FALSE;
    }
    *rank = (guint)numbers[0];
    *thread = (guint)numbers[1];
    return TRUE;
}

static guint64 count_lines(const char *text)
{
    guint64 lines = 0;
    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

/* Sizes: of the skeleton, and of what it stands for. */
static char *stats_text(const DtSkeleton *skeleton, GError **error)
{
    g_autofree char *text = dt_skeleton_text(skeleton);
    guint64 calls = 0, bytes = 0;
    for (guint t = 0; t < skeleton->threads->len; t++) {
        const DtSkeletonThread *thread = skeleton->threads->pdata[t];
        for (guint rank = 0; rank < skeleton->ranks; rank++) {
            g_autofree char *expanded = dt_skeleton_expand(skeleton, thread->number, rank, error);
            if (!expanded)
                return NULL;
            calls += count_lines(expanded);
            bytes += strlen(expanded);
        }
    }
    return g_strdup_printf("ranks  %u\ncalls  %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT
                           " bytes written out\nnodes  %u\nlines  %" G_GUINT64_FORMAT "\nbytes  %" G_GSIZE_FORMAT "\n",
                           skeleton->ranks, calls, bytes, dt_skeleton_size(skeleton), count_lines(text), strlen(text));
}

static char *answer(const DtSkeleton *skeleton, const Options *options, DtReportFormat format, GError **error)
{
    guint rank, thread;
    if (options->stats)
        return stats_text(skeleton, error);
    if (!options->expand)
        return dt_report_skeleton(skeleton, options->no_lines ? DT_TEXT_NO_LINES : 0,
                                  dt_cli_terminal_format(format, options->output), error);
    if (!read_trace(options->expand, skeleton, &rank, &thread, error))
        return NULL;
    return dt_skeleton_expand(skeleton, thread, rank, error);
}

static gboolean read_mesh(const char *text, DtSkeletonOptions *how, GError **error)
{
    const char *at = text;
    how->no_mesh = g_strcmp0(text, "none") == 0;
    if (!text || how->no_mesh || g_str_equal(text, "auto") || (dt_mesh_parse(&at, &how->mesh) && *at == '\0'))
        return TRUE;
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                 "--mesh %s: not a mesh: give its size along each of up to %d axes, as 4x4, or auto, or none", text,
                 DT_MESH_AXES);
    return FALSE;
}

static gboolean compare(const char *path, const char *other, const DtSkeletonOptions *how, const Options *options,
                        DtReportFormat format, gboolean *differ, GError **error)
{
    gboolean equal = TRUE;
    if (options->check || options->stats || options->times || options->expand) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                     "--check, --stats, --times and --expand are of one skeleton: leave out '%s'", other);
        return FALSE;
    }
    gboolean good = dt_cli_skeleton_difference(path, other, how, format, options->output, &equal, error);
    *differ = !equal;
    return good;
}

static gboolean read_times(const char *path, const Options *options, DtCliTimes *times, GError **error)
{
    if (options->processor && (!options->times || dt_cli_is_skeleton(path))) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                     options->times ? "--processor: '%s' is no run, and its times are what they are"
                                    : "--processor: tells which times of '%s' are meant: give --times, too",
                     path);
        return FALSE;
    }
    *times = options->no_times ? DT_CLI_NO_TIMES : options->times ? DT_CLI_TIMES_ARE_NEEDED : DT_CLI_TIMES_OF_FILES;
    if (!options->times || !options->no_times)
        return TRUE;
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--times and --no-times: only one of them");
    return FALSE;
}

static gboolean run_skeleton(const char *path, const char *other, const Options *options, gboolean *differ,
                             GError **error)
{
    DtSkeletonOptions how = {.communication_only = options->communication_only,
                             .no_lines = options->no_lines,
                             .processor_times = options->processor};
    const DtReportOptions report = {.format = options->format, .json = options->json};
    DtReportFormat format;
    DtCliTimes times;
    if (!read_times(path, options, &times, error) || !read_mesh(options->mesh, &how, error) ||
        !dt_cli_format(&report, &format, error))
        return FALSE;
    if (other)
        return compare(path, other, &how, options, format, differ, error);
    g_autoptr(DtSkeleton) skeleton = dt_cli_skeleton_with(path, &how, times, error);
    if (!skeleton || options->check)
        return skeleton != NULL;
    if (options->anonymous)
        dt_skeleton_anonymise(skeleton);
    g_autofree char *text = answer(skeleton, options, format, error);
    return text && dt_cli_write(text, options->output, error);
}

int dt_cmd_skeleton(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const DtOption entries[] = {DT_OPTION("communication-only", NONE, &options.communication_only),
                                DT_OPTION("no-lines", NONE, &options.no_lines),
                                DT_OPTION("times", NONE, &options.times),
                                DT_OPTION("no-times", NONE, &options.no_times),
                                DT_OPTION("processor", NONE, &options.processor),
                                DT_OPTION("mesh", STRING, &options.mesh),
                                DT_OPTION("anonymous", NONE, &options.anonymous),
                                DT_OPTION("format", STRING, &options.format),
                                DT_OPTION("json", NONE, &options.json),
                                DT_OPTION("expand", STRING, &options.expand),
                                DT_OPTION("check", NONE, &options.check),
                                DT_OPTION("stats", NONE, &options.stats),
                                DT_OPTION("exit-code", NONE, &options.exit_code),
                                DT_OPTION("output", FILENAME, &options.output),
                                DT_OPTIONS_END};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse("skeleton", entries, NULL, argc, argv, &status);
    if (!arguments)
        return status;
    g_autoptr(GError) error = NULL;
    gboolean differ = FALSE;
    run_skeleton(arguments[0], arguments[1], &options, &differ, &error);
    status = dt_cli_status(error);
    return status == 0 && differ && options.exit_code ? 1 : status;
}
