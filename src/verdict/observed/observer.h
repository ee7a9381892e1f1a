/** Reads one trace after the other into observations, in one pass and without keeping its calls. */
#ifndef DT_VERDICT_OBSERVED_OBSERVER_H
#define DT_VERDICT_OBSERVED_OBSERVER_H

#include "decoder/decoder.h"
#include "verdict/observed/observe.h"
#include "verdict/observed/request_places.h"

G_BEGIN_DECLS

/** Symbols by (caller, callee), shared by observers in several threads. */
typedef struct {
    const guint16 *kinds;
    const DtRequestPlaces *places; /* NULL: without arguments */
    DtAlphabet *alphabet;
    DtGramMap *known; /* caller << 32 | callee: position = symbol */
} DtSymbolTable;

/** Of one thread. */
typedef struct DtObserver DtObserver;
DtObserver *dt_observer_new(DtSymbolTable *symbols);
void dt_observer_free(DtObserver *observer);

/** Follows some events. Of what comes many times, only as many are looked at as change anything. */
void dt_observer_follow(DtObserver *observer, const DtEventBatch *batch);
/** All but the grams and the problem; the next trace may start. Fills the alphabet's bodies: only one thread at a time.
 */
DtObservation *dt_observer_finish(DtObserver *observer);

void dt_observation_free(DtObservation *observation);

/** Keeps what a function calls under its signature, for all threads; copies the callees. */
void dt_share_body(DtAlphabet *alphabet, guint64 signature, guint32 function, const guint32 *callees, guint count);

G_END_DECLS

#endif
