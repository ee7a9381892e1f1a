#include "fca/set_index.h"

#include "base/bit_set.h"

struct DtSetIndex {
    gsize words;
    DtHashIndex by_hash;
};

/* What sets are looked up in. */
typedef struct {
    const guint64 *base;
    gsize words;
} Sets;

DtSetIndex *dt_set_index_new(gsize words)
{
    DtSetIndex *index = g_new0(DtSetIndex, 1);
    index->words = words;
    return index;
}

void dt_set_index_free(DtSetIndex *index)
{
    if (!index)
        return;
    dt_hash_index_clear(&index->by_hash);
    g_free(index);
}

void dt_set_index_add(DtSetIndex *index, const guint64 *base, guint number)
{
    dt_hash_index_add(&index->by_hash, dt_hash_words(base + (gsize)number * index->words, index->words), number);
}

static gboolean has_set(gconstpointer owner, guint32 number, gconstpointer set)
{
    const Sets *sets = owner;
    return dt_bits_equal(sets->base + (gsize)number * sets->words, set, sets->words);
}

guint dt_set_index_find(const DtSetIndex *index, const guint64 *base, const guint64 *set)
{
    const Sets sets = {base, index->words};
    return dt_hash_index_find(&index->by_hash, dt_hash_words(set, index->words), has_set, &sets, set);
}
