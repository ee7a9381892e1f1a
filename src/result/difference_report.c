/* The difference of one trace as reports take it. */
#include "result/difference_report.h"

DtDiffNlrReport dt_difference_named(const DtComparison *comparison, const DtRuns *runs, const DtFolding *folding,
                                    const char *label, const DtDiffNlr *diff)
{
    return (DtDiffNlrReport){.trace = label,
                             .filter = folding->filter,
                             .normal = comparison->normal ? comparison->normal : dt_run_path(runs->normal),
                             .faulty = comparison->faulty,
                             .functions = runs->functions,
                             .table = folding->table,
                             .tree = folding->tree,
                             .diff = diff};
}

char *dt_difference_report(const DtComparison *comparison, const DtRuns *runs, const DtFolding *folding,
                           const char *label, guint width, DtReportFormat format, GError **error)
{
    g_autoptr(DtDiffNlr) diff = dt_difference(runs, folding, label);
    DtDiffNlrReport what = dt_difference_named(comparison, runs, folding, label, diff);
    what.width = width;
    return dt_report_diffnlr(&what, format, error);
}
