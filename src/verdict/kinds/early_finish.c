/*
 * Early finish: traces that finished before their time while the run did not.
 */
#include "verdict/evidence.h"

static const double NEARLY_ALL = 0.9;

static void judge_early_finish(const DtCase *own, DtFinding *findings)
{
    guint count = 0;
    for (guint pass = 0; own->unfinished && pass < 2; pass++) {
        for (guint trace = 0; trace < own->corpus->traces; trace++) {
            const DtEvidence *evidence = &own->evidence[trace];
            if (!evidence->comparable || !evidence->ending.finished || evidence->progress >= NEARLY_ALL)
                continue;
            if (pass == 0)
                ++count;
            else
                findings[trace].value = (1 - evidence->progress) / count;
        }
    }
}

const DtEvidenceKind dt_kind_early_finish = {.name = "early finish",
                                             .weight = 1.5,
                                             .weight_alone = 0.5,
                                             .judge = judge_early_finish,
                                             .sentence = "finished while others go on"};
