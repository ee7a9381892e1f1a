/** Folding runs, inside: what is done once for all traces with the same events, and in a parallel analysis by one of
 * its members. */
#ifndef DT_NLR_FOLD_JOB_H
#define DT_NLR_FOLD_JOB_H

#include "nlr/fold.h"
#include "parallel/parallel.h"

/** What a worker makes of the events that one or more traces have. */
typedef struct {
    const DtRun *run;
    const DtTrace *trace; /* the first that has them */
    DtLooseNlr **loose;   /* by plan; NULL once it is taken */
    DtNlr **nlr;          /* by plan, from then on; borrowed */
    GArray **open;        /* by plan (element-type guint32) */
    char *problem;
    GError *failure; /* it could not be read at all */
} DtFoldJob;

/** Digests of all traces, of which each member has made its share (dt_parallel_share()). Collective. */
void dt_fold_exchange_digests(const DtParallel *parallel, char **digests, guint count);

/**
 * Which member does which job: `order` has the jobs by descending length, and the next one always goes to the member
 * with the least to do. By number of the job in `jobs`, g_free().
 */
guint *dt_fold_assign(const DtParallel *parallel, const DtFoldJob *jobs, DtFoldJob *const *order, guint count);

/**
 * What the members made of the jobs that `member_of` gives them comes to the root, equal NLRs once. Collective.
 */
void dt_fold_gather(const DtParallel *parallel, DtFoldJob *jobs, guint count, const guint *member_of, guint plan_count);

#endif
