/*
 * Map from k-grams to first occurrence and count.
 */
#include "verdict/observed/gram_map.h"

static gboolean has_key(gconstpointer map, guint32 number, gconstpointer key)
{
    return dt_gram_map_at(map, number)->key == *(const guint64 *)key;
}

static guint32 find_number(const DtGramMap *map, guint64 key)
{
    return dt_hash_index_find(&map->by_key, dt_hash_integer(key), has_key, map, &key);
}

DtGramMap *dt_gram_map_new(void)
{
    DtGramMap *map = g_new0(DtGramMap, 1);
    map->grams = g_array_new(FALSE, FALSE, sizeof(DtGram));
    return map;
}

void dt_gram_map_free(DtGramMap *map)
{
    if (!map)
        return;
    g_array_unref(map->grams);
    dt_hash_index_clear(&map->by_key);
    g_free(map);
}

DtGram *dt_gram_map_get(DtGramMap *map, guint64 key)
{
    guint32 number = find_number(map, key);
    if (number == DT_HASH_ABSENT) {
        DtGram gram = {.key = key};
        number = map->grams->len;
        g_array_append_val(map->grams, gram);
        dt_hash_index_add(&map->by_key, dt_hash_integer(key), number);
    }
    return &g_array_index(map->grams, DtGram, number);
}

const DtGram *dt_gram_map_find(const DtGramMap *map, guint64 key)
{
    guint32 number = find_number(map, key);
    return number == DT_HASH_ABSENT ? NULL : dt_gram_map_at(map, number);
}
