/** What rules (checks/checks.h) find in the runs that are compared. */
#ifndef DT_COMPARE_CHECKS_H
#define DT_COMPARE_CHECKS_H

#include "checks/checks.h"
#include "compare/compare.h"
#include "compare/runs.h"

G_BEGIN_DECLS

/** A copy. */
DtCheckRow *dt_check_row_of(const DtCheckFinding *finding);

/**
 * Fills in what rules find in the faulty run; those of it that they find in a normal run, too, come last. Where a run
 * judged alone has neither hung nor crashed, its first error becomes the verdict. Where the verdict accuses nobody, the
 * first error that no normal run has comes before it, and makes suspects of its traces if they are at most half of the
 * processes. `*failed`: there is such an error. Runs of more than 2^25 words are left
 * alone, for the time it takes: they are read once more for it. What cannot be read has no findings.
 */
void dt_comparison_check(DtComparison *comparison, const DtRuns *runs, gboolean *failed);

G_END_DECLS

#endif
