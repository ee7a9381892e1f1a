/** What the end of a run proves by itself: docs/algorithms/verdict.md, Proof. */
#ifndef DT_VERDICT_PROOF_H
#define DT_VERDICT_PROOF_H

#include "verdict/judgement.h"

G_BEGIN_DECLS

/**
 * Marks the traces that died by themselves (a fatal signal of their own, abort, an uncaught exception) or that are in a
 * deadlock, and that no normal run has so. If more than half of the processes did, nobody is marked. Per trace;
 * g_free(). O(traces).
 */
gboolean *dt_proofs_new(const DtJudgement *judgement);

/** TRUE if the faulty run died, failed, is deadlocked, or hung, and no normal run did. O(traces). */
gboolean dt_run_failed(const DtJudgement *judgement);

G_END_DECLS

#endif
