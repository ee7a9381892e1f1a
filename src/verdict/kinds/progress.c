/*
 * Progress: who is behind the others when a run hangs.
 */
#include <math.h>

#include "base/numbers.h"
#include "verdict/evidence.h"

static const double SAME_PROGRESS = 1e-12;

static void judge_progress(const DtCase *own, DtFinding *findings)
{
    const DtEvidence *evidence = own->evidence;
    const guint traces = own->corpus->traces;
    g_autofree double *sorted = g_new(double, (gsize)traces + 1);
    guint count = 0;
    for (guint trace = 0; own->unfinished && trace < traces; trace++) {
        if (dt_is_open(&evidence[trace]))
            sorted[count++] = evidence[trace].progress;
    }
    dt_sort_numbers(sorted, count);
    if (count == 0 || sorted[count - 1] - sorted[0] <= SAME_PROGRESS)
        return;
    const double least = sorted[0], most = sorted[count - 1];
    for (guint trace = 0; trace < traces; trace++) {
        if (!dt_is_open(&evidence[trace]))
            continue;
        guint same = dt_count_near(sorted, count, evidence[trace].progress, SAME_PROGRESS);
        double behind = (most - evidence[trace].progress) / (most - least);
        findings[trace].value = behind * behind / sqrt(same);
    }
}

static char *tell_progress(const DtCase *own, guint trace)
{
    if (own->evidence[trace].progress >= 1)
        return NULL;
    return g_strdup_printf("behind the others, at %.0f %% of normal", 100 * own->evidence[trace].progress);
}

const DtEvidenceKind dt_kind_progress = {
    .name = "progress", .weight = 1, .weight_alone = 0.4, .judge = judge_progress, .tell = tell_progress};
