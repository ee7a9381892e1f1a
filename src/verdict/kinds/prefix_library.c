/*
 * Prefix of library calls: where they leave what its references have in common with it.
 */
#include "verdict/evidence.h"

static void judge_prefix_library(const DtCase *own, DtFinding *findings)
{
    dt_judge_divergence(own, DT_SEQUENCE_LIBRARY, findings);
}

static guint64 first_step_of_prefix_library(const DtEvidence *evidence)
{
    return dt_divergence_first_step(evidence, DT_SEQUENCE_LIBRARY);
}

static char *tell_prefix_library(const DtCase *own, guint trace)
{
    return dt_tell_divergence(own, trace, DT_SEQUENCE_LIBRARY);
}

const DtEvidenceKind dt_kind_prefix_library = {.name = "prefix, library",
                                               .is_in_departure = TRUE,
                                               .weight = 1,
                                               .weight_alone = 1.5,
                                               .is_soft = TRUE,
                                               .subject = "divergence",
                                               .judge = judge_prefix_library,
                                               .first_step = first_step_of_prefix_library,
                                               .tell = tell_prefix_library};
