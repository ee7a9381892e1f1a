#include "skeleton/merge.h"

#include <string.h>

#include "calls/calls.h"
#include "format/arguments.h"
#include "skeleton/alignment.h"

/* What alike calls weigh. */
enum {
    SAME = 8,
    ALIKE = 1,
    SAME_COMMUNICATOR = 1,
    SAME_TAG = 2,
    SAME_PEERS = 2,
    COLLECTIVE = 16,
    FEW = 4,
    FEW_INSIDE = 3
};

/* A node that is to be aligned. */
typedef struct Merged Merged;
struct Merged {
    DtSkeletonNode *node;
    GPtrArray *children; /* Merged; NULL: a call */
    GArray *calls;       /* guint32: those that it stands for, without what was put aside */
    GArray *places;      /* DtPlaceCount */
    guint weight, size;
};

typedef struct {
    DtSkeleton *skeleton;
    const DtRecordedCalls *calls;
    GHashTable *scores; /* pairs of loops -> score + 1 */
    gboolean anchors;   /* only collectives are alike */
} Merging;

void dt_skeleton_node_free(gpointer data)
{
    DtSkeletonNode *node = data;
    if (!node)
        return;
    g_array_unref(node->fields);
    g_clear_pointer(&node->children, g_ptr_array_unref);
    g_clear_pointer(&node->times, g_array_unref);
    g_free(node->comment);
    g_free(node);
}

static void clear_field(gpointer data)
{
    g_array_unref(((DtField *)data)->pieces);
}

static void clear_piece(gpointer data)
{
    dt_row_free(((DtPiece *)data)->row);
}

static void free_merged(gpointer data)
{
    Merged *merged = data;
    if (!merged)
        return;
    dt_skeleton_node_free(merged->node);
    g_clear_pointer(&merged->children, g_ptr_array_unref);
    g_array_unref(merged->calls);
    g_clear_pointer(&merged->places, g_array_unref);
    g_free(merged);
}

/* ---- from the tree of a class ---------------------------------------------------------------- */

static void add_field(DtSkeletonNode *node, guint kind, DtRow *row)
{
    DtField field = {kind, g_array_new(FALSE, FALSE, sizeof(DtPiece))};
    DtPiece piece = {node->on, row};
    g_array_set_clear_func(field.pieces, clear_piece);
    g_array_append_val(field.pieces, piece);
    g_array_append_val(node->fields, field);
}

/* Of every `step`th visit from `first` on; one value if it is always the same. */
static DtRow *row_of(const GArray *values, guint first, guint step)
{
    g_autoptr(GArray) own = g_array_new(FALSE, FALSE, sizeof(DtValue));
    guint same = 0;
    for (guint i = first; i < values->len; i += step)
        g_array_append_val(own, g_array_index(values, DtValue, i));
    const DtValue *value = (const DtValue *)(gconstpointer)own->data;
    while (same < own->len && value[same] == value[0])
        same++;
    return dt_row_fold(value, same == own->len ? 1 : own->len);
}

DtSkeletonNode *dt_skeleton_node_new(const DtRankSet *on, guint function)
{
    DtSkeletonNode *node = g_new0(DtSkeletonNode, 1);
    node->on = on;
    node->function = function;
    node->fields = g_array_new(FALSE, FALSE, sizeof(DtField));
    g_array_set_clear_func(node->fields, clear_field);
    return node;
}

static guint weight_of(const Merging *merging, guint function)
{
    const struct dt_call *call = dt_call_find(merging->skeleton->functions->pdata[function]);
    return call && call->properties & DT_CALL_COLLECTIVE ? COLLECTIVE : 1;
}

static void add_places(Merged *merged, const GArray *places, guint64 times)
{
    for (guint i = 0; places && i < places->len; i++) {
        const DtPlaceCount *own = &g_array_index(places, DtPlaceCount, i);
        merged->places = dt_place_counts_add(merged->places, own->place, times * own->count);
    }
}

/* Of every `step`th visit from `first` on. */
static Merged *merged_call(const Merging *merging, const DtTreeNode *tree, guint first, guint step, const DtRankSet *on)
{
    const DtRecordedCall *call = dt_recorded_call(merging->calls, tree->call);
    Merged *merged = g_new0(Merged, 1);
    merged->node = dt_skeleton_node_new(on, call->function);
    merged->calls = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_array_append_val(merged->calls, tree->call);
    merged->weight = weight_of(merging, call->function);
    merged->size = 1;
    add_places(merged, tree->places, dt_rank_set_count(on));
    for (guint i = 0; i < call->count; i++) {
        const DtCallField *field = &call->fields[i];
        add_field(merged->node, field->kind,
                  tree->row[i] ? row_of(tree->row[i], first, step) : dt_row_fold(&field->value, 1));
    }
    return merged;
}

static GPtrArray *merged_nodes(const Merging *merging, const GPtrArray *nodes, const DtRankSet *on, gboolean top);

static guint size_of(const GPtrArray *nodes)
{
    guint size = 0;
    for (guint i = 0; i < nodes->len; i++)
        size += ((const Merged *)nodes->pdata[i])->size;
    return size;
}

static Merged *merged_loop(const Merging *merging, const DtTreeNode *tree, const DtRankSet *on)
{
    Merged *merged = g_new0(Merged, 1);
    merged->node = dt_skeleton_node_new(on, G_MAXUINT);
    merged->calls = g_array_new(FALSE, FALSE, sizeof(guint32));
    merged->children = merged_nodes(merging, tree->children, on, FALSE);
    merged->size = 1 + size_of(merged->children);
    add_field(merged->node, DT_FIELD_TIMES, row_of(tree->row[0], 0, 1));
    return merged;
}

/* Few calls of one kind in a row are written out: they align better, and read better. Gives how many; 0: it is not
 * that.
 */
static guint is_short(const DtTreeNode *node, gboolean top)
{
    if (!node->children || node->is_whole || node->children->len != 1 ||
        ((const DtTreeNode *)node->children->pdata[0])->children)
        return 0;
    DtValue times = g_array_index(node->row[0], DtValue, 0);
    for (guint i = 1; i < node->row[0]->len; i++)
        if (g_array_index(node->row[0], DtValue, i) != times)
            return 0;
    return times <= (top ? FEW : FEW_INSIDE) ? (guint)times : 0;
}

static GPtrArray *merged_nodes(const Merging *merging, const GPtrArray *nodes, const DtRankSet *on, gboolean top)
{
    GPtrArray *merged = g_ptr_array_new_with_free_func(free_merged);
    for (guint i = 0; i < nodes->len; i++) {
        const DtTreeNode *node = nodes->pdata[i];
        guint few = is_short(node, top);
        for (guint visit = 0; visit < few; visit++)
            g_ptr_array_add(merged, merged_call(merging, node->children->pdata[0], visit, few, on));
        if (!few)
            g_ptr_array_add(merged,
                            node->children ? merged_loop(merging, node, on) : merged_call(merging, node, 0, 1, on));
    }
    return merged;
}

/* ---- how alike ------------------------------------------------------------------------------- */

static const DtCallField *find_field(const DtRecordedCall *call, guint kind)
{
    for (guint i = 0; i < call->count; i++)
        if (call->fields[i].kind == kind)
            return &call->fields[i];
    return NULL;
}

static gboolean agree(const DtRecordedCall *a, const DtRecordedCall *b, guint kind)
{
    const DtCallField *one = find_field(a, kind), *other = find_field(b, kind);
    return one && other ? one->value == other->value : one == other;
}

/* But for what a call found out, which may be told of some ranks only. */
static gboolean same_fields(const GArray *a, const GArray *b)
{
    guint i = 0, k = 0;
    for (;; i++, k++) {
        while (i < a->len && g_array_index(a, DtField, i).kind >= DT_FIELD_SOURCE)
            i++;
        while (k < b->len && g_array_index(b, DtField, k).kind >= DT_FIELD_SOURCE)
            k++;
        if (i == a->len || k == b->len)
            return i == a->len && k == b->len;
        if (g_array_index(a, DtField, i).kind != g_array_index(b, DtField, k).kind)
            return FALSE;
    }
}

static gboolean share_a_call(const Merged *a, const Merged *b)
{
    for (guint i = 0; i < a->calls->len; i++)
        for (guint k = 0; k < b->calls->len; k++)
            if (g_array_index(a->calls, guint32, i) == g_array_index(b->calls, guint32, k))
                return TRUE;
    return FALSE;
}

/* Two different directions in the mesh stand by themselves: pieces of them are hard to read. */
static gboolean are_other_steps(const DtRecordedCall *a, const DtRecordedCall *b, guint kind)
{
    const DtCallField *one = find_field(a, kind), *other = find_field(b, kind);
    return one && other && one->value != other->value && dt_peer_axes(one->value) > 0 && dt_peer_axes(other->value) > 0;
}

static guint score_calls(const Merging *merging, const Merged *a, const Merged *b)
{
    if (a->node->function != b->node->function || !same_fields(a->node->fields, b->node->fields))
        return 0;
    if (merging->anchors && a->weight != COLLECTIVE)
        return 0;
    if (share_a_call(a, b))
        return SAME * a->weight;
    const DtRecordedCall *one = dt_recorded_call(merging->calls, g_array_index(a->calls, guint32, 0)),
                         *other = dt_recorded_call(merging->calls, g_array_index(b->calls, guint32, 0));
    guint score = ALIKE * a->weight;
    if (are_other_steps(one, other, DT_ARGUMENT_TO) || are_other_steps(one, other, DT_ARGUMENT_FROM))
        return 0;
    if (!agree(one, other, DT_ARGUMENT_COMMUNICATOR))
        return a->weight == COLLECTIVE ? 0 : score;
    score += SAME_COMMUNICATOR;
    score += agree(one, other, DT_ARGUMENT_TAG) ? SAME_TAG : 0;
    score += agree(one, other, DT_ARGUMENT_TO) && agree(one, other, DT_ARGUMENT_FROM) ? SAME_PEERS : 0;
    return score;
}

static guint align(Merging *merging, const GPtrArray *a, const GPtrArray *b, GArray *pairs);

static guint score(Merging *merging, const Merged *a, const Merged *b)
{
    if (!a->children || !b->children)
        return a->children || b->children ? 0 : score_calls(merging, a, b);
    g_autofree char *key = g_strdup_printf("%p %p", (const void *)a, (const void *)b);
    guint known = GPOINTER_TO_UINT(g_hash_table_lookup(merging->scores, key));
    if (known)
        return known - 1;
    /* Half of what the smaller one could have is needed. */
    guint found = align(merging, a->children, b->children, NULL);
    guint needed = SAME / 2 * (MIN(a->size, b->size) - 1);
    found = found >= needed ? found : 0;
    g_hash_table_insert(merging->scores, g_steal_pointer(&key), GUINT_TO_POINTER(found + 1));
    return found;
}

/* What is to be aligned; functions stand by themselves, as most pairs are none because of them. */
typedef struct {
    Merging *merging;
    const GPtrArray *a, *b;
    guint *function_of_a, *function_of_b;
} Aligning;

static guint score_pair(gpointer data, guint a, guint b)
{
    const Aligning *aligning = data;
    if (aligning->function_of_a[a] != aligning->function_of_b[b])
        return 0;
    return score(aligning->merging, aligning->a->pdata[a], aligning->b->pdata[b]);
}

static guint *functions_of(const GPtrArray *nodes)
{
    guint *functions = g_new(guint, nodes->len + 1);
    for (guint i = 0; i < nodes->len; i++)
        functions[i] = ((const Merged *)nodes->pdata[i])->node->function;
    return functions;
}

/* `pairs` may be NULL. */
static guint align(Merging *merging, const GPtrArray *a, const GPtrArray *b, GArray *pairs)
{
    g_autofree guint *function_of_a = functions_of(a), *function_of_b = functions_of(b);
    Aligning aligning = {merging, a, b, function_of_a, function_of_b};
    return dt_alignment(a->len, b->len, score_pair, &aligning, pairs);
}

/* ---- joining --------------------------------------------------------------------------------- */

/* Adds the pieces of another field of the kind; ranks with the same row share a piece. */
static void join_pieces(Merging *merging, DtField *field, DtField *other)
{
    for (guint i = 0; i < other->pieces->len; i++) {
        DtPiece *piece = &g_array_index(other->pieces, DtPiece, i);
        gboolean known = FALSE;
        for (guint k = 0; !known && k < field->pieces->len; k++) {
            DtPiece *own = &g_array_index(field->pieces, DtPiece, k);
            known = dt_row_equal(own->row, piece->row);
            if (known)
                own->on = dt_rank_set_union(merging->skeleton->sets, own->on, piece->on);
        }
        if (known)
            continue;
        g_array_append_vals(field->pieces, piece, 1);
        piece->row = NULL;
    }
}

static void join_fields(Merging *merging, DtSkeletonNode *node, DtSkeletonNode *other)
{
    guint at = 0;
    for (guint i = 0; i < other->fields->len; i++) {
        DtField *field = &g_array_index(other->fields, DtField, i);
        guint k = at;
        while (k < node->fields->len && g_array_index(node->fields, DtField, k).kind != field->kind)
            k++;
        if (k < node->fields->len) {
            join_pieces(merging, &g_array_index(node->fields, DtField, k), field);
            at = k + 1;
            continue;
        }
        /* What some calls found out only. */
        DtField added = {field->kind, g_array_ref(field->pieces)};
        guint place = node->fields->len;
        while (place > at && g_array_index(node->fields, DtField, place - 1).kind > field->kind &&
               g_array_index(node->fields, DtField, place - 1).kind >= DT_FIELD_SOURCE)
            place--;
        g_array_insert_val(node->fields, place, added);
    }
}

static GPtrArray *merge(Merging *merging, GPtrArray *a, GPtrArray *b);

/* Takes over `b`. */
static void join(Merging *merging, Merged *a, Merged *b)
{
    join_fields(merging, a->node, b->node);
    add_places(a, b->places, 1);
    a->node->on = dt_rank_set_union(merging->skeleton->sets, a->node->on, b->node->on);
    for (guint i = 0; i < b->calls->len; i++) {
        guint32 call = g_array_index(b->calls, guint32, i);
        gboolean known = FALSE;
        for (guint k = 0; !known && k < a->calls->len; k++)
            known = g_array_index(a->calls, guint32, k) == call;
        if (!known)
            g_array_append_val(a->calls, call);
    }
    if (a->children) {
        a->children = merge(merging, a->children, g_steal_pointer(&b->children));
        a->size = 1 + size_of(a->children);
    }
    free_merged(b);
}

/* Nodes that are aligned, with those in them. */
static guint covered(Merging *merging, const GPtrArray *a, const GPtrArray *b, const GArray *pairs)
{
    guint size = 0;
    for (guint i = 0; i < pairs->len; i++) {
        const DtAlignedPair *pair = &g_array_index(pairs, DtAlignedPair, i);
        const Merged *one = a->pdata[pair->a], *other = b->pdata[pair->b];
        g_autoptr(GArray) inner = g_array_new(FALSE, FALSE, sizeof(DtAlignedPair));
        size += 1;
        if (!one->children)
            continue;
        align(merging, one->children, other->children, inner);
        size += covered(merging, one->children, other->children, inner);
    }
    return size;
}

/* Takes over both. If less than half of the smaller one has its like in the other one, these do different things: they
 * stand one behind the other between the collectives that they have in common. */
static GPtrArray *merge(Merging *merging, GPtrArray *a, GPtrArray *b)
{
    g_autoptr(GArray) pairs = g_array_new(FALSE, FALSE, sizeof(DtAlignedPair));
    GPtrArray *merged = g_ptr_array_new_with_free_func(free_merged);
    align(merging, a, b, pairs);
    if (!merging->anchors && 2 * covered(merging, a, b, pairs) < MIN(size_of(a), size_of(b))) {
        g_hash_table_remove_all(merging->scores);
        g_array_set_size(pairs, 0);
        merging->anchors = TRUE;
        align(merging, a, b, pairs);
        g_hash_table_remove_all(merging->scores);
        merging->anchors = FALSE;
    }
    DtAlignedPair end = {a->len, b->len};
    g_array_append_val(pairs, end);
    guint i = 0, k = 0;
    for (guint p = 0; p < pairs->len; p++) {
        DtAlignedPair pair = g_array_index(pairs, DtAlignedPair, p);
        for (; i < pair.a; i++)
            g_ptr_array_add(merged, g_steal_pointer(&a->pdata[i]));
        for (; k < pair.b; k++)
            g_ptr_array_add(merged, g_steal_pointer(&b->pdata[k]));
        if (i == a->len || k == b->len)
            continue;
        Merged *own = g_steal_pointer(&a->pdata[i++]);
        join(merging, own, g_steal_pointer(&b->pdata[k++]));
        g_ptr_array_add(merged, own);
    }
    g_ptr_array_unref(a);
    g_ptr_array_unref(b);
    return merged;
}

/* ---- all classes ----------------------------------------------------------------------------- */

/* The place of more than half of the visits, if there is one. */
static char *commonest_place(const DtRecordedCalls *calls, const GArray *places)
{
    guint64 all = 0;
    for (guint i = 0; places && i < places->len; i++)
        all += g_array_index(places, DtPlaceCount, i).count;
    for (guint i = 0; places && i < places->len; i++) {
        const DtPlaceCount *own = &g_array_index(places, DtPlaceCount, i);
        if (2 * own->count > all)
            return own->place ? g_strdup(calls->places->pdata[own->place]) : NULL;
    }
    return NULL;
}

static GPtrArray *nodes_of(const DtRecordedCalls *calls, GPtrArray *merged)
{
    GPtrArray *nodes = g_ptr_array_new_with_free_func(dt_skeleton_node_free);
    for (guint i = 0; i < merged->len; i++) {
        Merged *own = merged->pdata[i];
        if (own->children)
            own->node->children = nodes_of(calls, own->children);
        own->node->comment = commonest_place(calls, own->places);
        g_ptr_array_add(nodes, g_steal_pointer(&own->node));
    }
    return nodes;
}

typedef struct {
    guint class, size;
} Order;

static gint compare_sizes(gconstpointer first, gconstpointer second)
{
    const Order *a = first, *b = second;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a->class < b->class ? -1 : a->class > b->class;
}

GPtrArray *dt_merge_classes(DtSkeleton *skeleton, const DtRecordedCalls *calls, const GPtrArray *trees,
                            const DtRankSet *const *on)
{
    g_autofree Order *order = g_new(Order, trees->len + 1);
    GPtrArray *all = NULL;
    for (guint i = 0; i < trees->len; i++)
        order[i] = (Order){i, dt_tree_size(((const DtClassTree *)trees->pdata[i])->nodes)};
    qsort(order, trees->len, sizeof *order, compare_sizes);
    for (guint i = 0; i < trees->len; i++) {
        /* Scores are of nodes as they are: joined ones are others. */
        g_autoptr(GHashTable) scores = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        Merging merging = {.skeleton = skeleton, .calls = calls, .scores = scores};
        const DtClassTree *tree = trees->pdata[order[i].class];
        GPtrArray *own = merged_nodes(&merging, tree->nodes, on[order[i].class], TRUE);
        all = all ? merge(&merging, all, own) : own;
    }
    if (!all)
        return g_ptr_array_new_with_free_func(dt_skeleton_node_free);
    GPtrArray *nodes = nodes_of(calls, all);
    g_ptr_array_unref(all);
    return nodes;
}
