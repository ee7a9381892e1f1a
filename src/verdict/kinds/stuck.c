/*
 * Stuck: traces that stopped outside any call that waits, ends the process or polls, and did not get on any more, or
 * got on alone.
 */
#include "verdict/evidence.h"

/* Few still got on when the time limit came, and all others wait: what they do may have no end. */
static gboolean all_others_wait(const DtCase *own)
{
    guint moving = 0, waiting = 0;
    for (guint trace = 0; trace < own->corpus->traces; trace++) {
        const DtTraceEnding *ending = &own->evidence[trace].ending;
        if (!ending->open)
            continue;
        if (!ending->moves && !ending->waits_in)
            return FALSE;
        moving += ending->moves ? 1 : 0;
        waiting += ending->moves ? 0 : 1;
    }
    return moving < waiting;
}

/* Once somebody died, the others were stopped wherever they were: only the dead tell anything by it. */
static void judge_stuck(const DtCase *own, DtFinding *findings)
{
    const guint traces = own->corpus->traces;
    const gboolean somebody_died = dt_somebody_died(own), awaited = all_others_wait(own);
    g_autofree gboolean *marked = g_new0(gboolean, traces + 1);
    for (guint trace = 0; trace < traces; trace++) {
        const DtTraceEnding *ending = &own->evidence[trace].ending;
        marked[trace] = ending->open && (!ending->moves || awaited) && !ending->waits_in && !ending->ends_in &&
                        !dt_ends_in_poll(own->corpus, trace) && (!somebody_died || ending->died);
    }
    dt_share_value(marked, traces, 1, findings);
}

const DtEvidenceKind dt_kind_stuck = {
    .name = "stuck", .weight = 2, .weight_alone = 3, .judge = judge_stuck, .sentence = "outside any waiting call"};
