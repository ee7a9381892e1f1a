/** Foldings of the two runs by filter, each made once. */
#ifndef DT_COMPARE_FOLDING_CACHE_H
#define DT_COMPARE_FOLDING_CACHE_H

#include "compare/reading.h"

G_BEGIN_DECLS

typedef struct DtFoldingCache DtFoldingCache;
/** `runs` must outlive it. */
DtFoldingCache *dt_folding_cache_new(const DtRuns *runs, DtLoops loops, guint jobs);
void dt_folding_cache_free(DtFoldingCache *cache);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtFoldingCache, dt_folding_cache_free)

/**
 * Reads the runs and folds under all of these filters (element-type DtFilter) at once, with this K where they name
 * none. In a parallel analysis only the root has them then. At most once.
 */
gboolean dt_folding_cache_read(DtFoldingCache *cache, const DtParallel *parallel, const GPtrArray *filters, guint k,
                               const DtReadingWants *wants, GError **error);
/** What else was read; borrowed, NULL before dt_folding_cache_read(). */
DtReading *dt_folding_cache_reading(const DtFoldingCache *cache);

/** The runs folded under a filter in the literature's notation; borrowed, NULL on error. */
const DtFolding *dt_folding_cache_get(DtFoldingCache *cache, const char *notation, GError **error);

/**
 * The first of `comparison`'s filters, best row first and those of auxiliary calls alone last, that shows how the trace
 * ended, or failing that, the first that shows a difference, or failing that, the first. *shows tells which it is (a
 * DtShows; may be NULL). Borrowed, NULL on error.
 */
const DtFolding *dt_folding_cache_telling(DtFoldingCache *cache, const DtComparison *comparison, const char *label,
                                          guint *shows, GError **error);

G_END_DECLS

#endif
