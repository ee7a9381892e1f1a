/*
 * New here: grams in no normal trace of this thread.
 */
#include "verdict/why.h"

static void find_new_here(const DtTraceComparison *comparison, GArray *items, DtFinding *finding)
{
    dt_find_new_structure(comparison, FALSE, TRUE, items, finding);
}

/* Also of what is new in any thread, which is new here. */
static guint64 first_step_of_new_here(const DtEvidence *evidence)
{
    const DtFinding *own = &evidence->findings[DT_EVIDENCE_NEW_HERE];
    return own->value > 0 || evidence->findings[DT_EVIDENCE_NEW].value > 0 ? own->step : DT_NO_STEP;
}

static char *tell_new_here(const DtCase *own, guint trace)
{
    g_autofree char *gram = dt_gram_text(own->corpus, own->evidence[trace].findings[DT_EVIDENCE_NEW_HERE].key);
    return g_strconcat("new in this thread: ", gram, NULL);
}

const DtEvidenceKind dt_kind_new_here = {.name = "new here",
                                         .is_in_departure = TRUE,
                                         .weight = 0.75,
                                         .is_soft = TRUE,
                                         .is_in_difference = TRUE,
                                         .subject = "structure",
                                         .find = find_new_here,
                                         .first_step = first_step_of_new_here,
                                         .tell = tell_new_here};
