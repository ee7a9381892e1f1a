/** Forms of a dendrogram, a file each. Internal to the reports. */
#ifndef DT_REPORT_DENDROGRAM_REPORT_H
#define DT_REPORT_DENDROGRAM_REPORT_H

#include "report/report.h"

G_BEGIN_DECLS

/** What such a dendrogram shows, in one line. */
const char *dt_dendrogram_heading(DtSide side);
char *dt_dendrogram_svg(const DtDendrogramReport *what, GError **error);

G_END_DECLS

#endif
