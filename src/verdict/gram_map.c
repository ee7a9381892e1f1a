/*
 * Map from k-grams to first occurrence and count.
 */
#include "verdict/gram_map.h"

#include <string.h>

enum { FIRST_SLOTS = 64 };

static gsize slot_of(guint64 key, gsize mask)
{
    key = (key ^ key >> 31) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    return (gsize)(key ^ key >> 32) & mask;
}

/* The slot that holds the key or, if none does, the free one where it belongs. Slots hold index + 1. */
static gsize find_slot(const DtGramMap *map, guint64 key)
{
    gsize slot = slot_of(key, map->mask);
    while (map->slots[slot] != 0 && dt_gram_map_at(map, map->slots[slot] - 1)->key != key)
        slot = (slot + 1) & map->mask;
    return slot;
}

static void allocate_slots(DtGramMap *map, gsize slots)
{
    g_free(map->slots);
    map->slots = g_new0(guint32, slots);
    map->mask = slots - 1;
    for (guint i = 0; i < map->grams->len; ++i)
        map->slots[find_slot(map, dt_gram_map_at(map, i)->key)] = i + 1;
}

DtGramMap *dt_gram_map_new(void)
{
    DtGramMap *map = g_new0(DtGramMap, 1);
    map->grams = g_array_new(FALSE, FALSE, sizeof(DtGram));
    allocate_slots(map, FIRST_SLOTS);
    return map;
}

void dt_gram_map_free(DtGramMap *map)
{
    if (!map)
        return;
    g_array_unref(map->grams);
    g_free(map->slots);
    g_free(map);
}

DtGram *dt_gram_map_get(DtGramMap *map, guint64 key)
{
    gsize slot = find_slot(map, key);
    if (map->slots[slot] == 0) {
        DtGram gram = {key, 0, 0, 0};
        if (((gsize)map->grams->len + 1) * 2 > map->mask + 1) {
            allocate_slots(map, (map->mask + 1) * 2);
            slot = find_slot(map, key);
        }
        g_array_append_val(map->grams, gram);
        map->slots[slot] = map->grams->len;
    }
    return &g_array_index(map->grams, DtGram, map->slots[slot] - 1);
}

const DtGram *dt_gram_map_find(const DtGramMap *map, guint64 key)
{
    gsize slot = find_slot(map, key);
    return map->slots[slot] == 0 ? NULL : dt_gram_map_at(map, map->slots[slot] - 1);
}
