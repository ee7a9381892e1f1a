/** The verdict of a pass that also serves others. */
#ifndef DT_VERDICT_READING_H
#define DT_VERDICT_READING_H

#include "decoder/pass.h"
#include "verdict/position.h"

G_BEGIN_DECLS

typedef struct DtVerdictReading DtVerdictReading;
/** Adds to a pass over the normal runs and then the faulty one, what the verdict has to know of them. */
DtVerdictReading *dt_verdict_reading_new(DtPass *pass, const DtVerdictRuns *runs);
/** Before the pass is freed. */
void dt_verdict_reading_free(DtVerdictReading *reading);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtVerdictReading, dt_verdict_reading_free)

/** After the pass, once. `views`: DT_POSITION_VIEWS of them, borrowed. */
DtVerdict *dt_verdict_of_reading(DtVerdictReading *reading, const DtPositionView *views, GError **error);

G_END_DECLS

#endif
