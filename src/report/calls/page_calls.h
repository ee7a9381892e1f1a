/** The call tree of both runs, as report.html shows it. Internal. */
#ifndef DT_REPORT_CALLS_PAGE_CALLS_H
#define DT_REPORT_CALLS_PAGE_CALLS_H

#include "report/json.h"
#include "report/page.h"

G_BEGIN_DECLS

/** "calls": frames with their callers, and how often, or how long, both runs were in each; null: not known. Of more
 * frames than DT_PAGE_CALLS_SHOWN those stay in which the runs differ most, then those with most calls. */
void dt_page_add_calls(JsonBuilder *builder, const DtPage *page);

G_END_DECLS

#endif
