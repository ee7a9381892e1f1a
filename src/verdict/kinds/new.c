/*
 * New: grams in no normal trace of any thread.
 */
#include "verdict/why.h"

static void find_new(const DtTraceComparison *comparison, GArray *items, DtFinding *finding)
{
    dt_find_new_structure(comparison, FALSE, FALSE, items, finding);
}

static char *tell_new(const DtCase *own, guint trace)
{
    g_autofree char *gram = dt_gram_text(own->corpus, own->evidence[trace].findings[DT_EVIDENCE_NEW].key);
    return g_strconcat("new in any thread: ", gram, NULL);
}

const DtEvidenceKind dt_kind_new = {.name = "new",
                                    .is_in_departure = TRUE,
                                    .weight = 1,
                                    .is_soft = TRUE,
                                    .is_in_difference = TRUE,
                                    .subject = "structure",
                                    .find = find_new,
                                    .tell = tell_new};
