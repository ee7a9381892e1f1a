/**
 * Sets of ranks, interned: equal sets are the same object. As text the shorter of the set and of its complement, in
 * blocks `first-last/stride*times/distance...`: "0-3", "1-15/2", "6-8*3/5" for 6 7 8 11 12 13 16 17 18 (the rank lists
 * of ScalaTrace), "!15" for all but 15. A block that is no shorter than its parts stands as these: "0,4".
 */
#ifndef DT_SKELETON_RANK_SET_H
#define DT_SKELETON_RANK_SET_H

#include <glib.h>

G_BEGIN_DECLS

/** The sets over the ranks 0 to ranks - 1. */
typedef struct DtRankSets DtRankSets;
/** Owned by its DtRankSets. */
typedef struct DtRankSet DtRankSet;

DtRankSets *dt_rank_sets_new(guint ranks);
void dt_rank_sets_free(DtRankSets *sets);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtRankSets, dt_rank_sets_free)
guint dt_rank_sets_ranks(const DtRankSets *sets);

/** The set of these ranks, in any order; each below the number of ranks. O(ranks / 8 + count). */
const DtRankSet *dt_rank_set_of(DtRankSets *sets, const guint *ranks, guint count);
const DtRankSet *dt_rank_set_all(DtRankSets *sets);
const DtRankSet *dt_rank_set_union(DtRankSets *sets, const DtRankSet *a, const DtRankSet *b);
gboolean dt_rank_set_has(const DtRankSet *set, guint rank);
guint dt_rank_set_count(const DtRankSet *set);
/** The smallest member that is not below `from`; G_MAXUINT: none. */
guint dt_rank_set_next(const DtRankSet *set, guint from);
gboolean dt_rank_set_is_within(const DtRankSet *set, const DtRankSet *other);
gboolean dt_rank_sets_meet(const DtRankSet *a, const DtRankSet *b);

/** "!15"; g_free(). */
char *dt_rank_set_text(DtRankSets *sets, const DtRankSet *set);
/** Reads a set from `*at` on and moves `*at` behind it. NULL: what is there is none; *problem then says why (static).
 */
const DtRankSet *dt_rank_set_parse(DtRankSets *sets, const char **at, const char **problem);

G_END_DECLS

#endif
