#include "extrapolate/extrapolate.h"

#include <string.h>

#include "extrapolate/laws.h"
#include "text/text.h"

G_DEFINE_QUARK(dt_extrapolate_error, dt_extrapolate_error)

enum { LEAST_SIZES = 2, FAMILY_ROW = 0, FAMILY_TWO, FAMILY_TWO_BACK, FAMILY_THREE, FAMILY_THREE_BACK };

/* ---- meshes ---------------------------------------------------------------------------------- */

/* The factors whose sum is least, the largest first. */
static DtMesh even_factors(guint axes, guint ranks)
{
    DtMesh mesh = {.axes = axes, .size = {ranks, 1, 1, 1}};
    guint64 least = (guint64)ranks + 2;
    for (guint c = 1; (guint64)c * c * (axes == 3 ? c : 1) <= ranks; c++) {
        if (ranks % c != 0)
            continue;
        const guint rest = ranks / c;
        if (axes == 2) {
            mesh.size[0] = rest;
            mesh.size[1] = c;
            continue;
        }
        for (guint b = c; (guint64)b * b <= rest; b++)
            if (rest % b == 0 && (guint64)c + b + rest / b < least) {
                least = (guint64)c + b + rest / b;
                mesh.size[0] = rest / b;
                mesh.size[1] = b;
                mesh.size[2] = c;
            }
    }
    return mesh;
}

static DtMesh turned(DtMesh mesh)
{
    DtMesh back = mesh;
    for (guint axis = 0; axis < mesh.axes; axis++)
        back.size[axis] = mesh.size[mesh.axes - 1 - axis];
    return back;
}

DtMesh dt_mesh_of_family(guint family, guint ranks)
{
    switch (family) {
    case FAMILY_ROW:
        return (DtMesh){1, {ranks}};
    case FAMILY_TWO:
        return even_factors(2, ranks);
    case FAMILY_TWO_BACK:
        return turned(even_factors(2, ranks));
    case FAMILY_THREE:
        return even_factors(3, ranks);
    case FAMILY_THREE_BACK:
        return turned(even_factors(3, ranks));
    default:
        return (DtMesh){0};
    }
}

static gboolean same_meshes(const DtMesh *a, const DtMesh *b)
{
    return a->axes == b->axes && memcmp(a->size, b->size, a->axes * sizeof a->size[0]) == 0;
}

/* ---- what is given --------------------------------------------------------------------------- */

static gboolean check_sizes(const DtSize *sizes, guint count, GError **error)
{
    guint with_mesh = 0;
    guint64 ranks = 0;
    if (count < LEAST_SIZES) {
        dt_set_error(error, DT_EXTRAPOLATE_ERROR, DT_EXTRAPOLATE_ERROR_SIZES,
                     "one size tells no formula: give runs of two sizes, better three");
        return FALSE;
    }
    for (guint s = 0; s < count; s++) {
        ranks += sizes[s].skeleton->ranks;
        with_mesh += sizes[s].mesh.axes > 0;
        if (sizes[s].mesh.axes > 0 &&
            (dt_mesh_places(&sizes[s].mesh) != sizes[s].skeleton->ranks || sizes[s].mesh.axes != sizes[0].mesh.axes)) {
            g_autofree char *mesh = dt_mesh_text(&sizes[s].mesh);
            dt_set_error(error, DT_EXTRAPOLATE_ERROR, DT_EXTRAPOLATE_ERROR_MESH,
                         "%s: a mesh of %s is none of %u ranks with as many axes as the first: say --mesh %s=XxY",
                         sizes[s].name, mesh, sizes[s].skeleton->ranks, sizes[s].name);
            return FALSE;
        }
    }
    if (with_mesh > 0 && with_mesh < count) {
        dt_set_error(error, DT_EXTRAPOLATE_ERROR, DT_EXTRAPOLATE_ERROR_MESH,
                     "%u of %u sizes have a mesh: say --mesh of all, or of none", with_mesh, count);
        return FALSE;
    }
    enum { MOST_RANKS = 1 << 12 };
    if (ranks > MOST_RANKS) {
        dt_set_error(error, DT_EXTRAPOLATE_ERROR, DT_EXTRAPOLATE_ERROR_SIZES,
                     "more than %d ranks of all sizes are too many: formulas come from small runs", MOST_RANKS);
        return FALSE;
    }
    return TRUE;
}

/* ---- finding --------------------------------------------------------------------------------- */

typedef struct {
    const DtSize *sizes;
    guint count;
    DtLaws *best;
    GError **error;
} Finding;

static gboolean is_better(const DtLaws *a, const DtLaws *b)
{
    if (!b || a->counts.without != b->counts.without)
        return !b || a->counts.without < b->counts.without;
    return a->counts.unproved < b->counts.unproved;
}

/* FALSE: an error. */
static gboolean try(Finding *finding, const DtMesh *meshes, guint family, const DtSizesOptions *options)
{
    DtSizes *sizes = dt_sizes_merge(finding->sizes, meshes, finding->count, options, finding->error);
    if (!sizes)
        return FALSE;
    if (options->words && sizes->stages->len == 0) {
        dt_sizes_free(sizes);
        return TRUE;
    }
    DtLaws *laws = dt_laws_fit(sizes);
    laws->family = family;
    laws->meshes = g_memdup2(meshes, finding->count * sizeof *meshes);
    if (is_better(laws, finding->best)) {
        dt_laws_free(finding->best);
        finding->best = laws;
    } else {
        dt_laws_free(laws);
    }
    return TRUE;
}

static gboolean is_perfect(const DtLaws *laws)
{
    return laws && laws->counts.without == 0 && laws->counts.unproved == 0;
}

static const DtSizesOptions usual = {.whole = TRUE}, staged = {.whole = TRUE, .words = TRUE},
                            staged_of_any_line = {.whole = TRUE, .words = TRUE, .any_line = TRUE};

/* Stages by conditions first: what is whole with them is so for a reason. */
static gboolean try_both(Finding *finding, const DtMesh *meshes, guint family)
{
    return try(finding, meshes, family, &staged) &&
           (is_perfect(finding->best) || try(finding, meshes, family, &staged_of_any_line)) &&
           (is_perfect(finding->best) || try(finding, meshes, family, &usual));
}

static gboolean try_families(Finding *finding, guint axes)
{
    g_autofree DtMesh *meshes = g_new0(DtMesh, finding->count);
    for (guint family = 0; family < DT_MESH_FAMILIES && !is_perfect(finding->best); family++) {
        for (guint s = 0; s < finding->count; s++)
            meshes[s] = dt_mesh_of_family(family, finding->sizes[s].skeleton->ranks);
        if (axes > 0 && meshes[0].axes != axes)
            continue;
        if (!try_both(finding, meshes, family))
            return FALSE;
    }
    return TRUE;
}

/* The family of all of them; DT_MESH_FAMILIES: there is none. */
static guint family_of(const Finding *finding, const DtMesh *meshes)
{
    guint family = DT_MESH_FAMILIES;
    for (guint f = 0; f < DT_MESH_FAMILIES && family == DT_MESH_FAMILIES; f++) {
        gboolean same = TRUE;
        for (guint s = 0; same && s < finding->count; s++) {
            const DtMesh own = dt_mesh_of_family(f, finding->sizes[s].skeleton->ranks);
            same = same_meshes(&own, &meshes[s]);
        }
        family = same ? f : family;
    }
    return family;
}

static gboolean try_given(Finding *finding)
{
    g_autofree DtMesh *meshes = g_new0(DtMesh, finding->count);
    for (guint s = 0; s < finding->count; s++)
        meshes[s] = finding->sizes[s].mesh;
    return try_both(finding, meshes, family_of(finding, meshes));
}

/* Those that the programs made of all their ranks, if the one to come is known by them. */
static DtMesh *recorded_meshes(const Finding *finding, const DtMesh *to)
{
    g_autofree DtMesh *meshes = g_new0(DtMesh, finding->count);
    for (guint s = 0; s < finding->count; s++) {
        meshes[s] = finding->sizes[s].skeleton->mesh;
        if (meshes[s].axes < 2 || meshes[s].axes != meshes[0].axes ||
            dt_mesh_places(&meshes[s]) != finding->sizes[s].skeleton->ranks)
            return NULL;
    }
    const gboolean is_known = to->axes > 0 ? to->axes == meshes[0].axes : family_of(finding, meshes) < DT_MESH_FAMILIES;
    return is_known ? g_steal_pointer(&meshes) : NULL;
}

/* Other trees of the same meshes. */
static gboolean try_trees(Finding *finding)
{
    static const DtSizesOptions others[] = {
        {0}, {.whole = TRUE, .no_steps = TRUE}, {.by_ladder = TRUE, .whole = TRUE}, {.by_ladder = TRUE}};
    for (guint i = 0; i < G_N_ELEMENTS(others) && !is_perfect(finding->best); i++) {
        g_autofree DtMesh *meshes = g_memdup2(finding->best->meshes, finding->count * sizeof(DtMesh));
        if (!try(finding, meshes, finding->best->family, &others[i]))
            return FALSE;
    }
    return TRUE;
}

DtLaws *dt_laws_find(const DtSize *sizes, guint count, const DtMesh *to, GError **error)
{
    Finding finding = {.sizes = sizes, .count = count, .error = error};
    if (!check_sizes(sizes, count, error))
        return NULL;
    if (to->axes > 1 && sizes[0].mesh.axes > 0 && sizes[0].mesh.axes != to->axes) {
        dt_set_error(error, DT_EXTRAPOLATE_ERROR, DT_EXTRAPOLATE_ERROR_MESH,
                     "the mesh to come has %u axes, those of the runs %u: give all as many", to->axes,
                     sizes[0].mesh.axes);
        return NULL;
    }
    g_autofree DtMesh *recorded = recorded_meshes(&finding, to);
    const gboolean good = sizes[0].mesh.axes > 0 ? try_given(&finding)
                          : recorded             ? try_both(&finding, recorded, family_of(&finding, recorded))
                                                 : try_families(&finding, to->axes);
    if (good && try_trees(&finding))
        return finding.best;
    dt_laws_free(finding.best);
    return NULL;
}

DtLawCounts dt_laws_count(const DtLaws *laws)
{
    return laws->counts;
}
