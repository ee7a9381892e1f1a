/*
 * New body here: bodies of functions in no normal trace of this thread. They only
 * tell when the trace departs from normal.
 */
#include "verdict/evidence.h"

static void find_new_body_here(const DtTraceComparison *comparison, GArray *items, DtFinding *finding)
{
    dt_find_new_structure(comparison, TRUE, TRUE, items, finding);
}

/* Also of what is new in any thread, which is new here. */
static guint64 first_step_of_new_body_here(const DtEvidence *evidence)
{
    const DtFinding *own = &evidence->findings[DT_EVIDENCE_NEW_BODY_HERE];
    return own->value > 0 || evidence->findings[DT_EVIDENCE_NEW_BODY].value > 0 ? own->step : DT_NO_STEP;
}

const DtEvidenceKind dt_kind_new_body_here = {.name = "new body here",
                                              .is_in_departure = TRUE,
                                              .is_soft = TRUE,
                                              .finds_alone = TRUE,
                                              .find = find_new_body_here,
                                              .first_step = first_step_of_new_body_here};
