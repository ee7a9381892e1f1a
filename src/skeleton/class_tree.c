#include "skeleton/class_tree.h"

#include <string.h>

#include "format/arguments.h"
#include "nlr/nlr.h"
#include "skeleton/tree_building.h"

enum { MOST_LEVELS = 40, LONGEST_PERIOD = 5000 };

gboolean dt_field_is_aside(guint kind, DtRung rung)
{
    switch (kind) {
    case DT_FIELD_COUNT:
    case DT_FIELD_OTHER_COUNT:
    case DT_FIELD_SOURCE:
    case DT_FIELD_GOT_TAG:
    case DT_FIELD_COMPLETED:
    case DT_ARGUMENT_COUNTS:
    case DT_ARGUMENT_OFFSET:
    case DT_ARGUMENT_DISPLACEMENT:
        return rung >= DT_RUNG_COUNTS;
    case DT_ARGUMENT_TAG:
        return rung >= DT_RUNG_TAGS;
    case DT_ARGUMENT_TO:
    case DT_ARGUMENT_FROM:
    case DT_ARGUMENT_TARGET:
    case DT_ARGUMENT_LIVE:
    case DT_ARGUMENT_REQUESTS:
        return rung >= DT_RUNG_PEERS;
    default:
        return FALSE;
    }
}

/* ---- nodes ----------------------------------------------------------------------------------- */

void dt_tree_node_free(gpointer data)
{
    DtTreeNode *node = data;
    if (!node)
        return;
    for (guint i = 0; i < node->rows; i++)
        if (node->row[i])
            g_array_unref(node->row[i]);
    g_free(node->row);
    g_clear_pointer(&node->places, g_array_unref);
    g_clear_pointer(&node->children, g_ptr_array_unref);
    g_free(node);
}

static GArray *values_new(void)
{
    return g_array_new(FALSE, FALSE, sizeof(DtValue));
}

static guint32 intern_key(DtTreeBuilding *building, GByteArray *bytes)
{
    g_autoptr(GBytes) key = g_bytes_new(bytes->data, bytes->len);
    guint known = GPOINTER_TO_UINT(g_hash_table_lookup(building->keys, key));
    if (!known) {
        known = g_hash_table_size(building->keys) + 1;
        g_hash_table_insert(building->keys, g_steal_pointer(&key), GUINT_TO_POINTER(known));
    }
    return known - 1;
}

static guint32 key_of_call(DtTreeBuilding *building, guint32 number)
{
    const DtRecordedCall *call = dt_recorded_call(building->calls, number);
    const DtRung rung = building->rungs[number];
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    g_byte_array_append(bytes, (const guint8 *)"C", 1);
    g_byte_array_append(bytes, (const guint8 *)&call->function, sizeof call->function);
    for (guint i = 0; i < call->count; i++) {
        const DtCallField *field = &call->fields[i];
        g_byte_array_append(bytes, (const guint8 *)&field->kind, sizeof field->kind);
        if (!dt_field_is_aside(field->kind, rung))
            g_byte_array_append(bytes, (const guint8 *)&field->value, sizeof field->value);
    }
    return intern_key(building, bytes);
}

guint32 dt_tree_loop_key(DtTreeBuilding *building, const GPtrArray *children)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    g_byte_array_append(bytes, (const guint8 *)"L", 1);
    for (guint i = 0; i < children->len; i++)
        g_byte_array_append(bytes, (const guint8 *)&((const DtTreeNode *)children->pdata[i])->key, sizeof(guint32));
    return intern_key(building, bytes);
}

GArray *dt_place_counts_add(GArray *counts, guint32 place, guint64 count)
{
    counts = counts ? counts : g_array_new(FALSE, FALSE, sizeof(DtPlaceCount));
    for (guint i = 0; i < counts->len; i++)
        if (g_array_index(counts, DtPlaceCount, i).place == place) {
            g_array_index(counts, DtPlaceCount, i).count += count;
            return counts;
        }
    DtPlaceCount added = {place, count};
    g_array_append_val(counts, added);
    return counts;
}

static DtTreeNode *call_node(DtTreeBuilding *building, guint32 number, guint32 place, guint32 key)
{
    const DtRecordedCall *call = dt_recorded_call(building->calls, number);
    DtTreeNode *node = g_new0(DtTreeNode, 1);
    node->key = key;
    node->call = number;
    node->places = dt_place_counts_add(NULL, place, 1);
    node->rows = call->count;
    node->row = g_new0(GArray *, call->count + 1);
    for (guint i = 0; i < call->count; i++)
        if (dt_field_is_aside(call->fields[i].kind, building->rungs[number])) {
            node->row[i] = values_new();
            g_array_append_val(node->row[i], call->fields[i].value);
        }
    return node;
}

DtTreeNode *dt_tree_loop_new(DtTreeBuilding *building, GPtrArray *children, gint64 count)
{
    DtTreeNode *node = g_new0(DtTreeNode, 1);
    node->children = children;
    node->key = dt_tree_loop_key(building, children);
    node->rows = 1;
    node->row = g_new0(GArray *, 2);
    node->row[0] = values_new();
    g_array_append_val(node->row[0], count);
    return node;
}

/* A further visit of the node, which is taken over. */
static void add_visit(DtTreeNode *node, DtTreeNode *visit)
{
    for (guint i = 0; i < node->rows; i++)
        if (node->row[i])
            g_array_append_vals(node->row[i], visit->row[i]->data, visit->row[i]->len);
    for (guint i = 0; visit->places && i < visit->places->len; i++) {
        const DtPlaceCount *own = &g_array_index(visit->places, DtPlaceCount, i);
        node->places = dt_place_counts_add(node->places, own->place, own->count);
    }
    for (guint i = 0; node->children && i < node->children->len; i++)
        add_visit(node->children->pdata[i], g_steal_pointer(&visit->children->pdata[i]));
    dt_tree_node_free(visit);
}

/* The same for a call by its number. */
static void add_call(const DtRecordedCalls *calls, DtTreeNode *node, guint32 number, guint32 place)
{
    const DtRecordedCall *call = dt_recorded_call(calls, number);
    node->places = dt_place_counts_add(node->places, place, 1);
    for (guint i = 0; i < node->rows; i++)
        if (node->row[i])
            g_array_append_val(node->row[i], call->fields[i].value);
}

guint dt_tree_size(const GPtrArray *nodes)
{
    guint size = 0;
    for (guint i = 0; i < nodes->len; i++) {
        const DtTreeNode *node = nodes->pdata[i];
        size += 1 + (node->children ? dt_tree_size(node->children) : 0);
    }
    return size;
}

/* ---- a level --------------------------------------------------------------------------------- */

/* An item of a level: a call by number, or a loop of the level below. */
typedef struct {
    guint32 key, call, place;
    DtTreeNode *loop; /* owned; NULL: a call */
} Item;

/* Where NLR finds a loop of which no part is a loop. */
typedef struct {
    guint start, length, times;
} Run;

static void find_runs(const DtLoopTable *table, DtElements elements, guint *at, GArray *runs);

static gboolean is_innermost(DtElements body)
{
    for (gsize i = 0; i < body.length; i++)
        if (dt_element_is_loop(body.elements[i]))
            return FALSE;
    return TRUE;
}

static void find_run(const DtLoopTable *table, DtElement element, guint *at, GArray *runs)
{
    guint times = dt_element_count(element);
    DtElements body = dt_loop_table_body(table, dt_element_body(element));
    if (is_innermost(body)) {
        Run run = {*at, (guint)body.length, times};
        g_array_append_val(runs, run);
        *at += run.length * times;
        return;
    }
    for (guint i = 0; i < times; i++)
        find_runs(table, body, at, runs);
}

static void find_runs(const DtLoopTable *table, DtElements elements, guint *at, GArray *runs)
{
    for (gsize i = 0; i < elements.length; i++) {
        if (dt_element_is_loop(elements.elements[i]))
            find_run(table, elements.elements[i], at, runs);
        else
            ++*at;
    }
}

static GArray *runs_of(const GArray *items)
{
    GArray *runs = g_array_new(FALSE, FALSE, sizeof(Run));
    g_autofree guint32 *keys = g_new(guint32, items->len + 1);
    g_autoptr(DtLoopTable) table = dt_loop_table_new();
    g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new(LONGEST_PERIOD, 2);
    guint at = 0;
    for (guint i = 0; i < items->len; i++)
        keys[i] = g_array_index(items, Item, i).key + 1;
    dt_nlr_folder_push(folder, keys, items->len);
    g_autoptr(DtNlr) nlr = dt_nlr_folder_finish(folder, table);
    find_runs(table, dt_nlr_elements(nlr), &at, runs);
    return runs;
}

/* Bodies of the level's runs by their first key: one iteration of one alone is a run of one. */
typedef struct {
    GHashTable *by_first; /* key -> GArray of Run, longest first */
    const Run **starts;   /* by place: the run that starts there */
} Bodies;

static gboolean is_equal_body(const GArray *items, guint a, guint b, guint length)
{
    if (a + length > items->len || b + length > items->len)
        return FALSE;
    for (guint i = 0; i < length; i++)
        if (g_array_index(items, Item, a + i).key != g_array_index(items, Item, b + i).key)
            return FALSE;
    return TRUE;
}

static gint compare_lengths(gconstpointer first, gconstpointer second)
{
    const Run *a = first, *b = second;
    return (a->length < b->length) - (a->length > b->length);
}

static void unref_array(gpointer array)
{
    g_array_unref(array);
}

static Bodies find_bodies(const GArray *items, const GArray *runs)
{
    Bodies bodies = {.by_first = g_hash_table_new_full(NULL, NULL, NULL, unref_array),
                     .starts = g_new0(const Run *, items->len + 1)};
    for (guint i = 0; i < runs->len; i++) {
        const Run *run = &g_array_index(runs, Run, i);
        gpointer first = GUINT_TO_POINTER(g_array_index(items, Item, run->start).key + 1);
        GArray *known = g_hash_table_lookup(bodies.by_first, first);
        gboolean is_new = TRUE;
        bodies.starts[run->start] = run;
        if (!known) {
            known = g_array_new(FALSE, FALSE, sizeof(Run));
            g_hash_table_insert(bodies.by_first, first, known);
        }
        for (guint k = 0; is_new && k < known->len; k++) {
            const Run *other = &g_array_index(known, Run, k);
            is_new = other->length != run->length || !is_equal_body(items, other->start, run->start, run->length);
        }
        if (is_new)
            g_array_append_vals(known, run, 1);
    }
    GHashTableIter iter;
    gpointer list;
    g_hash_table_iter_init(&iter, bodies.by_first);
    while (g_hash_table_iter_next(&iter, NULL, &list))
        g_array_sort(list, compare_lengths);
    return bodies;
}

static void clear_bodies(Bodies *bodies)
{
    g_hash_table_unref(bodies->by_first);
    g_free(bodies->starts);
}

static gboolean has_start_within(const Bodies *bodies, guint from, guint to)
{
    for (guint i = from; i < to; i++)
        if (bodies->starts[i])
            return TRUE;
    return FALSE;
}

/* The run at a place; FALSE: none is there. */
static gboolean run_at(const GArray *items, const Bodies *bodies, guint at, Run *run)
{
    const GArray *known;
    if (bodies->starts[at]) {
        *run = *bodies->starts[at];
        return TRUE;
    }
    known = g_hash_table_lookup(bodies->by_first, GUINT_TO_POINTER(g_array_index(items, Item, at).key + 1));
    for (guint i = 0; known && i < known->len; i++) {
        const Run *body = &g_array_index(known, Run, i);
        if (is_equal_body(items, body->start, at, body->length) &&
            !has_start_within(bodies, at + 1, at + body->length)) {
            *run = (Run){at, body->length, 1};
            return TRUE;
        }
    }
    return FALSE;
}

static DtTreeNode *take_node(DtTreeBuilding *building, Item *item)
{
    return item->loop ? g_steal_pointer(&item->loop) : call_node(building, item->call, item->place, item->key);
}

static DtTreeNode *make_loop(DtTreeBuilding *building, GArray *items, const Run *run)
{
    GPtrArray *children = g_ptr_array_new_with_free_func(dt_tree_node_free);
    for (guint i = 0; i < run->length; i++)
        g_ptr_array_add(children, take_node(building, &g_array_index(items, Item, run->start + i)));
    for (guint i = run->length; i < run->length * run->times; i++) {
        Item *item = &g_array_index(items, Item, run->start + i);
        DtTreeNode *node = children->pdata[i % run->length];
        if (item->loop)
            add_visit(node, g_steal_pointer(&item->loop));
        else
            add_call(building->calls, node, item->call, item->place);
    }
    return dt_tree_loop_new(building, children, run->times);
}

/* The items with the innermost loops of this level as items; NULL: there are none. */
static GArray *fold_level(DtTreeBuilding *building, GArray *items)
{
    g_autoptr(GArray) runs = runs_of(items);
    if (runs->len == 0)
        return NULL;
    Bodies bodies = find_bodies(items, runs);
    GArray *folded = g_array_new(FALSE, TRUE, sizeof(Item));
    for (guint i = 0; i < items->len;) {
        Run run;
        if (!run_at(items, &bodies, i, &run)) {
            g_array_append_vals(folded, &g_array_index(items, Item, i++), 1);
            continue;
        }
        while (is_equal_body(items, run.start, run.start + run.length * run.times, run.length))
            run.times++;
        Item item = {.loop = make_loop(building, items, &run)};
        item.key = item.loop->key;
        g_array_append_val(folded, item);
        i += run.length * run.times;
    }
    clear_bodies(&bodies);
    return folded;
}

/* ---- a tree ---------------------------------------------------------------------------------- */

static gboolean goes_round_once(const DtTreeNode *node)
{
    for (guint i = 0; node->children && i < node->row[0]->len; i++)
        if (g_array_index(node->row[0], DtValue, i) != 1)
            return FALSE;
    return node->children != NULL;
}

/* A loop that always goes round once is its body. */
static GPtrArray *simplify(DtTreeBuilding *building, GPtrArray *nodes)
{
    GPtrArray *simple = g_ptr_array_new_with_free_func(dt_tree_node_free);
    for (guint i = 0; i < nodes->len; i++) {
        DtTreeNode *node = g_steal_pointer(&nodes->pdata[i]);
        if (!node->children) {
            g_ptr_array_add(simple, node);
            continue;
        }
        node->children = simplify(building, node->children);
        if (!goes_round_once(node)) {
            node->key = dt_tree_loop_key(building, node->children);
            g_ptr_array_add(simple, node);
            continue;
        }
        for (guint k = 0; k < node->children->len; k++)
            g_ptr_array_add(simple, g_steal_pointer(&node->children->pdata[k]));
        dt_tree_node_free(node);
    }
    g_ptr_array_unref(nodes);
    return simple;
}

static GArray *first_items(DtTreeBuilding *building, const DtCallSequence *sequence)
{
    GArray *items = g_array_sized_new(FALSE, TRUE, sizeof(Item), sequence->calls->len);
    g_autofree guint32 *keys = g_new0(guint32, building->calls->calls->len + 1);
    for (guint i = 0; i < sequence->calls->len; i++) {
        guint32 call = g_array_index(sequence->calls, guint32, i);
        if (!keys[call])
            keys[call] = key_of_call(building, call) + 1;
        Item item = {.key = keys[call] - 1, .call = call};
        item.place = sequence->places ? g_array_index(sequence->places, guint32, i) : 0;
        g_array_append_val(items, item);
    }
    return items;
}

DtClassTree *dt_class_tree_build(const DtRecordedCalls *calls, const DtCallSequence *sequence, const guint8 *rungs)
{
    g_autoptr(GHashTable) keys =
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    DtTreeBuilding building = {.calls = calls, .rungs = rungs, .keys = keys};
    GArray *items = first_items(&building, sequence);
    GArray *folded;
    for (guint level = 0; level < MOST_LEVELS && (folded = fold_level(&building, items)); level++) {
        g_array_unref(items);
        items = folded;
    }
    GPtrArray *nodes = g_ptr_array_new_with_free_func(dt_tree_node_free);
    for (guint i = 0; i < items->len; i++)
        g_ptr_array_add(nodes, take_node(&building, &g_array_index(items, Item, i)));
    g_array_unref(items);
    DtClassTree *tree = g_new0(DtClassTree, 1);
    tree->nodes = simplify(&building, nodes);
    dt_tree_take_in_parts(&building, tree->nodes);
    return tree;
}

void dt_class_tree_free(DtClassTree *tree)
{
    if (!tree)
        return;
    g_ptr_array_unref(tree->nodes);
    g_free(tree);
}
