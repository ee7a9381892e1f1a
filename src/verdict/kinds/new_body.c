/*
 * New body: bodies of functions in no normal trace of any thread.
 */
#include "verdict/evidence.h"

static void find_new_body(const DtTraceComparison *comparison, GArray *items, DtFinding *finding)
{
    dt_find_new_structure(comparison, TRUE, FALSE, items, finding);
}

const DtEvidenceKind dt_kind_new_body = {.name = "new body",
                                         .is_in_departure = TRUE,
                                         .weight = 0.75,
                                         .weight_alone = 0.3,
                                         .is_soft = TRUE,
                                         .finds_alone = TRUE,
                                         .find = find_new_body,
                                         .sentence = "a function makes its calls in a way it never does normally"};
