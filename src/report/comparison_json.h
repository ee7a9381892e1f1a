/** The JSON form of a comparison. Internal to the reports. */
#ifndef DT_REPORT_COMPARISON_JSON_H
#define DT_REPORT_COMPARISON_JSON_H

#include "report/report.h"

G_BEGIN_DECLS

/** At most `top` rows of each table, 0 = all. */
char *dt_comparison_json(const DtComparison *comparison, guint top, gboolean with_recipe);

G_END_DECLS

#endif
