/** The differences of a few traces once more, with the arguments of their calls. */
#ifndef DT_RESULT_ARGUMENT_DIFFS_H
#define DT_RESULT_ARGUMENT_DIFFS_H

#include "compare/folding_cache.h"
#include "report/report.h"

G_BEGIN_DECLS

/** Only of so many traces, and of none that is longer: each is read again. */
enum { DT_DETAILED_TRACES = 8, DT_DETAILED_WORDS = 50000000 };

typedef struct DtDetailed DtDetailed;
/** The same traces and filters as `differences` (element-type DtDiffNlrReport), as far as arguments make one. */
DtDetailed *dt_detailed_new(const DtRuns *runs, const GArray *differences, guint min_repeat, GError **error);
void dt_detailed_free(DtDetailed *detailed);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtDetailed, dt_detailed_free)
/** (element-type DtDiffNlrReport), borrowed. */
const GArray *dt_detailed_reports(const DtDetailed *detailed);

G_END_DECLS

#endif
