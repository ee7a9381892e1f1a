/**
 * How far runs are compared, of which a time limit ended some while they still got on: what a run has behind the end
 * of another one is no difference. Decided once, for all evidence: docs/algorithms/verdict.md, Cut off.
 */
#ifndef DT_VERDICT_REACH_H
#define DT_VERDICT_REACH_H

#include "verdict/observed/observe.h"

G_BEGIN_DECLS

typedef struct {
    GPtrArray *normals;     /* (element-type DtRun) those that are compared; borrowed */
    gboolean *is_left_out;  /* by normal run: it was cut off, while others came to their ends */
    guint given, cut_off;   /* normal runs; of them, those that were cut off */
    gboolean faulty;        /* the faulty run was cut off */
    gboolean limited;       /* traces are compared in part */
    GHashTable *entries;    /* by label (guint64): its traces are compared up to there; 0: there is none of them */
    guint64 compared, most; /* entries of all traces that are compared, of those of the run that has more */
} DtReach;

/** TRUE if a time limit ended the job while most of its processes still got on. */
gboolean dt_was_cut_off(const DtRun *run);

/**
 * Of the normal runs and the faulty one, and what was observed of them. Those in `waits` that wait for each other would
 * not have got on: they are compared whole. `waits` may be NULL. O(traces).
 */
DtReach *dt_reach_new(const GPtrArray *normals, const DtRun *faulty, const DtObservations *observations,
                      const DtWaitFor *waits);
void dt_reach_free(DtReach *reach);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtReach, dt_reach_free)

/** Takes off of observations of the same runs what is not compared; the normal runs are `normals` then. O(elements). */
void dt_reach_apply(const DtReach *reach, DtObservations *observations);

G_END_DECLS

#endif
