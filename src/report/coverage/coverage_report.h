/** What runs exercised (coverage/coverage.h) in the forms in which it is read. Internal to the commands. */
#ifndef DT_REPORT_COVERAGE_REPORT_H
#define DT_REPORT_COVERAGE_REPORT_H

#include "coverage/coverage.h"
#include "report/report.h"

G_BEGIN_DECLS

/** Text in `width` characters (0: any), `never`: without rows that were exercised whole; TSV or JSON; g_free(). */
char *dt_report_coverage(const DtCoverage *coverage, gboolean never, guint width, DtReportFormat format,
                         GError **error);

G_END_DECLS

#endif
