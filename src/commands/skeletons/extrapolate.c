/* difftrace extrapolate: the skeleton of a size that was never run. */
#include <string.h>

#include "cli/cli.h"
#include "commands/commands.h"
#include "commands/skeletons/predicted_run.h"
#include "text/text.h"

typedef struct {
    gboolean formulas, no_lines, times, processor, exit_code;
    char *to, *output, *run;
    char **meshes;
} Options;

static void clear_options(Options *options)
{
    g_free(options->to);
    g_free(options->output);
    g_free(options->run);
    g_strfreev(options->meshes);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

/* ---- what is asked for ----------------------------------------------------------------------- */

/* "64", or "8x8": then its mesh. */
static gboolean read_size(const char *text, guint *ranks, DtMesh *mesh, GError **error)
{
    const char *at = text;
    *mesh = (DtMesh){0};
    if (dt_mesh_parse(&at, mesh) && *at == '\0' && dt_mesh_places(mesh) <= DT_MOST_PREDICTED) {
        *ranks = (guint)dt_mesh_places(mesh);
        if (mesh->axes == 1)
            mesh->axes = 0;
        return TRUE;
    }
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                 "--to %s: not a size: give a number of ranks up to %d, or their mesh, as 8x8", text,
                 DT_MOST_PREDICTED);
    return FALSE;
}

/* "RUN=4x4". */
static gboolean read_mesh(const char *text, DtSize *sizes, guint count, GError **error)
{
    const char *mark = strrchr(text, '='), *at = mark ? mark + 1 : text;
    DtMesh mesh;
    if (!mark || !dt_mesh_parse(&at, &mesh) || *at != '\0') {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--mesh %s: not RUN=XxY, as --mesh %s=4x4", text,
                     sizes[0].name);
        return FALSE;
    }
    gboolean found = FALSE;
    for (guint i = 0; i < count; i++)
        if (strncmp(sizes[i].name, text, (gsize)(mark - text)) == 0 && strlen(sizes[i].name) == (gsize)(mark - text)) {
            sizes[i].mesh = mesh;
            found = TRUE;
        }
    if (!found)
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--mesh %s: '%.*s' is none of the runs given", text,
                     (int)(mark - text), text);
    return found;
}

/* ---- what comes out -------------------------------------------------------------------------- */

static char *predicted_text(const DtLaws *laws, guint ranks, const DtMesh *mesh, gboolean no_lines, GError **error)
{
    g_autoptr(GError) large = NULL;
    g_autoptr(DtSkeleton) skeleton = dt_laws_predict(laws, ranks, mesh, TRUE, &large);
    if (!skeleton && !g_error_matches(large, DT_SKELETON_ERROR, DT_SKELETON_ERROR_LARGE)) {
        g_propagate_error(error, g_steal_pointer(&large));
        return NULL;
    }
    if (!skeleton) {
        dt_cli_note("note: %s: loops are those of the formulas, not as a run of that size would show them",
                    large->message);
        skeleton = dt_laws_predict(laws, ranks, mesh, FALSE, error);
    }
    return !skeleton ? NULL : dt_skeleton_text_with(skeleton, no_lines ? DT_TEXT_NO_LINES : 0);
}

static void note_proofs(const DtLaws *laws)
{
    const DtLawCounts counts = dt_laws_count(laws);
    g_autoptr(DtUntoldFields) untold = dt_untold_fields_new();
    g_autoptr(GPtrArray) parts = dt_laws_untold(laws, untold);
    if (counts.unproved > 0)
        dt_cli_note("note: of %u lines %u are unproved: no run beyond those that it takes to choose their formulas "
                    "confirms them; --formulas shows them",
                    counts.proved + counts.unproved + counts.without, counts.unproved);
    for (guint i = 0; i < parts->len; i++)
        dt_cli_note("note: no formula for %s: it is left open", (const char *)parts->pdata[i]);
}

static void note_times(const DtCliLaws *laws, const Options *options)
{
    if (!options->times)
        return;
    const gdouble error = dt_laws_time_error(laws->laws);
    if (error >= 0)
        dt_cli_note("note: times of one size told by the others err by %.0f %% on average", 100 * error);
    else
        dt_cli_note("note: nothing tells by how much times err");
}

static gboolean check_options(const Options *options, GError **error)
{
    const char *problem = !options->to && !options->formulas  ? "no size: give --to, or --formulas alone"
                          : options->run && !options->to      ? "--run: give --to, the size of the run"
                          : options->run && options->formulas ? "--run and --formulas: only one of them"
                          : options->run && options->times    ? "--run and --times: a predicted run has no times"
                          : options->processor && !options->times
                              ? "--processor tells which times are meant: give --times, too"
                              : NULL;
    if (problem)
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "%s", problem);
    return !problem;
}

static gboolean write_predicted(const DtCliLaws *laws, guint ranks, const DtMesh *mesh, const Options *options,
                                GError **error)
{
    g_autofree char *text = NULL;
    if (options->run) {
        g_autoptr(DtSkeleton) skeleton = dt_laws_predict(laws->laws, ranks, mesh, FALSE, error);
        if (!skeleton || !dt_cli_write_predicted(laws, skeleton, options->run, error))
            return FALSE;
    } else if (!(text = predicted_text(laws->laws, ranks, mesh, options->no_lines, error))) {
        return FALSE;
    }
    note_proofs(laws->laws);
    return !text || dt_cli_write(text, options->output, error);
}

static gboolean has_unknown(const DtLaws *laws)
{
    g_autoptr(DtUntoldFields) untold = dt_untold_fields_new();
    g_autoptr(GPtrArray) parts = dt_laws_untold(laws, untold);
    return parts->len > 0;
}

static gboolean run_extrapolate(char **paths, const Options *options, gboolean *unknown, GError **error)
{
    g_auto(DtCliLaws) laws = {0};
    const DtSkeletonOptions how = {.processor_times = options->processor};
    const DtCliTimes times = options->times ? DT_CLI_TIMES_ARE_NEEDED : DT_CLI_NO_TIMES;
    DtMesh mesh = {0};
    guint ranks = 0;
    if (!check_options(options, error) || (options->to && !read_size(options->to, &ranks, &mesh, error)) ||
        !dt_cli_read_sizes(paths, &how, times, &laws, error))
        return FALSE;
    for (guint i = 0; options->meshes && options->meshes[i]; i++)
        if (!read_mesh(options->meshes[i], (DtSize *)(gpointer)laws.sizes->data, laws.sizes->len, error))
            return FALSE;
    if (!dt_cli_find_laws(&laws, &mesh, error) || (options->times && !dt_laws_add_times(laws.laws, error)))
        return FALSE;
    note_times(&laws, options);
    *unknown = has_unknown(laws.laws);
    if (!options->formulas)
        return write_predicted(&laws, ranks, &mesh, options, error);
    g_autofree char *text = dt_laws_text(laws.laws);
    return dt_cli_write(text, options->output, error);
}

int dt_cmd_extrapolate(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const DtOption entries[] = {DT_OPTION("to", STRING, &options.to),
                                DT_OPTION("mesh", STRING_ARRAY, &options.meshes),
                                DT_OPTION("formulas", NONE, &options.formulas),
                                DT_OPTION("no-lines", NONE, &options.no_lines),
                                DT_OPTION("times", NONE, &options.times),
                                DT_OPTION("processor", NONE, &options.processor),
                                DT_OPTION("run", FILENAME, &options.run),
                                DT_OPTION("output", FILENAME, &options.output),
                                DT_OPTION("exit-code", NONE, &options.exit_code),
                                DT_OPTIONS_END};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse("extrapolate", entries, NULL, argc, argv, &status);
    if (!arguments)
        return status;
    g_autoptr(GError) error = NULL;
    gboolean unknown = FALSE;
    run_extrapolate(arguments, &options, &unknown, &error);
    const int result = dt_cli_status(error);
    return result == 0 && options.exit_code && unknown ? DT_EXIT_FOUND : result;
}
