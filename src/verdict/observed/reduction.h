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

/**
 * Shortens the traces of all runs to what those with the same labels have that are `cut_off`, or were shortened before.
 * What normal runs do in their functions stays known: only of the last run, the faulty one, what it does later goes.
 * How traces end stays, too. O(elements).
 */
void dt_observations_shorten(DtObservations *observations);

G_END_DECLS

#endif
