/** report.html of a comparison. */
#ifndef DT_RESULT_PAGE_DATA_H
#define DT_RESULT_PAGE_DATA_H

#include "compare/folding_cache.h"

G_BEGIN_DECLS

#define DT_RESULT_PAGE "report.html"
/** Of so many suspects the page shows the difference, and lattices of so many concepts. */
enum { DT_PAGE_SUSPECTS = 24, DT_PAGE_CONCEPTS = 60 };

/** Gathers what the page shows and makes it; g_free(). `cache`: after dt_folding_cache_read(), with what is wanted of
 * arguments. */
char *dt_page_make(const DtComparison *comparison, const DtRuns *runs, DtFoldingCache *cache, guint jobs,
                   GError **error);

G_END_DECLS

#endif
