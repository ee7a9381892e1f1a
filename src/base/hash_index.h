/**
 * Numbers by the hashes of what their owner keeps under them: open addressing,
 * linear probing, at most half full. DtHashIndex index = {0}; is empty.
 */
#ifndef DT_BASE_HASH_INDEX_H
#define DT_BASE_HASH_INDEX_H

#include <glib.h>

G_BEGIN_DECLS

#define DT_HASH_ABSENT G_MAXUINT32

typedef struct {
    guint32 hash; /* the low bits */
    guint32 end;  /* number + 1; 0 = free */
} DtHashSlot;

typedef struct {
    DtHashSlot *slots; /* a power of two of them */
    gsize mask, used;
} DtHashIndex;

/** TRUE if what `owner` keeps under `number` equals `key`. */
typedef gboolean (*DtHashEqual)(gconstpointer owner, guint32 number, gconstpointer key);

/** Hash of an integer: all its bits tell in the low ones. */
static inline guint64 dt_hash_integer(guint64 key)
{
    key = (key ^ key >> 31) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    return key ^ key >> 32;
}

/** Hash of words. */
static inline guint64 dt_hash_words(const guint64 *words, gsize length)
{
    guint64 hash = length;
    for (gsize i = 0; i < length; i++) {
        hash = (hash ^ words[i]) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

/** The number of a key with this hash, or DT_HASH_ABSENT. */
static inline guint32 dt_hash_index_find(const DtHashIndex *index, guint64 hash, DtHashEqual equal, gconstpointer owner,
                                         gconstpointer key)
{
    if (index->used == 0)
        return DT_HASH_ABSENT;
    for (gsize slot = hash & index->mask; index->slots[slot].end != 0; slot = (slot + 1) & index->mask) {
        if (index->slots[slot].hash == (guint32)hash && equal(owner, index->slots[slot].end - 1, key))
            return index->slots[slot].end - 1;
    }
    return DT_HASH_ABSENT;
}

/** Adds a number under the hash of its key, which the index does not hold yet. */
void dt_hash_index_add(DtHashIndex *index, guint64 hash, guint32 number);
/** Forgets all. */
void dt_hash_index_clear(DtHashIndex *index);

G_END_DECLS

#endif
