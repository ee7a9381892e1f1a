/**
 * What is not simulated. A call that the simulation cannot follow leaves the rank to go on, and is noted: whoever
 * stands still afterwards may wait for what it would have done, so that nothing is proved.
 */
#ifndef DT_SIMULATE_MODELLED_H
#define DT_SIMULATE_MODELLED_H

#include "simulate/simulating.h"

G_BEGIN_DECLS

/** Notes what of the skeleton no simulation follows, whatever is called: other threads of ranks that communicate. */
void dt_modelled_begin(DtSimulating *simulating);
/** TRUE if the call that the rank is in is simulated, or if nobody else can tell whether it is. Else it is noted. */
gboolean dt_is_modelled(DtSimulating *simulating, guint rank, const struct dt_call *row);
/** Notes that something is not simulated; `what` may be a call's name or any other text. */
void dt_modelled_note(DtSimulating *simulating, const char *what);

G_END_DECLS

#endif
