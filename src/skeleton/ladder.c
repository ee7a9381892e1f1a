/* What is put aside of a rank's calls: first of all of them, then of each group by itself. */
#include <string.h>

#include "format/arguments.h"
#include "skeleton/class_tree.h"
#include "skeleton/fields.h"

/* What other ranks have in other rows stands there once for each of them. */
enum {
    NODE_COST = 3,
    PART_COST = 1,
    PART_COST_IN_GROUPS = 2,
    MOST_TRIED = 1 << 20 /* calls, of all trees for groups */,
    MOST_COST = 6000 /* of a tree that groups may make better; a larger one is of a program without structure */
};

/* Calls that are put aside together: of one function and communicator, whose peers are told in one way; and of one tag.
 */
typedef struct {
    guint function, forms;
    DtValue communicator, tag;
    gboolean by_tag;
    GArray *members; /* numbers of calls (element-type guint32) */
} Group;

typedef struct {
    const DtRecordedCalls *calls;
    const DtCallSequence *sequence;
    guint8 *rungs;     /* by call */
    DtClassTree *tree; /* with these */
    guint cost;
    guint64 tried;
} Ladder;

/* ---- what it takes --------------------------------------------------------------------------- */

static gboolean is_constant(const GArray *row)
{
    for (guint i = 1; i < row->len; i++)
        if (g_array_index(row, DtValue, i) != g_array_index(row, DtValue, 0))
            return FALSE;
    return TRUE;
}

static guint row_cost(const GArray *row)
{
    if (!row || is_constant(row))
        return 0;
    g_autoptr(DtRow) folded = dt_row_fold((const DtValue *)(gconstpointer)row->data, row->len);
    return dt_row_size(folded);
}

/* Of all nodes, or only of calls that `among` has by number; `row_part`: of a part of a row. */
static guint cost_of(const GPtrArray *nodes, guint row_part, const guint8 *among)
{
    guint cost = 0;
    for (guint i = 0; i < nodes->len; i++) {
        const DtTreeNode *node = nodes->pdata[i];
        cost += node->children ? cost_of(node->children, row_part, among) : 0;
        if (among && (node->children || !among[node->call]))
            continue;
        cost += NODE_COST;
        for (guint k = 0; k < node->rows; k++)
            cost += row_part * row_cost(node->row[k]);
    }
    return cost;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void find_group_of(const DtRecordedCall *call, gboolean by_tag, Group *group)
{
    *group = (Group){.function = call->function, .communicator = -1, .tag = -1, .by_tag = by_tag};
    for (guint i = 0; i < call->count; i++) {
        const DtCallField *field = &call->fields[i];
        if (field->kind == DT_ARGUMENT_COMMUNICATOR)
            group->communicator = field->value;
        if (by_tag && field->kind == DT_ARGUMENT_TAG)
            group->tag = field->value;
        if (dt_field_is_peer(field->kind))
            group->forms = group->forms * 4 + (field->value >= DT_PEER_LAST ? 2 : 1);
    }
}

static gboolean is_same_group(const Group *a, const Group *b)
{
    return a->function == b->function && a->forms == b->forms && a->communicator == b->communicator && a->tag == b->tag;
}

static void clear_group(gpointer group)
{
    g_array_unref(((Group *)group)->members);
}

/* By function and communicator, then by tag, too; those of one call are none. */
static void add_groups(const Ladder *ladder, const GArray *numbers, gboolean by_tag, GArray *groups)
{
    guint first = groups->len;
    for (guint i = 0; i < numbers->len; i++) {
        guint32 number = g_array_index(numbers, guint32, i);
        Group own;
        guint g = first;
        find_group_of(dt_recorded_call(ladder->calls, number), by_tag, &own);
        while (g < groups->len && !is_same_group(&g_array_index(groups, Group, g), &own))
            g++;
        if (g == groups->len) {
            own.members = g_array_new(FALSE, FALSE, sizeof(guint32));
            g_array_append_val(groups, own);
        }
        g_array_append_val(g_array_index(groups, Group, g).members, number);
    }
}

static GArray *find_groups(const Ladder *ladder)
{
    enum { MOST_CALLS = 4096 };
    GArray *groups = g_array_new(FALSE, FALSE, sizeof(Group));
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autofree guint8 *seen = g_new0(guint8, ladder->calls->calls->len);
    g_array_set_clear_func(groups, clear_group);
    for (guint i = 0; i < ladder->sequence->calls->len && numbers->len < MOST_CALLS; i++) {
        guint32 number = g_array_index(ladder->sequence->calls, guint32, i);
        if (!seen[number]++)
            g_array_append_val(numbers, number);
    }
    add_groups(ladder, numbers, FALSE, groups);
    add_groups(ladder, numbers, TRUE, groups);
    return groups;
}

/* Different calls of a group, with that put aside. */
static guint count_kinds(const Ladder *ladder, const Group *group, DtRung rung)
{
    g_autoptr(GHashTable) kinds =
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    for (guint i = 0; i < group->members->len; i++) {
        DtRecordedCall call = *dt_recorded_call(ladder->calls, g_array_index(group->members, guint32, i));
        for (guint k = 0; k < call.count; k++)
            if (dt_field_is_aside(call.fields[k].kind, rung))
                call.fields[k].value = 0;
        g_hash_table_add(kinds, g_bytes_new(call.fields, call.count * sizeof call.fields[0]));
    }
    return g_hash_table_size(kinds);
}

/* ---- choosing -------------------------------------------------------------------------------- */

static void set_tree(Ladder *ladder, DtClassTree *tree, guint cost)
{
    dt_class_tree_free(ladder->tree);
    ladder->tree = tree;
    ladder->cost = cost;
}

/* The next rung of all is taken where it takes less than half of what the last one took. */
static void climb(Ladder *ladder)
{
    const guint calls = ladder->calls->calls->len;
    DtRung best = DT_RUNG_EXACT;
    for (DtRung rung = DT_RUNG_EXACT; rung < DT_RUNGS; rung++) {
        memset(ladder->rungs, (int)rung, calls);
        DtClassTree *tree = dt_class_tree_build(ladder->calls, ladder->sequence, ladder->rungs);
        guint cost = cost_of(tree->nodes, PART_COST, NULL);
        if (!ladder->tree || 2 * cost < ladder->cost) {
            set_tree(ladder, tree, cost);
            best = rung;
        } else {
            dt_class_tree_free(tree);
        }
    }
    memset(ladder->rungs, (int)best, calls);
}

/* The rungs of the group's calls, and the tree, if that saves more than `least`. */
static gboolean try_rung(Ladder *ladder, const Group *group, DtRung rung, gint64 least)
{
    g_autofree guint8 *before = g_memdup2(ladder->rungs, ladder->calls->calls->len);
    for (guint i = 0; i < group->members->len; i++)
        ladder->rungs[g_array_index(group->members, guint32, i)] = (guint8)rung;
    DtClassTree *tree = dt_class_tree_build(ladder->calls, ladder->sequence, ladder->rungs);
    guint cost = cost_of(tree->nodes, PART_COST_IN_GROUPS, NULL);
    ladder->tried += ladder->sequence->calls->len;
    if ((gint64)ladder->cost - cost > least) {
        set_tree(ladder, tree, cost);
        return TRUE;
    }
    memcpy(ladder->rungs, before, ladder->calls->calls->len);
    dt_class_tree_free(tree);
    return FALSE;
}

/* Of a group more is put aside where that saves two fifths of what its calls take; less where it costs nothing. */
static void climb_group(Ladder *ladder, const Group *group)
{
    const DtRung own = ladder->rungs[g_array_index(group->members, guint32, 0)];
    guint kinds = count_kinds(ladder, group, own);
    g_autofree guint8 *among = g_new0(guint8, ladder->calls->calls->len);
    for (guint i = 0; i < group->members->len; i++)
        among[g_array_index(group->members, guint32, i)] = 1;
    for (DtRung rung = own + 1; rung < DT_RUNGS && kinds > 1 && ladder->tried < MOST_TRIED; rung++) {
        guint fewer = count_kinds(ladder, group, rung);
        if (fewer < kinds)
            try_rung(ladder, group, rung, 2 * cost_of(ladder->tree->nodes, PART_COST_IN_GROUPS, among) / 5);
        kinds = fewer;
    }
    if (own > DT_RUNG_EXACT && ladder->tried < MOST_TRIED && count_kinds(ladder, group, DT_RUNG_EXACT) > 1)
        try_rung(ladder, group, DT_RUNG_EXACT, -1);
}

DtClassTree *dt_class_tree_new(const DtRecordedCalls *calls, const DtCallSequence *sequence)
{
    g_autofree guint8 *rungs = g_new0(guint8, calls->calls->len + 1);
    Ladder ladder = {.calls = calls, .sequence = sequence, .rungs = rungs};
    climb(&ladder);
    ladder.cost = cost_of(ladder.tree->nodes, PART_COST_IN_GROUPS, NULL);
    if (ladder.cost > MOST_COST)
        return ladder.tree;
    g_autoptr(GArray) groups = find_groups(&ladder);
    for (guint g = 0; g < groups->len && ladder.tried < MOST_TRIED; g++)
        if (g_array_index(groups, Group, g).members->len > 1)
            climb_group(&ladder, &g_array_index(groups, Group, g));
    return ladder.tree;
}
