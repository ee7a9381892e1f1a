/** How many attributes two objects share, for all pairs. Internal to the matrices. */
#ifndef DT_CLUSTER_COMMON_COUNTS_H
#define DT_CLUSTER_COMMON_COUNTS_H

#include "fca/fca.h"

/**
 * The attribute sets of n objects. Attributes that many of them have are bits; those that few have (where
 * traces all differ, nearly all) are kept as lists of their owners.
 */
typedef struct {
    guint n;
    guint *sizes; /* attributes of each object */
    gsize words;
    guint64 *bits;      /* n x words: the frequent attributes */
    gsize *first_rare;  /* the rare attributes of object i: rare[first_rare[i]] to before rare[first_rare[i + 1]] */
    guint *rare;        /* numbers of rare attributes */
    gsize *first_owner; /* the owners, ascending, of rare attribute a: likewise */
    guint *owners;
} DtCommonCounts;
/** Of the rows of `objects`, which are not read afterwards. O(n m) for m attributes. */
DtCommonCounts *dt_common_counts_new(const DtContext *context, const guint *objects, guint n);
void dt_common_counts_free(DtCommonCounts *counts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtCommonCounts, dt_common_counts_free)

/** Objects that are counted together: their bits stay in the cache. */
enum { DT_COMMON_BLOCK = 32 };
/**
 * What objects first + k, k < DT_COMMON_BLOCK, have in common with each object j >= first + k: at
 * common[j * DT_COMMON_BLOCK + k]. `common` has n * DT_COMMON_BLOCK entries; the others mean nothing.
 */
void dt_common_counts_block(const DtCommonCounts *counts, guint first, guint *common);

#endif
