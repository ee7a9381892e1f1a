/** What a difference comes to in calls. Internal to the page. */
#ifndef DT_REPORT_PAGE_CHANGES_H
#define DT_REPORT_PAGE_CHANGES_H

#include "report/report.h"

G_BEGIN_DECLS

/** How often a trace calls a function where the runs differ. */
typedef struct {
    guint32 function;
    guint64 normal, faulty;
} DtChangedCalls;

/**
 * Functions that are not called equally often; (element-type DtChangedCalls) by descending difference; g_array_unref().
 * O(elements + bodies).
 */
GArray *dt_page_changes(const DtDiffNlrReport *what);

G_END_DECLS

#endif
