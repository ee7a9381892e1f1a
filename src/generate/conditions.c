/* Sets of ranks as conditions. What can be read is tried in order; each is taken only if it is true of exactly those
 * ranks. */
#include <string.h>

#include "generate/generating.h"

/* A range of what is told of a rank: itself, or a place along an axis; modulo something if that is not 0. */
typedef struct {
    guint axis; /* DT_MESH_AXES: the rank itself */
    guint modulus;
    guint low, high;
    gboolean has_low, has_high, is_outside;
} Range;

gboolean dt_has_mesh(const DtSkeleton *skeleton)
{
    return skeleton->mesh.axes > 1 && dt_mesh_places(&skeleton->mesh) == skeleton->ranks;
}

guint dt_mesh_coordinate(const DtMesh *mesh, guint rank, guint axis)
{
    for (guint i = mesh->axes - 1; i > axis; i--)
        rank /= mesh->size[i];
    return rank % mesh->size[axis];
}

static guint value_of(const DtSkeleton *skeleton, const Range *range, guint rank)
{
    guint value = range->axis < DT_MESH_AXES ? dt_mesh_coordinate(&skeleton->mesh, rank, range->axis) : rank;
    return range->modulus > 0 ? value % range->modulus : value;
}

static gboolean holds(const DtSkeleton *skeleton, const Range *range, guint rank)
{
    guint value = value_of(skeleton, range, rank);
    return (value >= range->low && value <= range->high) != range->is_outside;
}

/* The smallest range that all ranks of the set, or none of them, are in; its ends are left out where no rank of
 * `within` is beyond them. */
static Range range_of(const DtSkeleton *skeleton, const DtRankSet *set, const DtRankSet *within, guint axis,
                      guint modulus, gboolean is_outside)
{
    Range range = {.axis = axis, .modulus = modulus, .low = G_MAXUINT};
    for (guint rank = dt_rank_set_next(within, 0); rank != G_MAXUINT; rank = dt_rank_set_next(within, rank + 1)) {
        guint value = value_of(skeleton, &range, rank);
        if (dt_rank_set_has(set, rank) == is_outside)
            continue;
        range.low = MIN(range.low, value);
        range.high = MAX(range.high, value);
    }
    for (guint rank = dt_rank_set_next(within, 0); rank != G_MAXUINT; rank = dt_rank_set_next(within, rank + 1)) {
        guint value = value_of(skeleton, &range, rank);
        range.has_low = range.has_low || value < range.low;
        range.has_high = range.has_high || value > range.high;
    }
    range.is_outside = is_outside;
    return range;
}

/* Whether the conditions together are those of the set. */
static gboolean fits(const DtSkeleton *skeleton, const Range *ranges, guint count, gboolean negated,
                     const DtRankSet *set, const DtRankSet *within)
{
    for (guint rank = dt_rank_set_next(within, 0); rank != G_MAXUINT; rank = dt_rank_set_next(within, rank + 1)) {
        gboolean all = TRUE;
        for (guint i = 0; i < count && all; i++)
            all = holds(skeleton, &ranges[i], rank);
        if ((all != negated) != dt_rank_set_has(set, rank))
            return FALSE;
    }
    return TRUE;
}

/* "size - 1" for the last one of a whole axis. */
static char *bound_text(const DtSkeleton *skeleton, const Range *range, guint value)
{
    gboolean is_rank = range->axis == DT_MESH_AXES;
    guint size = is_rank ? skeleton->ranks : skeleton->mesh.size[range->axis];
    if (range->modulus > 0 || value + 1 != size || size < 3)
        return g_strdup_printf("%u", value);
    return is_rank ? g_strdup("size - 1") : g_strdup_printf("%c - 1", "XYZT"[range->axis]);
}

static char *range_text(const DtSkeleton *skeleton, const Range *range, gboolean *is_or)
{
    g_autofree char *low = bound_text(skeleton, range, range->low);
    g_autofree char *high = bound_text(skeleton, range, range->high);
    g_autofree char *above = bound_text(skeleton, range, range->high + 1);
    g_autofree char *what = range->axis < DT_MESH_AXES ? g_strdup_printf("%c", "xyzt"[range->axis]) : g_strdup("rank");
    if (range->modulus > 0) {
        char *value = g_strdup_printf("%s %% %u", what, range->modulus);
        g_free(what);
        what = value;
    }
    *is_or = FALSE;
    if (range->low == range->high)
        return g_strdup_printf("%s %s %s", what, range->is_outside ? "!=" : "==", low);
    if (!range->has_low)
        return g_strdup_printf("%s %s %s", what, range->is_outside ? ">=" : "<", above);
    if (!range->has_high && range->low == 1 && !range->is_outside)
        return g_strdup_printf("%s > 0", what);
    if (!range->has_high)
        return g_strdup_printf("%s %s %s", what, range->is_outside ? "<" : ">=", low);
    *is_or = range->is_outside;
    return range->is_outside ? g_strdup_printf("%s < %s || %s > %s", what, low, what, high)
                             : g_strdup_printf("%s >= %s && %s <= %s", what, low, what, high);
}

static char *conjunction_text(const DtSkeleton *skeleton, const Range *ranges, guint count, gboolean negated,
                              gboolean *is_or)
{
    g_autoptr(GString) text = g_string_new(NULL);
    if (count == 1 && !negated)
        return range_text(skeleton, ranges, is_or);
    for (guint i = 0; i < count; i++) {
        gboolean has_or;
        g_autofree char *range = range_text(skeleton, &ranges[i], &has_or);
        g_string_append_printf(text, has_or ? "%s(%s)" : "%s%s", i > 0 ? " && " : "", range);
    }
    *is_or = FALSE;
    return g_strdup_printf(negated ? "!(%s)" : "%s", text->str);
}

/* A box in the mesh, or all but one. */
static char *box_text(const DtSkeleton *skeleton, const DtRankSet *set, const DtRankSet *within, gboolean *is_or)
{
    for (guint negated = 0; negated < 2; negated++) {
        Range ranges[DT_MESH_AXES];
        guint count = 0;
        for (guint axis = 0; axis < skeleton->mesh.axes; axis++) {
            Range range = range_of(skeleton, set, within, axis, 0, negated == 1);
            range.is_outside = FALSE;
            if (range.has_low || range.has_high)
                ranges[count++] = range;
        }
        if (count > 0 && fits(skeleton, ranges, count, negated == 1, set, within)) {
            ranges[0].is_outside = negated == 1 && count == 1;
            return conjunction_text(skeleton, ranges, count, negated == 1 && count > 1, is_or);
        }
    }
    return NULL;
}

static char *single_range_text(const DtSkeleton *skeleton, const DtRankSet *set, const DtRankSet *within, guint axis,
                               guint modulus, gboolean *is_or)
{
    for (guint outside = 0; outside < 2; outside++) {
        Range range = range_of(skeleton, set, within, axis, modulus, outside == 1);
        if (range.low <= range.high && fits(skeleton, &range, 1, FALSE, set, within))
            return range_text(skeleton, &range, is_or);
    }
    return NULL;
}

/* Takes off ends beyond which no rank fits the other condition. */
static void widen(const DtSkeleton *skeleton, Range *ranges, const DtRankSet *set, const DtRankSet *within)
{
    Range wide[2] = {ranges[0], ranges[1]};
    wide[0].high = G_MAXUINT;
    wide[0].has_high = FALSE;
    if (ranges[0].has_low && fits(skeleton, wide, 2, FALSE, set, within))
        ranges[0] = wide[0];
    wide[0] = ranges[0];
    wide[0].low = 0;
    wide[0].has_low = FALSE;
    if (ranges[0].has_high && fits(skeleton, wide, 2, FALSE, set, within))
        ranges[0] = wide[0];
}

/* "rank % 4 == 0", also of a part of the ranks only. */
static char *modulo_text(const DtSkeleton *skeleton, const DtRankSet *set, const DtRankSet *within, gboolean *is_or)
{
    enum { MOST = 256 };
    Range range[2] = {range_of(skeleton, set, within, DT_MESH_AXES, 0, FALSE)};
    for (guint modulus = 2; modulus < MIN(skeleton->ranks, MOST); modulus++) {
        char *text = single_range_text(skeleton, set, within, DT_MESH_AXES, modulus, is_or);
        if (text)
            return text;
    }
    for (guint modulus = 2; modulus < MIN(skeleton->ranks / 2, MOST); modulus++) {
        range[1] = range_of(skeleton, set, set, DT_MESH_AXES, modulus, FALSE);
        range[1].has_low = range[1].low > 0;
        range[1].has_high = range[1].high + 1 < modulus;
        if ((range[1].has_low || range[1].has_high) && fits(skeleton, range, 2, FALSE, set, within)) {
            widen(skeleton, range, set, within);
            return conjunction_text(skeleton, range, 2, FALSE, is_or);
        }
    }
    for (guint axis = 0; axis < skeleton->mesh.axes && dt_has_mesh(skeleton); axis++)
        for (guint modulus = 2; modulus < skeleton->mesh.size[axis]; modulus++) {
            char *text = single_range_text(skeleton, set, within, axis, modulus, is_or);
            if (text)
                return text;
        }
    return NULL;
}

/* "rank == 3 || rank == 7", and the contrary. */
static char *few_text(const DtRankSet *set, const DtRankSet *within, gboolean *is_or)
{
    enum { FEW = 3 };
    guint in = 0, out = 0;
    for (guint rank = dt_rank_set_next(within, 0); rank != G_MAXUINT; rank = dt_rank_set_next(within, rank + 1))
        *(dt_rank_set_has(set, rank) ? &in : &out) += 1;
    if (MIN(in, out) > FEW)
        return NULL;
    *is_or = in <= FEW && in > 1;
    GString *text = g_string_new(NULL);
    for (guint rank = dt_rank_set_next(within, 0); rank != G_MAXUINT; rank = dt_rank_set_next(within, rank + 1))
        if (dt_rank_set_has(set, rank) == (in <= FEW))
            g_string_append_printf(text, "%srank %s %u",
                                   text->len == 0 ? ""
                                   : in <= FEW    ? " || "
                                                  : " && ",
                                   in <= FEW ? "==" : "!=", rank);
    return g_string_free(text, FALSE);
}

char *dt_condition_of_set(const DtSkeleton *skeleton, const DtRankSet *set, const DtRankSet *within, gboolean *is_or)
{
    char *text = single_range_text(skeleton, set, within, DT_MESH_AXES, 0, is_or);
    if (!text && dt_has_mesh(skeleton))
        text = box_text(skeleton, set, within, is_or);
    if (!text)
        text = modulo_text(skeleton, set, within, is_or);
    return text ? text : few_text(set, within, is_or);
}

char *dt_ranks_text(const DtSkeleton *skeleton, const DtRankSet *set)
{
    GString *text = g_string_new(NULL);
    for (guint rank = dt_rank_set_next(set, 0); rank != G_MAXUINT;) {
        guint next = dt_rank_set_next(set, rank + 1), last = rank, step = next != G_MAXUINT ? next - rank : 1;
        for (; next != G_MAXUINT && next - last == step; next = dt_rank_set_next(set, next + 1))
            last = next;
        if (last == rank + step && step > 1) /* two are no progression */
            last = rank;
        g_string_append_printf(text, "%s%u", text->len > 0 ? "," : "", rank);
        if (last > rank)
            g_string_append_printf(text, "-%u", last);
        if (last > rank && step > 1)
            g_string_append_printf(text, "/%u", step);
        rank = dt_rank_set_next(set, last + 1);
        if (rank != G_MAXUINT && rank >= skeleton->ranks)
            break;
    }
    return g_string_free(text, FALSE);
}

char *dt_condition(DtGenerating *generating, const DtRankSet *set, const DtRankSet *within)
{
    gboolean is_or;
    char *text = dt_condition_of_set(generating->skeleton, set, within, &is_or);
    if (text)
        return text;
    const char *known = g_hash_table_lookup(generating->sets, set);
    if (known)
        return g_strdup(known);
    char *name = dt_new_name(generating, "is_in_set");
    g_autofree char *ranks = dt_ranks_text(generating->skeleton, set);
    g_string_append_printf(generating->data, "static bool %s; /* %s */\n", name, ranks);
    g_string_append_printf(generating->set_up, "    %s = is_among(\"%s\");\n", name, ranks);
    g_hash_table_insert(generating->sets, (gpointer)set, g_strdup(name));
    return name;
}
