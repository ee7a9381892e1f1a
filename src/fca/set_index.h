/**
 * A hash index over bit sets of one width that their owner stores one after the
 * other: set i at base + i * words.
 */
#ifndef DT_FCA_SET_INDEX_H
#define DT_FCA_SET_INDEX_H

#include "base/hash_index.h"

#define DT_SET_ABSENT DT_HASH_ABSENT

typedef struct DtSetIndex DtSetIndex;

DtSetIndex *dt_set_index_new(gsize words);
void dt_set_index_free(DtSetIndex *index);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtSetIndex, dt_set_index_free)

/** Adds set `number` of `base`, which the index does not hold yet. */
void dt_set_index_add(DtSetIndex *index, const guint64 *base, guint number);
/** The number of an equal set, or DT_SET_ABSENT. */
guint dt_set_index_find(const DtSetIndex *index, const guint64 *base, const guint64 *set);

#endif
