/** Foldings of the two runs by filter, each made once. */
#ifndef DT_COMPARE_FOLDINGS_H
#define DT_COMPARE_FOLDINGS_H

#include "compare/reading.h"

G_BEGIN_DECLS

typedef struct DtFoldings DtFoldings;
/** `runs` must outlive it. */
DtFoldings *dt_foldings_new(const DtRuns *runs, DtLoops loops, guint jobs);
void dt_foldings_free(DtFoldings *foldings);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtFoldings, dt_foldings_free)

/**
 * Reads the runs and folds under all of these filters (element-type DtFilter) at once, with this K where they name
 * none. In a parallel analysis only the root has them then. At most once.
 */
gboolean dt_foldings_read(DtFoldings *foldings, const DtParallel *parallel, const GPtrArray *filters, guint k,
                          const DtReadingWants *wants, GError **error);
/** What else was read; borrowed, NULL before dt_foldings_read(). */
DtReading *dt_foldings_reading(const DtFoldings *foldings);

/** The runs folded under a filter in the literature's notation; borrowed, NULL on error. */
const DtFolding *dt_foldings_get(DtFoldings *foldings, const char *notation, GError **error);

/**
 * The first of `comparison`'s filters, best row first, that shows how the trace ended, or failing
 * that, the first that shows a difference, or failing that, the first. *shows tells which it is
 * (a DtShows; may be NULL). Borrowed, NULL on error.
 */
const DtFolding *dt_foldings_telling(DtFoldings *foldings, const DtComparison *comparison, const char *label,
                                     guint *shows, GError **error);

G_END_DECLS

#endif
