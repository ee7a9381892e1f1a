/** The difference of one trace under one filter, as `diffnlr` and `compare` show it. */
#ifndef DT_COMPARE_DIFFERENCE_H
#define DT_COMPARE_DIFFERENCE_H

#include "compare/configuration.h"

G_BEGIN_DECLS

/** The trace's diffNLR; NULL if it is not in both runs. The folding must outlive it. */
DtDiffNlr *dt_difference(const DtRuns *runs, const DtFolding *folding, const char *label);
/**
 * How much the filter shows of the trace's difference: nothing; something; or also
 * how the trace ended, where the suspects say that it did not finish.
 */
typedef enum { DT_SHOWS_NOTHING, DT_SHOWS_DIFFERENCE, DT_SHOWS_END } DtShows;
DtShows dt_filter_shows(const DtComparison *comparison, const DtRuns *runs, const DtFolding *folding,
                        const char *label);

/** The filters of the ranking table, best row first, each once; (element-type char *), borrowed strings. */
GPtrArray *dt_filters_by_rank(const DtComparison *comparison);

G_END_DECLS

#endif
