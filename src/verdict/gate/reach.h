/**
 * How far runs are compared, of which a time limit ended some while they still got on: what a run has behind the end
 * of another one is no difference. Decided once, for all evidence: docs/algorithms/verdict.md, Cut off.
 */
#ifndef DT_VERDICT_REACH_H
#define DT_VERDICT_REACH_H

#include "verdict/observed/observe.h"

G_BEGIN_DECLS

typedef struct {
    GPtrArray *normals;    /* (element-type DtRun) those that are compared; borrowed */
    gboolean *is_left_out; /* by normal run: it was cut off, while others came to their ends */
    guint given, cut_off;  /* normal runs; of them, those that were cut off */
    gboolean faulty;       /* the faulty run was cut off */
    gboolean limited;      /* traces are compared in part */
    GHashTable **ended; /* by run, the faulty one last: labels of traces that the time limit ended (set of strings) */
    GHashTable *absent; /* labels of traces that a run had not come to when it was cut off (set of strings) */
    guint64 compared, most; /* calls of the run that has most: those that are compared, all of them */
} DtReach;

/**
 * Of the normal runs and the faulty one, and what was observed of them, to which it is applied. Those in `waits` that
 * wait for each other would not have got on: they are compared whole. `waits` may be NULL. O(elements).
 */
DtReach *dt_reach_new(const GPtrArray *normals, const DtRun *faulty, DtObservations *observations,
                      const DtWaitFor *waits);
void dt_reach_free(DtReach *reach);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtReach, dt_reach_free)

/** Takes off of what else was observed of the runs what is not compared: there are `normals` and the faulty run then.
 */
void dt_reach_apply(const DtReach *reach, DtObservations *observations);

G_END_DECLS

#endif
