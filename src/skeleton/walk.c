#include "skeleton/walk.h"

#include "format/arguments.h"
#include "skeleton/fields.h"

enum { MOST_FIELDS = 64 };

/* Nodes that are being gone through. */
typedef struct {
    const GPtrArray *nodes;
    guint next;
    gint64 rounds; /* that are left after this one */
} Level;

struct DtWalk {
    const DtSkeleton *skeleton;
    guint rank;
    GArray *levels;
    GHashTable *cursors; /* DtField -> DtRowCursor: of rows of several values */
    GHashTable *views;   /* atom of a communicator -> DtPeerView */
    guint64 steps;
    DtValue last; /* what came from anybody, as a distance, or nobody's atom */
    const DtSkeletonNode *call;
    guint count;
    struct {
        guint kind;
        DtValue value;
    } values[MOST_FIELDS]; /* of the call */
};

static void push(DtWalk *walk, const GPtrArray *nodes, gint64 rounds)
{
    Level level = {nodes, 0, rounds - 1};
    g_array_append_val(walk->levels, level);
}

DtWalk *dt_walk_new(const DtSkeleton *skeleton, guint thread, guint rank)
{
    DtWalk *walk = g_new0(DtWalk, 1);
    walk->skeleton = skeleton;
    walk->rank = rank;
    walk->levels = g_array_new(FALSE, FALSE, sizeof(Level));
    walk->cursors = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    walk->last = skeleton->nobody;
    for (guint i = 0; i < skeleton->threads->len; i++) {
        const DtSkeletonThread *own = skeleton->threads->pdata[i];
        if (own->number == thread)
            push(walk, own->nodes, 1);
    }
    return walk;
}

void dt_walk_free(DtWalk *walk)
{
    if (!walk)
        return;
    g_array_unref(walk->levels);
    g_hash_table_unref(walk->cursors);
    g_clear_pointer(&walk->views, g_hash_table_unref);
    g_free(walk);
}

/* FALSE: the field says nothing of the rank. */
static gboolean next_value(DtWalk *walk, const DtField *field, DtValue *value)
{
    for (guint i = 0; i < field->pieces->len; i++) {
        const DtPiece *piece = &g_array_index(field->pieces, DtPiece, i);
        if (!dt_rank_set_has(piece->on, walk->rank))
            continue;
        DtRowCursor *cursor = piece->row->length > 1 ? g_hash_table_lookup(walk->cursors, field) : NULL;
        DtRowCursor once;
        if (!cursor) {
            cursor = piece->row->length > 1 ? g_new(DtRowCursor, 1) : &once;
            dt_row_cursor_begin(cursor, piece->row);
            if (cursor != &once)
                g_hash_table_insert(walk->cursors, (gpointer)field, cursor);
        }
        *value = dt_row_cursor_next(cursor);
        return TRUE;
    }
    return FALSE;
}

static DtPeerView *find_view(DtWalk *walk)
{
    DtValue name;
    gboolean known = dt_walk_value(walk, DT_ARGUMENT_COMMUNICATOR, 0, &name) && dt_value_is_atom(name);
    gpointer key = GSIZE_TO_POINTER(known ? (gsize)(name - DT_FIRST_ATOM) + 1 : 0);
    if (!walk->views)
        walk->views = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    DtPeerView *view = g_hash_table_lookup(walk->views, key);
    if (view)
        return view;
    view = g_new0(DtPeerView, 1);
    view->mesh = &walk->skeleton->mesh;
    dt_skeleton_find_member(walk->skeleton, known ? dt_atoms_text(walk->skeleton->atoms, name) : "world", walk->rank,
                            &view->index, &view->size);
    g_hash_table_insert(walk->views, key, view);
    return view;
}

/* Peers of all forms become distances; what came from anybody is kept. */
static void read_peers(DtWalk *walk)
{
    for (guint i = 0; i < walk->count; i++) {
        DtValue *value = &walk->values[i].value;
        if (!dt_field_is_peer(walk->values[i].kind) || dt_value_is_atom(*value) || *value < DT_PEER_NUMBERS)
            continue;
        DtPeerView *view = find_view(walk);
        view->last = walk->last;
        *value = dt_peer_distance(*value, view);
    }
    DtValue got;
    if (dt_walk_value(walk, DT_FIELD_SOURCE, 0, &got))
        walk->last = got;
}

void dt_walk_got(DtWalk *walk, gint64 distance)
{
    walk->last = distance;
}

static void read_fields(DtWalk *walk, const DtSkeletonNode *node)
{
    walk->count = 0;
    for (guint i = 0; i < node->fields->len && walk->count < MOST_FIELDS; i++) {
        const DtField *field = &g_array_index(node->fields, DtField, i);
        walk->values[walk->count].kind = field->kind;
        if (next_value(walk, field, &walk->values[walk->count].value))
            walk->count++;
    }
    read_peers(walk);
}

const DtSkeletonNode *dt_walk_next(DtWalk *walk)
{
    walk->call = NULL;
    while (walk->levels->len > 0 && walk->steps <= DT_SKELETON_MOST_CALLS) {
        walk->steps++;
        Level *level = &g_array_index(walk->levels, Level, walk->levels->len - 1);
        if (level->next == level->nodes->len && level->nodes->len > 0 && level->rounds-- > 0)
            level->next = 0;
        if (level->next == level->nodes->len) {
            g_array_set_size(walk->levels, walk->levels->len - 1);
            continue;
        }
        const DtSkeletonNode *node = level->nodes->pdata[level->next++];
        if (!dt_rank_set_has(node->on, walk->rank))
            continue;
        read_fields(walk, node);
        if (!dt_skeleton_node_is_loop(node))
            return walk->call = node;
        if (walk->count > 0 && walk->values[0].value > 0 && !dt_value_is_atom(walk->values[0].value))
            push(walk, node->children, walk->values[0].value);
    }
    return NULL;
}

guint64 dt_walk_steps(const DtWalk *walk)
{
    return walk->steps;
}

gboolean dt_walk_value(const DtWalk *walk, guint kind, guint which, DtValue *value)
{
    for (guint i = 0; i < walk->count; i++)
        if (walk->values[i].kind == kind && which-- == 0) {
            *value = walk->values[i].value;
            return TRUE;
        }
    return FALSE;
}

char *dt_walk_text(const DtWalk *walk)
{
    GString *text = g_string_new(walk->skeleton->functions->pdata[walk->call->function]);
    gboolean open = FALSE;
    guint written = 0;
    for (guint i = 0; i < walk->count; i++)
        dt_append_single_field(walk->skeleton, text, walk->values[i].kind, walk->values[i].value, &written, &open);
    if (open)
        g_string_append_c(text, ')');
    return g_string_free(text, FALSE);
}
