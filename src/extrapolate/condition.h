/** Which ranks of a mesh of any size: "x>=1 y<=Y-2", found from the ranks of some sizes. */
#ifndef DT_EXTRAPOLATE_CONDITION_H
#define DT_EXTRAPOLATE_CONDITION_H

#include "extrapolate/spot.h"

G_BEGIN_DECLS

/** What a condition is made of, and what each says of the spots: made once for all conditions over these. */
typedef struct DtTests DtTests;
/** `spots` (element-type DtSpot) are those of all sizes; borrowed. O(tests * spots). */
DtTests *dt_tests_new(const GArray *spots);
/** The same with what ranks are at stages: `visit` of `visits` of each spot is a stage, with the bit 2^visit. */
DtTests *dt_tests_new_of_stages(const GArray *spots);
void dt_tests_free(DtTests *tests);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtTests, dt_tests_free)

typedef struct DtCondition DtCondition;
/**
 * The condition that holds for those of the spots `among` (element-type guint, places in the array of spots) that are
 * `inside`, and for no other of them: all of some tests, or not all of some, or one of a few of such. Tests are dropped
 * from those that all members pass, the least simple ones first, as long as no other passes the rest. `by_size`: tests
 * of sizes alone are tried, too, which nothing proves. NULL: there is none. O(members * tests * among) at most.
 */
DtCondition *dt_condition_find(const DtTests *tests, const GArray *among, const gboolean *inside, gboolean by_size);
void dt_condition_free(DtCondition *condition);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtCondition, dt_condition_free)
gboolean dt_condition_holds(const DtCondition *condition, const DtSpot *spot);
/** TRUE: it holds everywhere. */
gboolean dt_condition_is_empty(const DtCondition *condition);
/** The sizes that it speaks of: axes as bits, ranks behind them. */
guint dt_condition_sizes(const DtCondition *condition);
/** How much proves it: what was set; 0 for one of sizes alone, or of many terms, whatever was set. */
void dt_condition_set_spare(DtCondition *condition, guint spare);
guint dt_condition_spare(const DtCondition *condition);
void dt_condition_append(const DtCondition *condition, GString *text);

/** Simple tests that split spots in two (element-type guint, numbers of tests): the ends of axes, and what is odd. */
GArray *dt_tests_of_splits(const DtTests *tests);
gboolean dt_test_passes(const DtTests *tests, guint test, guint spot);

G_END_DECLS

#endif
