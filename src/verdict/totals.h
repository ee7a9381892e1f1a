/**
 * What all traces of a run do together: where luck decides who does what, how often it is done in all is certain.
 */
#ifndef DT_VERDICT_TOTALS_H
#define DT_VERDICT_TOTALS_H

#include "verdict/common_part.h"

G_BEGIN_DECLS

/**
 * The first call that the faulty run makes more or less often in all than each of the normal runs, which agree on it,
 * while its caller is called as often as normally. FALSE: there is none, or fewer than two normal runs. `units` of the
 * change are those that could have it; `example` is a trace that makes the call, in some run. O(grams of all traces).
 */
gboolean dt_total_change_find(const DtJudgement *judgement, DtCommonChange *change);

G_END_DECLS

#endif
