/*
 * Polls: all others wait, so who polls for ever is more likely to be in a loop that
 * nothing ends. But if somebody did what is never done, others may well poll for what does not come.
 */
#include "verdict/evidence.h"

static void judge_polls(const DtCase *own, DtFinding *findings)
{
    const guint traces = own->corpus->traces;
    if (dt_somebody_died(own) || dt_somebody_has(own, DT_EVIDENCE_STUCK) || dt_somebody_has(own, DT_EVIDENCE_ACT))
        return;
    g_autofree gboolean *marked = g_new0(gboolean, traces + 1);
    for (guint trace = 0; trace < traces; trace++) {
        const DtTraceEnding *ending = &own->evidence[trace].ending;
        marked[trace] = ending->open && !ending->waits_in && dt_ends_in_poll(own->corpus, trace);
    }
    dt_share_value(marked, traces, 1, findings);
}

const DtEvidenceKind dt_kind_polls = {.name = "polls",
                                      .weight = 1,
                                      .weight_alone = 0.3,
                                      .judge = judge_polls,
                                      .sentence = "polls for ever while the others wait"};
