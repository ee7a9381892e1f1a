/*
 * Order: who departs from normal first.
 */
#include "base/numbers.h"
#include "verdict/evidence.h"

static const double SAME_ONSET = 1e-9;

/* So many traces depart from normal at once that being among the first says nothing of one of them: a change that all
 * have, such as another option on the command line. */
static void find_crowd(const DtCase *own, DtFinding *findings)
{
    g_autofree double *orders = g_new(double, own->corpus->traces + 1);
    guint count = 0;
    for (guint trace = 0; trace < own->corpus->traces; trace++) {
        if (own->evidence[trace].has_place)
            orders[count++] = findings[trace].value;
    }
    dt_sort_numbers(orders, count);
    for (guint trace = 0; trace < own->corpus->traces; trace++) {
        guint together = count - dt_count_less(orders, count, findings[trace].value);
        findings[trace].is_common = together > 1 && 2 * together >= count;
    }
}

static void judge_order(const DtCase *own, DtFinding *findings)
{
    g_autofree double *onsets = g_new(double, own->corpus->traces + 1);
    guint count = 0;
    for (guint trace = 0; trace < own->corpus->traces; trace++) {
        if (own->evidence[trace].has_onset)
            onsets[count++] = own->evidence[trace].onset;
    }
    dt_sort_numbers(onsets, count);
    for (guint trace = 0; trace < own->corpus->traces; trace++) {
        guint earlier = dt_count_less(onsets, count, own->evidence[trace].onset - SAME_ONSET);
        findings[trace].value = own->evidence[trace].has_onset ? 1.0 / (1 + earlier) : 0;
    }
    find_crowd(own, findings);
}

static char *tell_order(const DtCase *own, guint trace)
{
    const DtFinding *finding = &own->evidence[trace].findings[DT_EVIDENCE_ORDER];
    const DtCorpus *corpus = own->corpus;
    const DtEvidence *evidence = &own->evidence[trace];
    if (!evidence->has_place || finding->is_common)
        return NULL;
    double usual = dt_corpus_mean_steps(corpus, corpus->normals, trace);
    const char *unit = dt_corpus_counts_library_calls(corpus, corpus->normals, trace) ? "library call" : "call";
    return g_strdup_printf("%s from normal, at %s %.0f of %.0f", finding->value < 1 ? "departs" : "first to depart",
                           unit, evidence->onset * MAX(1, usual) + 1, usual);
}

const DtEvidenceKind dt_kind_order = {
    .name = "order", .weight = 1.5, .is_soft = TRUE, .judge = judge_order, .tell = tell_order};
