#include "extrapolate/stages.h"

#include <string.h>

#include "format/arguments.h"
#include "skeleton/fields.h"

/* Calls of one function and communicator, by size: which single bits their peers differ in. */
typedef struct {
    guint64 any, all; /* bits of any rank, of all ranks */
    gboolean others;  /* peers that differ in several bits */
    guint ranks;
} BitsOfSize;

typedef struct {
    BitsOfSize *sizes;
    GHashTable *calls; /* numbers of those that differ in one bit, to all who make them */
} Group;

typedef struct {
    const DtSizes *sizes;
    const DtRecordedCalls *calls;
    GHashTable *groups; /* key -> Group */
} Finding;

static void free_group(gpointer data)
{
    Group *group = data;
    g_free(group->sizes);
    g_hash_table_unref(group->calls);
    g_free(group);
}

static Group *group_of(const Finding *finding, const DtRecordedCall *call, const char *communicator)
{
    g_autofree char *key = g_strdup_printf("%u %s", call->function, communicator);
    Group *group = g_hash_table_lookup(finding->groups, key);
    if (group)
        return group;
    group = g_new0(Group, 1);
    group->sizes = g_new0(BitsOfSize, finding->sizes->count);
    for (guint s = 0; s < finding->sizes->count; s++)
        group->sizes[s].all = G_MAXUINT64;
    group->calls = g_hash_table_new(NULL, NULL);
    g_hash_table_insert(finding->groups, g_steal_pointer(&key), group);
    return group;
}

static const char *communicator_of(const Finding *finding, const DtRecordedCall *call)
{
    for (guint i = 0; i < call->count; i++)
        if (call->fields[i].kind == DT_ARGUMENT_COMMUNICATOR && dt_value_is_atom(call->fields[i].value))
            return dt_atoms_text(finding->sizes->merged->atoms, call->fields[i].value);
    return NULL;
}

/* The bits in which the peers of a call differ from the rank; FALSE: not all peers are ranks, or it has none. */
static gboolean bits_of(const Finding *finding, const DtRecordedCall *call, guint place, const char *communicator,
                        guint64 *bits)
{
    const DtSpot spot = dt_sizes_spot(finding->sizes, place, communicator);
    gboolean any = FALSE;
    *bits = 0;
    for (guint i = 0; i < call->count; i++) {
        if (!dt_field_is_peer(call->fields[i].kind))
            continue;
        const DtValue distance = dt_sizes_distance(finding->sizes, place, communicator, call->fields[i].value);
        if (distance >= DT_PEER_NUMBERS)
            return FALSE;
        const gint64 peer = ((spot.rank + distance) % spot.ranks + spot.ranks) % spot.ranks;
        *bits |= (guint64)(spot.rank ^ peer);
        any = TRUE;
    }
    return any;
}

static gboolean is_single(guint64 bits)
{
    return bits != 0 && (bits & (bits - 1)) == 0;
}

static void clear_own(gpointer key, gpointer value, gpointer data)
{
    (void)key;
    *(guint64 *)value = 0;
    (void)data;
}

/* A rank's bits, group by group: `own`, Group -> guint64. */
static void look_at_rank(Finding *finding, const DtCallSequence *sequence, GHashTable *own, GHashTable *done)
{
    const guint size = g_array_index(finding->sizes->size_of, guint, sequence->rank);
    g_hash_table_remove_all(done);
    g_hash_table_foreach(own, clear_own, NULL);
    for (guint i = 0; i < sequence->calls->len; i++) {
        const guint32 number = g_array_index(sequence->calls, guint32, i);
        const DtRecordedCall *call = dt_recorded_call(finding->calls, number);
        const char *communicator;
        guint64 bits;
        if (!g_hash_table_add(done, GUINT_TO_POINTER(number)) || !(communicator = communicator_of(finding, call)) ||
            !bits_of(finding, call, sequence->rank, communicator, &bits))
            continue;
        Group *group = group_of(finding, call, communicator);
        guint64 *mask = g_hash_table_lookup(own, group);
        if (!mask)
            g_hash_table_insert(own, group, mask = g_new0(guint64, 1));
        if (is_single(bits)) {
            *mask |= bits;
            g_hash_table_add(group->calls, GUINT_TO_POINTER(number));
        } else {
            group->sizes[size].others = TRUE;
        }
    }
    GHashTableIter iter;
    gpointer group, mask;
    g_hash_table_iter_init(&iter, own);
    while (g_hash_table_iter_next(&iter, &group, &mask)) {
        BitsOfSize *sizes = &((Group *)group)->sizes[size];
        sizes->any |= *(guint64 *)mask;
        sizes->all &= *(guint64 *)mask;
        sizes->ranks++;
    }
}

/* The bits of places along the axis; of all ranks with axis `axes`. 0: its size is no power of two. */
static guint64 bits_along(const DtSpot *spot, guint axis)
{
    gint64 stride = 1, size = axis < spot->axes ? spot->size[axis] : spot->ranks;
    for (guint behind = spot->axes; axis < spot->axes && --behind > axis;)
        stride *= spot->size[behind];
    if ((size & (size - 1)) != 0 || (stride & (stride - 1)) != 0)
        return 0;
    return (guint64)(size - 1) * (guint64)stride;
}

static const DtSpot *spot_of_size(const DtSizes *sizes, guint size)
{
    guint place = 0;
    while (g_array_index(sizes->size_of, guint, place) != size)
        place++;
    return &g_array_index(sizes->spots, DtSpot, place);
}

/* All bits of an axis in each size, and not the same in all. */
static gboolean is_staged(const Finding *finding, const Group *group)
{
    const DtSizes *sizes = finding->sizes;
    const guint axes = spot_of_size(sizes, 0)->axes;
    for (guint axis = 0; axis <= axes; axis++) {
        guint least = G_MAXUINT, most = 0;
        gboolean fits = TRUE;
        for (guint s = 0; fits && s < sizes->count; s++) {
            const BitsOfSize *own = &group->sizes[s];
            const guint64 expected = bits_along(spot_of_size(sizes, s), axis);
            const guint count = (guint)__builtin_popcountll(expected);
            fits = expected != 0 && own->ranks > 0 && own->any == expected && (own->all == expected || !own->others);
            least = MIN(least, count);
            most = MAX(most, count);
        }
        if (fits && most > least)
            return TRUE;
    }
    return FALSE;
}

guint8 *dt_stages_find(const DtSizes *sizes, const DtRecordedCalls *calls, const GPtrArray *sequences)
{
    guint8 *rungs = g_new0(guint8, calls->calls->len + 1);
    g_autoptr(GHashTable) groups = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_group),
                          own = g_hash_table_new_full(NULL, NULL, NULL, g_free), done = g_hash_table_new(NULL, NULL);
    Finding finding = {sizes, calls, groups};
    for (guint i = 0; i < sequences->len; i++) {
        g_hash_table_remove_all(own);
        look_at_rank(&finding, sequences->pdata[i], own, done);
    }
    GHashTableIter iter, of_calls;
    gpointer group, call;
    g_hash_table_iter_init(&iter, groups);
    while (g_hash_table_iter_next(&iter, NULL, &group)) {
        if (!is_staged(&finding, group))
            continue;
        g_hash_table_iter_init(&of_calls, ((Group *)group)->calls);
        while (g_hash_table_iter_next(&of_calls, &call, NULL))
            rungs[GPOINTER_TO_UINT(call)] = DT_RUNG_PEERS;
    }
    return rungs;
}

/* ---- loops of one round ---------------------------------------------------------------------- */

typedef struct {
    const DtRecordedCalls *calls;
    const guint8 *rungs;
    GHashTable *bodies; /* text -> number of nodes */
    guint longest;
} Completing;

/* What is the same to all visits. Gives whether a call in it is of a stage. */
static gboolean append_shape(const Completing *completing, const DtTreeNode *node, GString *text)
{
    if (node->children) {
        gboolean staged = FALSE;
        g_string_append(text, "L(");
        for (guint i = 0; i < node->children->len; i++)
            staged |= append_shape(completing, node->children->pdata[i], text);
        g_string_append_c(text, ')');
        return staged;
    }
    const DtRecordedCall *call = dt_recorded_call(completing->calls, node->call);
    const guint8 rung = completing->rungs[node->call];
    g_string_append_printf(text, "C%u", call->function);
    for (guint i = 0; i < call->count; i++) {
        g_string_append_printf(text, " %u", call->fields[i].kind);
        if (!dt_field_is_aside(call->fields[i].kind, (DtRung)rung))
            g_string_append_printf(text, "=%" G_GINT64_FORMAT, call->fields[i].value);
    }
    g_string_append_c(text, ';');
    return rung == DT_RUNG_PEERS;
}

static void note_bodies(Completing *completing, const GPtrArray *nodes)
{
    for (guint i = 0; i < nodes->len; i++) {
        DtTreeNode *node = nodes->pdata[i];
        if (!node->children)
            continue;
        g_autoptr(GString) text = g_string_new(NULL);
        gboolean staged = FALSE;
        for (guint k = 0; k < node->children->len; k++)
            if (!((const DtTreeNode *)node->children->pdata[k])->children)
                staged |= append_shape(completing, node->children->pdata[k], text);
            else
                append_shape(completing, node->children->pdata[k], text);
        node->is_whole |= staged;
        if (staged) {
            g_hash_table_insert(completing->bodies, g_strdup(text->str), GUINT_TO_POINTER(node->children->len));
            completing->longest = MAX(completing->longest, node->children->len);
        }
        note_bodies(completing, node->children);
    }
}

static gboolean is_body(const Completing *completing, const GPtrArray *nodes, guint at, guint count)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < count; i++)
        append_shape(completing, nodes->pdata[at + i], text);
    return GPOINTER_TO_UINT(g_hash_table_lookup(completing->bodies, text->str)) == count;
}

/* In a list that is visited so many times. */
static DtTreeNode *loop_of(GPtrArray *nodes, guint at, guint count, guint visits)
{
    DtTreeNode *loop = g_new0(DtTreeNode, 1);
    const DtValue once = 1;
    loop->children = g_ptr_array_new_with_free_func(dt_tree_node_free);
    for (guint i = 0; i < count; i++)
        g_ptr_array_add(loop->children, g_steal_pointer(&nodes->pdata[at + i]));
    loop->is_whole = TRUE;
    loop->rows = 1;
    loop->row = g_new0(GArray *, 2);
    loop->row[0] = g_array_new(FALSE, FALSE, sizeof(DtValue));
    for (guint i = 0; i < visits; i++)
        g_array_append_val(loop->row[0], once);
    return loop;
}

static guint64 rounds_of(const DtTreeNode *loop)
{
    guint64 sum = 0;
    for (guint i = 0; i < loop->row[0]->len; i++)
        sum += (guint64)MAX(g_array_index(loop->row[0], DtValue, i), 0);
    return sum;
}

static void complete(const Completing *completing, GPtrArray *nodes, gboolean is_own_body, guint64 visits)
{
    for (guint i = 0; i < nodes->len; i++) {
        DtTreeNode *node = nodes->pdata[i];
        if (node->children)
            complete(completing, node->children, is_body(completing, node->children, 0, node->children->len),
                     rounds_of(node));
    }
    if (is_own_body || visits > G_MAXINT32)
        return;
    for (guint at = 0; at < nodes->len; at++)
        for (guint count = MIN(completing->longest, nodes->len - at); count > 0; count--) {
            if (!is_body(completing, nodes, at, count))
                continue;
            DtTreeNode *loop = loop_of(nodes, at, count, (guint)visits);
            nodes->pdata[at] = loop;
            if (count > 1) {
                GPtrArray *gone = g_ptr_array_new();
                for (guint i = at + count; i < nodes->len; i++)
                    g_ptr_array_add(gone, g_steal_pointer(&nodes->pdata[i]));
                g_ptr_array_set_size(nodes, (gint)at + 1);
                for (guint i = 0; i < gone->len; i++)
                    g_ptr_array_add(nodes, gone->pdata[i]);
                g_ptr_array_unref(gone);
            }
            break;
        }
}

void dt_stages_complete(const DtRecordedCalls *calls, const guint8 *rungs, GPtrArray *trees)
{
    g_autoptr(GHashTable) bodies = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    Completing completing = {calls, rungs, bodies, 0};
    for (guint i = 0; i < trees->len; i++)
        note_bodies(&completing, ((const DtClassTree *)trees->pdata[i])->nodes);
    for (guint i = 0; i < trees->len && completing.longest > 0; i++)
        complete(&completing, ((const DtClassTree *)trees->pdata[i])->nodes, FALSE, 1);
}
