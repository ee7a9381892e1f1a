/** What is observed of runs, once more without some of the calls. */
#ifndef DT_VERDICT_OBSERVED_REDUCTION_H
#define DT_VERDICT_OBSERVED_REDUCTION_H

#include "verdict/observed/observe.h"

G_BEGIN_DECLS

/** A symbol that is left out: what `becomes` says of it. */
#define DT_LEFT_OUT G_MAXUINT32

/**
 * All traces of `observations` with each symbol s as becomes[s] says: itself, another symbol, or DT_LEFT_OUT. Bodies of
 * functions that make a call which is left out, or are one, go, too; acts lose the calls; open calls stay. O(elements)
 * where loops stay loops.
 */
DtObservations *dt_observations_reduce(const DtObservations *observations, const guint32 *becomes);

G_END_DECLS

#endif
