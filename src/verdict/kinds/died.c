/*
 * Died: traces that ended their processes, or that a signal hit. The main point of
 * the sentence on a trace tells it already.
 */
#include "verdict/evidence.h"

static const double OF_A_FAILURE = 0.5;

/* If nobody died: traces that finished, but whose processes told of a failure that the others know nothing of. */
static void judge_died(const DtCase *own, DtFinding *findings)
{
    const guint traces = own->corpus->traces;
    const gboolean somebody_died = dt_somebody_died(own);
    g_autofree gboolean *marked = g_new0(gboolean, traces + 1);
    for (guint trace = 0; trace < traces; trace++) {
        const DtTraceEnding *ending = &own->evidence[trace].ending;
        marked[trace] = somebody_died ? ending->died : ending->failed;
    }
    dt_share_value(marked, traces, somebody_died ? 1 : OF_A_FAILURE, findings);
}

const DtEvidenceKind dt_kind_died = {.name = "died", .weight = 1.5, .weight_alone = 2.4, .judge = judge_died};
