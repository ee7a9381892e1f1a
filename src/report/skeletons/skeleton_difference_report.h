/** How two skeletons differ. */
#ifndef DT_REPORT_SKELETON_DIFFERENCE_REPORT_H
#define DT_REPORT_SKELETON_DIFFERENCE_REPORT_H

#include "report/report.h"
#include "skeleton/difference.h"

G_BEGIN_DECLS

/** Text, for a terminal with colours, and JSON. */
char *dt_report_skeleton_difference(const DtSkeletonDifference *difference, DtReportFormat format, GError **error);
/** "first", "changed", ... */
const char *dt_line_kind_name(DtLineKind kind);
/** "-", "+", "~", " ": how a line is marked. */
const char *dt_line_mark(DtLineKind kind);

G_END_DECLS

#endif
