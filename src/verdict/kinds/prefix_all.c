/*
 * Prefix of all calls: where a trace leaves what its references have in common with it.
 */
#include "verdict/evidence.h"

static void judge_prefix_all(const DtCase *own, DtFinding *findings)
{
    dt_judge_divergence(own, DT_SEQUENCE_ALL, findings);
}

static guint64 first_step_of_prefix_all(const DtEvidence *evidence)
{
    return dt_divergence_first_step(evidence, DT_SEQUENCE_ALL);
}

static char *tell_prefix_all(const DtCase *own, guint trace)
{
    return dt_tell_divergence(own, trace, DT_SEQUENCE_ALL);
}

const DtEvidenceKind dt_kind_prefix_all = {.name = "prefix, all calls",
                                           .is_in_departure = TRUE,
                                           .weight = 1,
                                           .weight_alone = 1,
                                           .is_soft = TRUE,
                                           .is_in_difference = TRUE,
                                           .subject = "divergence",
                                           .judge = judge_prefix_all,
                                           .first_step = first_step_of_prefix_all,
                                           .tell = tell_prefix_all};
