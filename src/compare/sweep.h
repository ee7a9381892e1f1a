/** The whole pipeline over every configuration asked for. */
#ifndef DT_COMPARE_SWEEP_H
#define DT_COMPARE_SWEEP_H

#include "compare/folding_cache.h"
#include "compare/selection.h"

G_BEGIN_DECLS

/**
 * Fills the selection up with what is swept by default, and folds the runs under all its filters. `parallel`: together
 * with these, who all call it; only the root's foldings are of use. NULL: alone.
 */
DtFoldingCache *dt_compare_fold(const DtRuns *runs, DtSelection *selection, const DtParallel *parallel, GError **error);

/**
 * Ranks under every filter and attribute setting of the selection and gives the verdict. *suspect: the verdict
 * names at least one trace of level `suspect`. `with_arguments`: the verdict looks at the arguments of calls, too.
 */
DtComparison *dt_compare(const DtRuns *runs, const DtSelection *selection, DtFoldingCache *cache,
                         gboolean with_arguments, gboolean *suspect, GError **error);

G_END_DECLS

#endif
