/** Folding runs, inside: what is done once for all traces with the same events, and in a parallel analysis by one of
 * its members. */
#ifndef DT_NLR_FOLD_JOB_H
#define DT_NLR_FOLD_JOB_H

#include "decoder/pass.h"
#include "nlr/fold.h"

/** What a worker makes of the events that one or more traces have. */
typedef struct {
    DtLooseNlr **loose; /* by plan, each NULL once it is taken; NULL: there is no job */
    DtNlr **nlr;        /* by plan, from then on; borrowed */
    GArray **open;      /* by plan (element-type guint32) */
    char *problem;
    GError *failure; /* it could not be read at all */
} DtFoldJob;

/**
 * Which member does which job: the longest that is left always goes to the member with the least to do. By number of
 * the distinct trace, g_free().
 */
guint *dt_fold_assign(const DtParallel *parallel, const DtFoldJob *jobs, const DtPass *pass);

/**
 * What the members made of the jobs that `member_of` gives them comes to the root, equal NLRs once. Collective.
 */
void dt_fold_gather(const DtParallel *parallel, DtFoldJob *jobs, guint count, const guint *member_of, guint plan_count);

#endif
