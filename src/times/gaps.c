#include "times/gaps.h"

typedef struct {
    guint32 returned_from, end; /* kind + 1; 0: none yet */
} Latest;

void dt_gap_kinds_init(DtGapKinds *kinds)
{
    *kinds = (DtGapKinds){.keys = g_array_new(FALSE, FALSE, sizeof(guint64)),
                          .latest = g_array_new(FALSE, TRUE, sizeof(Latest))};
}

void dt_gap_kinds_clear(DtGapKinds *kinds)
{
    dt_hash_index_clear(&kinds->index);
    g_clear_pointer(&kinds->keys, g_array_unref);
    g_clear_pointer(&kinds->latest, g_array_unref);
}

void dt_gap_walk_init(DtGapWalk *walk)
{
    *walk = (DtGapWalk){.frames = g_array_new(FALSE, FALSE, sizeof(guint32))};
}

void dt_gap_walk_clear(DtGapWalk *walk)
{
    g_clear_pointer(&walk->frames, g_array_unref);
}

guint32 dt_gap_walk_top(const DtGapWalk *walk)
{
    return walk->frames->len > 0 ? g_array_index(walk->frames, guint32, walk->frames->len - 1) : 0;
}

void dt_gap_walk_apply(DtGapWalk *walk, guint32 event)
{
    walk->returned_from = 0;
    if (event != DT_EVENT_RETURN) {
        g_array_append_val(walk->frames, event);
    } else if (walk->frames->len > 0) {
        walk->returned_from = dt_gap_walk_top(walk);
        g_array_set_size(walk->frames, walk->frames->len - 1);
    }
}

static gboolean equal_key(gconstpointer owner, guint32 number, gconstpointer key)
{
    const GArray *keys = owner;
    return g_array_index(keys, guint64, number) == *(const guint64 *)key;
}

static guint64 key_of(const DtGapWalk *walk)
{
    return (guint64)dt_gap_walk_top(walk) << 32 | walk->returned_from;
}

guint32 dt_gap_kinds_find(const DtGapKinds *kinds, const DtGapWalk *walk)
{
    const guint64 key = key_of(walk);
    return dt_hash_index_find(&kinds->index, dt_hash_integer(key), equal_key, kinds->keys, &key);
}

guint32 dt_gap_kinds_number(DtGapKinds *kinds, const DtGapWalk *walk)
{
    const guint32 top = dt_gap_walk_top(walk);
    if (top >= kinds->latest->len)
        g_array_set_size(kinds->latest, top + 1);
    Latest *latest = &g_array_index(kinds->latest, Latest, top);
    if (latest->end != 0 && latest->returned_from == walk->returned_from)
        return latest->end - 1;
    guint32 kind = dt_gap_kinds_find(kinds, walk);
    if (kind == DT_HASH_ABSENT) {
        const guint64 key = key_of(walk);
        kind = kinds->keys->len;
        g_array_append_val(kinds->keys, key);
        dt_hash_index_add(&kinds->index, dt_hash_integer(key), kind);
    }
    *latest = (Latest){walk->returned_from, kind + 1};
    return kind;
}
