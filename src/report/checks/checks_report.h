/** Findings of the rules (checks/checks.h) in the forms in which they are read. Internal to the commands. */
#ifndef DT_REPORT_CHECKS_REPORT_H
#define DT_REPORT_CHECKS_REPORT_H

#include "checks/checks.h"
#include "compare/checks.h"
#include "report/json.h"
#include "report/report.h"

G_BEGIN_DECLS

/** Text in `width` characters (0: any), TSV or JSON; g_free(). */
char *dt_report_checked(const DtChecked *checked, guint width, DtReportFormat format, GError **error);
/** Static Analysis Results Interchange Format 2.1.0, which forges and editors show at the lines; g_free(). */
char *dt_report_checked_sarif(const DtChecked *checked, const char *version);
/** JUnit's XML, as continuous integration reads it: a test a rule; g_free(). */
char *dt_report_checked_junit(const DtChecked *checked);

/** An element of findings[]; checks_json.c. */
void dt_check_finding_add_json(JsonBuilder *builder, const DtCheckFinding *finding);
/** The line that heads a finding: "ring.c:41: error: collective-root: MPI_Bcast(world, root 1, 4 B) [0-3]"; g_free().
 */
char *dt_check_row_text(const DtCheckRow *row);

G_END_DECLS

#endif
