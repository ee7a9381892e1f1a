/**
 * A map from k-grams of call symbols, or other 64-bit keys, to where and how
 * often they occur, in order of first sight.
 */
#ifndef DT_VERDICT_OBSERVED_GRAM_MAP_H
#define DT_VERDICT_OBSERVED_GRAM_MAP_H

#include "base/hash_index.h"

G_BEGIN_DECLS

typedef struct {
    guint64 key;
    guint64 position; /* of the first occurrence, in entries */
    guint64 step;     /* library calls made before it */
    guint64 count;
} DtGram;

typedef struct {
    GArray *grams; /* (element-type DtGram) in order of first sight */
    DtHashIndex by_key;
} DtGramMap;

DtGramMap *dt_gram_map_new(void);
void dt_gram_map_free(DtGramMap *map);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtGramMap, dt_gram_map_free)

/** The gram of a key, new with count 0 if it is not known; valid until the next one. */
DtGram *dt_gram_map_get(DtGramMap *map, guint64 key);
/** NULL if the key is not known. */
const DtGram *dt_gram_map_find(const DtGramMap *map, guint64 key);

static inline const DtGram *dt_gram_map_at(const DtGramMap *map, guint index)
{
    return &g_array_index(map->grams, DtGram, index);
}

/** Keys of a symbol alone and of two consecutive ones. */
static inline guint64 dt_gram_single(guint32 symbol)
{
    return (guint64)symbol + 1;
}
static inline guint64 dt_gram_pair(guint32 first, guint32 second)
{
    return ((guint64)first + 1) << 32 | ((guint64)second + 1);
}
static inline gboolean dt_gram_is_single(guint64 key)
{
    return key >> 32 == 0;
}
/** The (last) symbol of a gram. */
static inline guint32 dt_gram_symbol(guint64 key)
{
    return (guint32)(key & G_MAXUINT32) - 1;
}
/** The first symbol of a pair. */
static inline guint32 dt_gram_first_symbol(guint64 key)
{
    return (guint32)(key >> 32) - 1;
}

G_END_DECLS

#endif
