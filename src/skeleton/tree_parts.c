#include "skeleton/tree_building.h"

enum { LEAST_NODES = 4 /* that are saved */, MOST_BETWEEN = 4 /* siblings that come in some iterations only */ };

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
        for (guint64 visit = 0; visit < visits_at(visits->added, i); visit++)
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

/* ---- iterations with something in between, or without ------------------------------------------- */

/* An iteration: these nodes, which are siblings of the loop, or the body of one of them. */
typedef struct {
    GPtrArray *nodes;
    guint first, count;
} Iteration;

/* The body, or the iteration, has so many nodes in between that the other one has not. */
typedef struct {
    guint at, count;
    gboolean in_body;
} Gap;

static gboolean find_gap(const GPtrArray *body, const Iteration *iteration, Gap *gap)
{
    const guint all = body->len, count = iteration->count, least = MIN(all, count);
    guint same = 0, behind = 0;
    while (same < least && key_at(body, same) == key_at(iteration->nodes, iteration->first + same))
        same++;
    while (behind < least - same &&
           key_at(body, all - 1 - behind) == key_at(iteration->nodes, iteration->first + count - 1 - behind))
        behind++;
    *gap = (Gap){same, all > count ? all - count : count - all, all > count};
    return all != count && same > 0 && behind > 0 && same + behind == least;
}

static guint size_between(const GPtrArray *nodes, guint first, guint count)
{
    g_autoptr(GPtrArray) some = g_ptr_array_new();
    for (guint i = 0; i < count; i++)
        g_ptr_array_add(some, nodes->pdata[first + i]);
    return dt_tree_size(some);
}

/* What the iteration has in between becomes a loop that goes round 0 times in the loop's own rounds. */
static void insert_optional(DtTreeBuilding *building, DtTreeNode *loop, const Iteration *iteration, const Gap *gap,
                            const Visits *visits)
{
    static const DtValue once = 1, never = 0;
    const guint first = iteration->first + gap->at;
    g_autoptr(GArray) nevers = g_array_new(FALSE, FALSE, sizeof(DtValue));
    DtTreeNode *part = iteration->nodes->pdata[first];
    if (gap->count == 1 && part->children) {
        iteration->nodes->pdata[first] = NULL;
    } else {
        GPtrArray *children = g_ptr_array_new_with_free_func(dt_tree_node_free);
        for (guint i = 0; i < gap->count; i++)
            g_ptr_array_add(children, g_steal_pointer(&iteration->nodes->pdata[first + i]));
        part = dt_tree_loop_new(building, children, 1);
        g_array_set_size(part->row[0], 0);
        for (guint i = 0; i < visits->added->len; i++)
            for (guint64 visit = 0; visit < visits_at(visits->added, i); visit++)
                g_array_append_val(part->row[0], once);
    }
    for (guint i = 0; i < visits->own->len; i++)
        for (guint64 visit = 0; visit < visits_at(visits->own, i); visit++)
            g_array_append_val(nevers, never);
    GArray *values = interleaved(nevers, part->row[0], visits);
    g_array_unref(part->row[0]);
    part->row[0] = values;
    g_ptr_array_insert(loop->children, (gint)gap->at, part);
}

/* The iteration, which comes `added` times (element-type guint64) in each visit, becomes one of the loop's. */
static void take_in_iteration(DtTreeBuilding *building, DtTreeNode *loop, const Iteration *iteration, const Gap *gap,
                              GArray *added, gboolean before)
{
    g_autoptr(GArray) own = g_array_new(FALSE, FALSE, sizeof(guint64));
    const Visits visits = {own, added, before};
    for (guint i = 0; i < loop->row[0]->len; i++) {
        guint64 rounds = (guint64)g_array_index(loop->row[0], DtValue, i);
        g_array_append_val(own, rounds);
        g_array_index(loop->row[0], DtValue, i) += (DtValue)visits_at(added, i);
    }
    for (guint i = 0; i < loop->children->len; i++) {
        const guint other = i < gap->at ? i : gap->in_body ? i - gap->count : i + gap->count;
        if (i < gap->at || !gap->in_body || i >= gap->at + gap->count)
            take_in(loop->children->pdata[i], iteration->nodes->pdata[iteration->first + other], &visits);
    }
    if (gap->in_body)
        make_optional(building, loop, gap->at, gap->at + gap->count, &visits);
    else
        insert_optional(building, loop, iteration, gap, &visits);
    loop->key = dt_tree_loop_key(building, loop->children);
}

/* Siblings before or behind the loop that are one iteration, but for something in between, which saves enough. */
static gboolean find_iteration(GPtrArray *nodes, guint at, gboolean before, Iteration *iteration, Gap *gap)
{
    const GPtrArray *body = ((const DtTreeNode *)nodes->pdata[at])->children;
    const guint there = before ? at : nodes->len - at - 1;
    for (guint between = 1; between <= MOST_BETWEEN; between++)
        for (guint more = 0; more < 2; more++) {
            if ((!more && body->len < between + 2) || (more && body->len + between > there) || body->len < 2)
                continue;
            const guint count = more ? body->len + between : body->len - between;
            if (count > there)
                continue;
            *iteration = (Iteration){nodes, before ? at - count : at + 1, count};
            if (find_gap(body, iteration, gap) &&
                size_between(nodes, iteration->first, count) >=
                    LEAST_NODES + 1 + (gap->in_body ? 0 : size_between(nodes, iteration->first + gap->at, gap->count)))
                return TRUE;
        }
    return FALSE;
}

static gboolean take_in_siblings_between(DtTreeBuilding *building, GPtrArray *nodes, guint *at, gboolean before)
{
    Iteration iteration;
    Gap gap;
    if (!find_iteration(nodes, *at, before, &iteration, &gap))
        return FALSE;
    DtTreeNode *loop = nodes->pdata[*at];
    const guint64 once = 1;
    g_autoptr(GArray) added = g_array_new(FALSE, FALSE, sizeof(guint64));
    for (guint i = 0; i < loop->row[0]->len; i++)
        g_array_append_val(added, once);
    take_in_iteration(building, loop, &iteration, &gap, added, before);
    g_ptr_array_remove_range(nodes, iteration.first, iteration.count);
    *at -= before ? iteration.count : 0;
    return TRUE;
}

static gboolean is_optional(const DtTreeNode *node)
{
    for (guint i = 0; node->children && i < node->row[0]->len; i++)
        if (g_array_index(node->row[0], DtValue, i) == 0)
            return TRUE;
    return FALSE;
}

/* A loop beside the loop that does the same but for what comes in some iterations only. */
static gboolean take_in_loop(DtTreeBuilding *building, GPtrArray *nodes, guint *at, gboolean before)
{
    Gap gap;
    if (before ? *at == 0 : *at + 1 >= nodes->len)
        return FALSE;
    const guint place = before ? *at - 1 : *at + 1;
    DtTreeNode *loop = nodes->pdata[*at], *other = nodes->pdata[place];
    const Iteration iteration = {other->children, 0, other->children ? other->children->len : 0};
    if (!other->children || !find_gap(loop->children, &iteration, &gap) || !gap.in_body || gap.count != 1 ||
        !is_optional(loop->children->pdata[gap.at]))
        return FALSE;
    g_autoptr(GArray) added = g_array_new(FALSE, FALSE, sizeof(guint64));
    for (guint i = 0; i < other->row[0]->len; i++) {
        guint64 rounds = (guint64)g_array_index(other->row[0], DtValue, i);
        g_array_append_val(added, rounds);
    }
    take_in_iteration(building, loop, &iteration, &gap, added, before);
    g_ptr_array_remove_index(nodes, place);
    *at -= before ? 1 : 0;
    return TRUE;
}

/* A loop of which only a loop is left is that loop. */
static void join_loops(DtTreeNode *outer)
{
    DtTreeNode *inner = outer->children->pdata[0];
    g_autoptr(GArray) rounds = g_array_new(FALSE, FALSE, sizeof(guint64));
    for (guint i = 0; i < outer->row[0]->len; i++) {
        guint64 count = (guint64)g_array_index(outer->row[0], DtValue, i);
        g_array_append_val(rounds, count);
    }
    g_autoptr(GArray) sums = rounds_of(inner->row[0], rounds);
    for (guint i = 0; i < sums->len; i++)
        g_array_index(outer->row[0], DtValue, i) = (DtValue)visits_at(sums, i);
    GPtrArray *children = g_steal_pointer(&inner->children);
    g_ptr_array_unref(outer->children);
    outer->children = children;
}

/* ---- iterations of which only an end is there ----------------------------------------------------- */

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

/* `repeated`: the nodes are a body. What comes once is no matter of some iterations. */
static void take_in_parts(DtTreeBuilding *building, GPtrArray *nodes, gboolean repeated)
{
    for (guint i = 0; i < nodes->len; i++) {
        DtTreeNode *node = nodes->pdata[i];
        if (!node->children)
            continue;
        const guint before = node->children->len;
        take_in_parts(building, node->children, TRUE);
        if (before > 1 && node->children->len == 1 && ((const DtTreeNode *)node->children->pdata[0])->children)
            join_loops(node);
        node->key = dt_tree_loop_key(building, node->children);
    }
    for (guint i = 0; i < nodes->len; i++) {
        if (!((const DtTreeNode *)nodes->pdata[i])->children)
            continue;
        while ((repeated && (take_in_siblings_between(building, nodes, &i, TRUE) ||
                             take_in_siblings_between(building, nodes, &i, FALSE))) ||
               take_in_loop(building, nodes, &i, TRUE) || take_in_loop(building, nodes, &i, FALSE))
            ;
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

void dt_tree_take_in_parts(DtTreeBuilding *building, GPtrArray *nodes)
{
    take_in_parts(building, nodes, FALSE);
}
