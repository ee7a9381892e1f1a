/* difftrace extrapolate: the skeleton of a size that was never run. */
#include "extrapolate/extrapolate.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/commands.h"
#include "commands/skeletons/read_skeletons.h"
#include "text/text.h"

typedef struct {
    gboolean formulas, no_lines;
    char *to, *output;
    char **meshes;
} Options;

static void clear_options(Options *options)
{
    g_free(options->to);
    g_free(options->output);
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

static void free_skeleton(gpointer skeleton)
{
    dt_skeleton_free(skeleton);
}

static gboolean read_sizes(char **paths, GPtrArray *skeletons, GArray *sizes, GError **error)
{
    const DtSkeletonOptions how = {0};
    for (guint i = 0; paths[i] != NULL; i++) {
        DtSkeleton *skeleton = dt_cli_skeleton(paths[i], &how, error);
        if (skeleton == NULL)
            return FALSE;
        const DtSize size = {.skeleton = skeleton, .name = paths[i]};
        g_ptr_array_add(skeletons, skeleton);
        g_array_append_val(sizes, size);
    }
    return TRUE;
}

/* ---- what comes out -------------------------------------------------------------------------- */

static char *predicted_text(const DtLaws *laws, guint ranks, const DtMesh *mesh, gboolean no_lines, GError **error)
{
    g_autoptr(GError) large = NULL;
    g_autoptr(DtSkeleton) skeleton = dt_laws_predict(laws, ranks, mesh, TRUE, &large);
    if (skeleton == NULL && !g_error_matches(large, DT_SKELETON_ERROR, DT_SKELETON_ERROR_LARGE)) {
        g_propagate_error(error, g_steal_pointer(&large));
        return NULL;
    }
    if (skeleton == NULL) {
        dt_cli_note("note: %s: loops are those of the formulas, not as a run of that size would show them",
                    large->message);
        skeleton = dt_laws_predict(laws, ranks, mesh, FALSE, error);
    }
    return skeleton == NULL ? NULL : dt_skeleton_text_with(skeleton, no_lines ? DT_TEXT_NO_LINES : 0);
}

static void note_proofs(const DtLaws *laws)
{
    const DtLawCounts counts = dt_laws_count(laws);
    if (counts.unproved > 0)
        dt_cli_note("note: of %u lines %u are unproved: no run beyond those that it takes to choose their formulas "
                    "confirms them; --formulas shows them",
                    counts.proved + counts.unproved, counts.unproved);
}

static gboolean run_extrapolate(char **paths, const Options *options, GError **error)
{
    g_autoptr(GPtrArray) skeletons = g_ptr_array_new_with_free_func(free_skeleton);
    g_autoptr(GArray) sizes = g_array_new(FALSE, FALSE, sizeof(DtSize));
    DtMesh mesh = {0};
    guint ranks = 0;
    if (options->to == NULL && !options->formulas) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "no size: give --to, or --formulas alone");
        return FALSE;
    }
    if ((options->to != NULL && !read_size(options->to, &ranks, &mesh, error)) ||
        !read_sizes(paths, skeletons, sizes, error))
        return FALSE;
    for (guint i = 0; options->meshes != NULL && options->meshes[i] != NULL; i++)
        if (!read_mesh(options->meshes[i], (DtSize *)(gpointer)sizes->data, sizes->len, error))
            return FALSE;
    g_autoptr(DtProgress) progress = dt_progress_new("finding formulas");
    g_autoptr(DtLaws) laws = dt_laws_find((const DtSize *)(gconstpointer)sizes->data, sizes->len, &mesh, error);
    g_clear_pointer(&progress, dt_progress_free);
    if (laws == NULL)
        return FALSE;
    g_autofree char *text =
        options->formulas ? dt_laws_text(laws) : predicted_text(laws, ranks, &mesh, options->no_lines, error);
    if (text == NULL)
        return FALSE;
    if (!options->formulas)
        note_proofs(laws);
    return dt_cli_write(text, options->output, error);
}

int dt_cmd_extrapolate(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const DtOption entries[] = {
        DT_OPTION("to", STRING, &options.to),           DT_OPTION("mesh", STRING_ARRAY, &options.meshes),
        DT_OPTION("formulas", NONE, &options.formulas), DT_OPTION("no-lines", NONE, &options.no_lines),
        DT_OPTION("output", FILENAME, &options.output), DT_OPTIONS_END};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse("extrapolate", entries, NULL, argc, argv, &status);
    if (arguments == NULL)
        return status;
    g_autoptr(GError) error = NULL;
    run_extrapolate(arguments, &options, &error);
    return dt_cli_status(error);
}
