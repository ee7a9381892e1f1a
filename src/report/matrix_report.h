/** Forms of a matrix, a file each. Internal to the reports. */
#ifndef DT_REPORT_MATRIX_REPORT_H
#define DT_REPORT_MATRIX_REPORT_H

#include "report/report.h"

G_BEGIN_DECLS

/** What such a matrix shows, in one line. */
const char *dt_matrix_heading(DtSide side);
/** The heat map. */
char *dt_matrix_svg(const DtMatrixReport *what, GError **error);

G_END_DECLS

#endif
