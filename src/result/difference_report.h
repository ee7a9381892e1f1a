/** The difference of one trace under one filter as reports take it. */
#ifndef DT_RESULT_DIFFERENCE_REPORT_H
#define DT_RESULT_DIFFERENCE_REPORT_H

#include "compare/difference.h"
#include "report/report.h"

G_BEGIN_DECLS

/** Borrows everything; `width` 0. */
DtDiffNlrReport dt_difference_named(const DtComparison *comparison, const DtRuns *runs, const DtFolding *folding,
                                    const char *label, const DtDiffNlr *diff);

/**
 * The trace's diffNLR, with the runs' names as the comparison has them; the trace must be in both runs. Text is `width`
 * characters wide, 0: any.
 */
char *dt_difference_report(const DtComparison *comparison, const DtRuns *runs, const DtFolding *folding,
                           const char *label, guint width, DtReportFormat format, GError **error);

G_END_DECLS

#endif
