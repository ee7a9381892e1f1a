#include "times/gaps.h"

enum { MOST_LEVELS = 64 };

typedef struct {
    guint32 returned_from, level, end; /* kind + 1; 0: none yet */
} Latest;

void dt_gap_kinds_init(DtGapKinds *kinds)
{
    *kinds = (DtGapKinds){.keys = g_array_new(FALSE, FALSE, sizeof(DtGapKind)),
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
    *walk = (DtGapWalk){.frames = g_array_new(FALSE, FALSE, sizeof(DtGapFrame)),
                        .open = g_array_new(FALSE, TRUE, sizeof(guint32))};
}

void dt_gap_walk_clear(DtGapWalk *walk)
{
    g_clear_pointer(&walk->frames, g_array_unref);
    g_clear_pointer(&walk->open, g_array_unref);
}

static DtGapFrame top_frame(const DtGapWalk *walk)
{
    const DtGapFrame none = {0, 0};
    return walk->frames->len > 0 ? g_array_index(walk->frames, DtGapFrame, walk->frames->len - 1) : none;
}

guint32 dt_gap_walk_top(const DtGapWalk *walk)
{
    return top_frame(walk).function;
}

static void enter(DtGapWalk *walk, guint32 function)
{
    if (function >= walk->open->len)
        g_array_set_size(walk->open, function + 1);
    const guint32 open = ++g_array_index(walk->open, guint32, function);
    const DtGapFrame frame = {function, MAX(top_frame(walk).level, MIN(open, MOST_LEVELS))};
    g_array_append_val(walk->frames, frame);
}

void dt_gap_walk_apply(DtGapWalk *walk, guint32 event)
{
    walk->returned_from = 0;
    if (event != DT_EVENT_RETURN) {
        enter(walk, event);
    } else if (walk->frames->len > 0) {
        walk->returned_from = dt_gap_walk_top(walk);
        g_array_index(walk->open, guint32, walk->returned_from)--;
        g_array_set_size(walk->frames, walk->frames->len - 1);
    }
}

static gboolean equal_key(gconstpointer owner, guint32 number, gconstpointer key)
{
    const GArray *keys = owner;
    const DtGapKind *one = &g_array_index(keys, DtGapKind, number), *other = key;
    return one->top == other->top && one->returned_from == other->returned_from && one->level == other->level;
}

static DtGapKind kind_of(const DtGapWalk *walk)
{
    const DtGapFrame top = top_frame(walk);
    return (DtGapKind){top.function, walk->returned_from, top.level};
}

static guint64 hash_of(const DtGapKind *kind)
{
    return dt_hash_words((const guint64[]){(guint64)kind->top << 32 | kind->returned_from, kind->level}, 2);
}

static guint32 find(const DtGapKinds *kinds, const DtGapKind *kind)
{
    return dt_hash_index_find(&kinds->index, hash_of(kind), equal_key, kinds->keys, kind);
}

guint32 dt_gap_kinds_find(const DtGapKinds *kinds, const DtGapWalk *walk)
{
    const DtGapKind kind = kind_of(walk);
    return find(kinds, &kind);
}

guint32 dt_gap_kinds_deeper(const DtGapKinds *kinds, guint32 kind)
{
    DtGapKind deeper = g_array_index(kinds->keys, DtGapKind, kind);
    deeper.level++;
    return find(kinds, &deeper);
}

guint32 dt_gap_kinds_number(DtGapKinds *kinds, const DtGapWalk *walk)
{
    const DtGapKind kind = kind_of(walk);
    if (kind.top >= kinds->latest->len)
        g_array_set_size(kinds->latest, kind.top + 1);
    Latest *latest = &g_array_index(kinds->latest, Latest, kind.top);
    if (latest->end != 0 && latest->returned_from == kind.returned_from && latest->level == kind.level)
        return latest->end - 1;
    guint32 number = find(kinds, &kind);
    if (number == DT_HASH_ABSENT) {
        number = kinds->keys->len;
        g_array_append_val(kinds->keys, kind);
        dt_hash_index_add(&kinds->index, hash_of(&kind), number);
    }
    *latest = (Latest){kind.returned_from, kind.level, number + 1};
    return number;
}
