/** The whole pipeline over every configuration asked for. */
#ifndef DT_COMPARE_SWEEP_H
#define DT_COMPARE_SWEEP_H

#include "compare/folding_cache.h"
#include "compare/selection.h"

G_BEGIN_DECLS

/**
 * Fills the selection up with what is swept by default, and reads the runs: each trace once, for the foldings under all
 * its filters and for what else is wanted. `parallel`: together with these, who all call it; only the root's cache
 * is of use. NULL: alone.
 */
DtFoldingCache *dt_compare_read(const DtRuns *runs, DtSelection *selection, const DtParallel *parallel,
                                const DtReadingWants *wants, GError **error);

/**
 * Ranks under every filter and attribute setting of the selection and gives the verdict. *suspect: the verdict
 * names at least one trace of level `suspect`. The foldings were read with a verdict wanted.
 */
DtComparison *dt_compare(const DtRuns *runs, const DtSelection *selection, DtFoldingCache *cache, gboolean *suspect,
                         GError **error);

G_END_DECLS

#endif
