/** Folding by several processes together. */
#ifndef DT_NLR_FOLD_PARALLEL_H
#define DT_NLR_FOLD_PARALLEL_H

#include "nlr/nlr.h"
#include "parallel/parallel.h"

/**
 * As dt_nlr_fold_runs(), by several processes: every member has the same runs open and the same plans, reads and folds
 * its share of the traces, and the root gets all. What it gets is the same as one process gets. The other members get
 * an empty array. Call trees are the root's work alone. Collective. `parallel` NULL: alone.
 */
GPtrArray *dt_nlr_fold_runs_parallel(const DtParallel *parallel, const DtRun *const *runs, guint run_count,
                                     const DtFoldPlan *plans, guint plan_count, guint jobs, DtFoldProgress progress,
                                     gpointer user_data, GError **error);

#endif
