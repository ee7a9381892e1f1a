/** The parts of the page's data, a file each. Internal to the reports. */
#ifndef DT_REPORT_PAGE_JSON_H
#define DT_REPORT_PAGE_JSON_H

#include "report/json.h"
#include "report/page.h"

G_BEGIN_DECLS

/** "runs": facts about both. */
void dt_page_add_runs(JsonBuilder *builder, const DtPage *page);
/** "functions", "foldings", "differences": elements are numbers or [body, count]. */
void dt_page_add_differences(JsonBuilder *builder, const DtPage *page);
/** "views": matrices by tiles, in the order of their dendrogram. */
void dt_page_add_views(JsonBuilder *builder, const DtPage *page);

G_END_DECLS

#endif
