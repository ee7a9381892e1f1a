/** What a comparison reads of its runs, in one pass that decodes each trace once. */
#ifndef DT_COMPARE_READING_H
#define DT_COMPARE_READING_H

#include "compare/configuration.h"
#include "decoder/pass.h"

G_BEGIN_DECLS

/** What is read beside the foldings. */
typedef struct {
    gboolean verdict;        /* what dt_reading_verdict() needs */
    gboolean argument_diffs; /* what dt_reading_with_arguments() needs */
    gboolean names_alone;    /* neither looks at the arguments of calls */
    gboolean no_times;       /* the verdict does not look at times */
} DtReadingWants;

/** Of traces that differ, longer ones are not kept with their arguments. */
#define DT_ARGUMENT_DIFF_WORDS 50000000u

typedef struct DtReading DtReading;
/**
 * Reads the runs, which must outlive it, and folds them under all of these filters (element-type DtFilter), with this K
 * where they name none. `parallel`: by all of these, and only the root's reading is of use. NULL: alone.
 */
DtReading *dt_reading_new(const DtRuns *runs, const DtParallel *parallel, const GPtrArray *filters, guint k,
                          DtLoops loops, guint jobs, const DtReadingWants *wants, GError **error);
void dt_reading_free(DtReading *reading);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtReading, dt_reading_free)

/** By filter (element-type DtFolding), the caller's from now on; once. Empty for the others than the root. */
GPtrArray *dt_reading_take_foldings(DtReading *reading);
/** Once. */
DtVerdict *dt_reading_verdict(DtReading *reading, GError **error);
/** A trace of either run folded with the arguments of its calls, over a table of its own; NULL if that was not kept. */
DtFoldedTrace *dt_reading_with_arguments(const DtReading *reading, const char *notation, DtSide of, const char *label,
                                         DtLoopTable *table);
/** The trace, of either run, that was read and has the same events by names alone; NULL: another process read it. */
const DtDistinctTrace *dt_reading_find(const DtReading *reading, DtSide of, const DtTrace *trace);

G_END_DECLS

#endif
