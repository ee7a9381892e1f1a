#include "skeleton/tree_building.h"

enum { LEAST_NODES = 4 /* that are saved */ };

/* How many visits each of the parent's visits makes, of the loop's and of those taken in. */
typedef struct {
    GArray *own, *added; /* guint64 */
    gboolean before;     /* what is added comes first */
} Visits;

static guint64 visits_at(const GArray *visits, guint i)
{
    return g_array_index(visits, guint64, i);
}

static GArray *append_values(GArray *values, const GArray *from, guint64 *at, guint64 count)
{
    g_array_append_vals(values, &g_array_index(from, DtValue, *at), (guint)count);
    *at += count;
    return values;
}

/* The values of both, by visits. */
static GArray *interleaved(const GArray *own, const GArray *added, const Visits *visits)
{
    GArray *values = g_array_new(FALSE, FALSE, sizeof(DtValue));
    guint64 at_own = 0, at_added = 0;
    for (guint i = 0; i < visits->own->len; i++) {
        if (visits->before)
            append_values(values, added, &at_added, visits_at(visits->added, i));
        append_values(values, own, &at_own, visits_at(visits->own, i));
        if (!visits->before)
            append_values(values, added, &at_added, visits_at(visits->added, i));
    }
    return values;
}

/* Of a loop's children: the rounds of its visits. */
static GArray *rounds_of(const GArray *counts, const GArray *visits)
{
    GArray *rounds = g_array_new(FALSE, FALSE, sizeof(guint64));
    guint64 at = 0;
    for (guint i = 0; i < visits->len; i++) {
        guint64 sum = 0;
        for (guint64 visit = 0; visit < visits_at(visits, i); visit++)
            sum += (guint64)g_array_index(counts, DtValue, at++);
        g_array_append_val(rounds, sum);
    }
    return rounds;
}

/* Visits of a node that does the same. */
static void take_in(DtTreeNode *node, const DtTreeNode *added, const Visits *visits)
{
    for (guint i = 0; node->children && i < node->children->len; i++) {
        g_autoptr(GArray) own = rounds_of(node->row[0], visits->own);
        g_autoptr(GArray) more = rounds_of(added->row[0], visits->added);
        const Visits inner = {own, more, visits->before};
        take_in(node->children->pdata[i], added->children->pdata[i], &inner);
    }
    for (guint i = 0; i < node->rows; i++) {
        if (!node->row[i])
            continue;
        GArray *values = interleaved(node->row[i], added->row[i], visits);
        g_array_unref(node->row[i]);
        node->row[i] = values;
    }
    for (guint i = 0; added->places && i < added->places->len; i++) {
        const DtPlaceCount *place = &g_array_index(added->places, DtPlaceCount, i);
        node->places = dt_place_counts_add(node->places, place->place, place->count);
    }
}

/* Children from `first` to `end` become, or are, a loop that goes round as before, and not at all where iterations were
 * taken in. */
static void make_optional(DtTreeBuilding *building, DtTreeNode *loop, guint first, guint end, const Visits *visits)
{
    static const DtValue once = 1, never = 0;
    g_autoptr(GArray) nevers = g_array_new(FALSE, FALSE, sizeof(DtValue));
    DtTreeNode *part = loop->children->pdata[first];
    for (guint i = 0; i < visits->added->len; i++)
        g_array_append_val(nevers, never);
    if (end - first > 1 || !part->children) {
        GPtrArray *children = g_ptr_array_new_with_free_func(dt_tree_node_free);
        for (guint i = first; i < end; i++)
            g_ptr_array_add(children, g_steal_pointer(&loop->children->pdata[i]));
        part = dt_tree_loop_new(building, children, 1);
        g_array_set_size(part->row[0], 0);
        for (guint i = 0; i < visits->own->len; i++)
            for (guint64 visit = 0; visit < visits_at(visits->own, i); visit++)
                g_array_append_val(part->row[0], once);
        loop->children->pdata[first] = part;
        g_ptr_array_remove_range(loop->children, first + 1, end - first - 1);
    }
    GArray *values = interleaved(part->row[0], nevers, visits);
    g_array_unref(part->row[0]);
    part->row[0] = values;
}

/* The siblings from `at` on do what the first children do, or, before the loop, what the last ones do: take them in. */
static void take_in_siblings(DtTreeBuilding *building, GPtrArray *nodes, guint loop_at, guint count, gboolean before)
{
    DtTreeNode *loop = nodes->pdata[loop_at];
    const guint all = loop->children->len, first = before ? loop_at - count : loop_at + 1;
    g_autoptr(GArray) own = g_array_new(FALSE, FALSE, sizeof(guint64));
    g_autoptr(GArray) added = g_array_new(FALSE, FALSE, sizeof(guint64));
    const Visits visits = {own, added, before};
    const guint64 once = 1;
    for (guint i = 0; i < loop->row[0]->len; i++) {
        guint64 rounds = (guint64)g_array_index(loop->row[0], DtValue, i)++;
        g_array_append_val(own, rounds);
        g_array_append_val(added, once);
    }
    for (guint i = 0; i < count; i++)
        take_in(loop->children->pdata[before ? all - count + i : i], nodes->pdata[first + i], &visits);
    make_optional(building, loop, before ? 0 : count, before ? all - count : all, &visits);
    loop->key = dt_tree_loop_key(building, loop->children);
    g_ptr_array_remove_range(nodes, first, count);
}

static guint32 key_at(const GPtrArray *nodes, guint i)
{
    return ((const DtTreeNode *)nodes->pdata[i])->key;
}

/* How many siblings before or behind a loop do what a part of its body does; 0: too few. */
static guint count_siblings(const GPtrArray *nodes, guint at, gboolean before)
{
    const GPtrArray *body = ((const DtTreeNode *)nodes->pdata[at])->children;
    for (guint count = body->len - 1; count > 0; count--) {
        guint same = 0, size = 0;
        if (before ? count > at : at + count >= nodes->len)
            continue;
        for (; same < count; same++) {
            guint sibling = before ? at - count + same : at + 1 + same;
            if (key_at(nodes, sibling) != key_at(body, before ? body->len - count + same : same))
                break;
            g_autoptr(GPtrArray) one = g_ptr_array_new();
            g_ptr_array_add(one, nodes->pdata[sibling]);
            size += dt_tree_size(one);
        }
        if (same == count && size >= LEAST_NODES)
            return count;
    }
    return 0;
}

void dt_tree_take_in_parts(DtTreeBuilding *building, GPtrArray *nodes)
{
    for (guint i = 0; i < nodes->len; i++) {
        DtTreeNode *node = nodes->pdata[i];
        if (!node->children)
            continue;
        dt_tree_take_in_parts(building, node->children);
        node->key = dt_tree_loop_key(building, node->children);
    }
    for (guint i = 0; i < nodes->len; i++) {
        if (!((const DtTreeNode *)nodes->pdata[i])->children)
            continue;
        guint before = count_siblings(nodes, i, TRUE);
        if (before) {
            take_in_siblings(building, nodes, i, before, TRUE);
            i -= before;
        }
        guint behind = before ? 0 : count_siblings(nodes, i, FALSE);
        if (behind)
            take_in_siblings(building, nodes, i, behind, FALSE);
    }
}
