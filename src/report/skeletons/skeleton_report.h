/** A skeleton as a document. */
#ifndef DT_REPORT_SKELETONS_SKELETON_REPORT_H
#define DT_REPORT_SKELETONS_SKELETON_REPORT_H

#include "report/report.h"
#include "skeleton/skeleton.h"

G_BEGIN_DECLS

/** Its text, in colours for terminals, or JSON (docs/schemas/skeleton.schema.json); without what
 * `without` says. g_free(). */
char *dt_report_skeleton(const DtSkeleton *skeleton, DtSkeletonTextFlags without, DtReportFormat format,
                         GError **error);

G_END_DECLS

#endif
