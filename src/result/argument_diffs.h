/** The differences of a few traces once more, with the arguments of their calls. */
#ifndef DT_RESULT_ARGUMENT_DIFFS_H
#define DT_RESULT_ARGUMENT_DIFFS_H

#include "compare/folding_cache.h"
#include "report/report.h"

G_BEGIN_DECLS

/** Of so many traces. */
enum { DT_DETAILED_TRACES = 8 };

typedef struct DtDetailed DtDetailed;
/** The first traces of `differences` (element-type DtDiffNlrReport), under the same filters, of which `reading` has the
 * arguments. */
DtDetailed *dt_detailed_new(const DtReading *reading, const GArray *differences);
void dt_detailed_free(DtDetailed *detailed);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtDetailed, dt_detailed_free)
/** (element-type DtDiffNlrReport), borrowed. */
const GArray *dt_detailed_reports(const DtDetailed *detailed);

G_END_DECLS

#endif
