/** Stages: what a butterfly or a hypercube does in log2(P) rounds, written out, becomes a loop. */
#ifndef DT_EXTRAPOLATE_STAGES_H
#define DT_EXTRAPOLATE_STAGES_H

#include "extrapolate/sizes.h"
#include "skeleton/class_tree.h"

G_BEGIN_DECLS

/** DtRung by number of call: calls to peers that differ in one bit, of a function and communicator in which all ranks
 * of a size have the same such bits and larger sizes have more, are put aside with their counts and tags; others are
 * exact. g_free(). */
guint8 *dt_stages_find(const DtSizes *sizes, const DtRecordedCalls *calls, const GPtrArray *sequences);
/** In trees of these rungs (element-type DtClassTree) a stage that stands alone becomes a loop of one round, if other
 * trees have it as a loop. */
void dt_stages_complete(const DtRecordedCalls *calls, const guint8 *rungs, GPtrArray *trees);

G_END_DECLS

#endif
