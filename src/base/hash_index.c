#include "base/hash_index.h"

enum { LEAST_SLOTS = 16 };

static void place_slot(DtHashIndex *index, DtHashSlot filled)
{
    gsize slot = filled.hash & index->mask;
    while (index->slots[slot].end != 0)
        slot = (slot + 1) & index->mask;
    index->slots[slot] = filled;
}

static void grow_slots(DtHashIndex *index)
{
    g_autofree DtHashSlot *old = index->slots;
    const gsize old_count = old ? index->mask + 1 : 0, count = MAX(LEAST_SLOTS, old_count * 2);
    index->slots = g_new0(DtHashSlot, count);
    index->mask = count - 1;
    for (gsize i = 0; i < old_count; i++) {
        if (old[i].end != 0)
            place_slot(index, old[i]);
    }
}

void dt_hash_index_add(DtHashIndex *index, guint64 hash, guint32 number)
{
    if (!index->slots || 2 * (index->used + 1) > index->mask)
        grow_slots(index);
    place_slot(index, (DtHashSlot){(guint32)hash, number + 1});
    index->used++;
}

void dt_hash_index_clear(DtHashIndex *index)
{
    g_free(index->slots);
    *index = (DtHashIndex){0};
}
