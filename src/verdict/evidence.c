/*
 * From the kinds of evidence to the score: onset of the first evidence, weighted
 * sum. The weights are those of the study.
 */
#include "verdict/evidence.h"

static const double NOISY_SHARE = 0.6;

#define DT_EVIDENCE_POINTER(INDEX, kind) &dt_kind_##kind,
const DtEvidenceKind *const dt_evidence_kinds[DT_EVIDENCE_KINDS] = {DT_EVIDENCE_ROWS(DT_EVIDENCE_POINTER)};
#undef DT_EVIDENCE_POINTER

static void find_presence(const DtCorpus *corpus, DtEvidence *evidence)
{
    g_autofree const DtObservedTrace **references = g_new(const DtObservedTrace *, dt_corpus_max_references(corpus));
    for (guint trace = 0; trace < corpus->traces; trace++) {
        for (guint run = 0; run < corpus->normals; run++)
            evidence[trace].normals_with += dt_corpus_at(corpus, run, trace) != NULL;
        if (dt_corpus_label_is_void(corpus, trace))
            evidence[trace].normals_with = corpus->normals;
        evidence[trace].present = dt_corpus_at(corpus, corpus->normals, trace) != NULL;
        evidence[trace].comparable =
            evidence[trace].present &&
            (corpus->normals == 0 || dt_corpus_references(corpus, corpus->normals, trace, references) > 0);
    }
}

static void measure_progress(const DtCorpus *corpus, DtEvidence *evidence)
{
    for (guint trace = 0; trace < corpus->traces; trace++) {
        if (!evidence[trace].comparable)
            continue;
        double usual = dt_corpus_mean_steps(corpus, corpus->normals, trace);
        evidence[trace].progress = usual > 0 ? dt_corpus_steps(corpus, corpus->normals, trace) / usual : 1;
    }
}

/* When the first evidence on a trace appears, as a share of its normal steps. */
static void find_onset(const DtCorpus *corpus, guint trace, DtEvidence *evidence)
{
    guint64 first = DT_NO_STEP;
    for (guint kind = 0; kind < DT_EVIDENCE_KINDS; kind++) {
        if (dt_evidence_kinds[kind]->first_step)
            first = MIN(first, dt_evidence_kinds[kind]->first_step(evidence));
    }
    evidence->has_onset = first != DT_NO_STEP;
    evidence->has_place = evidence->has_onset && first != DT_LAST_STEP;
    if (evidence->has_place)
        evidence->onset = (double)first / MAX(1, dt_corpus_mean_steps(corpus, corpus->normals, trace));
    else
        evidence->onset = evidence->has_onset ? 1 : 0;
}

static void judge_kind(const DtCase *own, guint kind, DtEvidence *evidence)
{
    g_autofree DtFinding *findings = g_new0(DtFinding, own->corpus->traces + 1);
    dt_evidence_kinds[kind]->judge(own, findings);
    for (guint trace = 0; trace < own->corpus->traces; trace++)
        evidence[trace].findings[kind] = findings[trace];
}

static void judge_kinds(const DtCase *own, gboolean early, DtEvidence *evidence)
{
    for (guint kind = 0; kind < DT_EVIDENCE_KINDS; kind++) {
        if (dt_evidence_kinds[kind]->judge && dt_evidence_kinds[kind]->is_early == early)
            judge_kind(own, kind, evidence);
    }
}

static const double OF_LONG_AGO = 0.9;

double dt_went_on(const DtCorpus *corpus, const DtEvidence *evidence, gboolean unfinished)
{
    if (!unfinished || corpus->normals == 0 || !evidence->has_place || evidence->progress <= 0)
        return 0;
    return CLAMP((evidence->progress - evidence->onset) / evidence->progress, 0, 1);
}

/* Of a run that did not end, how traces end tells more than what a trace, which differs from one normal run to the
 * next, did differently. What comes of another share of the work tells little in any run. */
static double share_of(const DtCase *own, guint trace, guint kind)
{
    gboolean noisy = own->unfinished && dt_corpus_is_noisy(own->corpus, trace);
    gboolean blurred = noisy || dt_corpus_does_other_share(own->corpus, trace);
    if (!dt_evidence_kinds[kind]->is_soft)
        return 1;
    /* Who asks again and again until the run is ended does so as often as there is time. */
    if (own->unfinished && kind == DT_EVIDENCE_COUNTS && own->evidence[trace].present &&
        dt_ends_in_poll(own->corpus, trace))
        return 0;
    return (blurred ? NOISY_SHARE : 1) *
           (1 - OF_LONG_AGO * dt_went_on(own->corpus, &own->evidence[trace], own->unfinished));
}

static void add_up(const DtCase *own, guint trace, DtEvidence *evidence)
{
    for (guint kind = 0; kind < DT_EVIDENCE_KINDS; kind++)
        evidence->score +=
            dt_evidence_weight(own->corpus, kind) * evidence->findings[kind].value * share_of(own, trace, kind);
}

gboolean dt_somebody_has(const DtCase *own, guint kind)
{
    for (guint trace = 0; trace < own->corpus->traces; trace++) {
        if (own->evidence[trace].findings[kind].value > 0)
            return TRUE;
    }
    return FALSE;
}

void dt_share_value(const gboolean *marked, guint traces, double value, DtFinding *findings)
{
    guint count = 0;
    for (guint trace = 0; trace < traces; trace++)
        count += marked[trace] ? 1 : 0;
    for (guint trace = 0; trace < traces; trace++) {
        if (marked[trace])
            findings[trace].value = value / count;
    }
}

DtEvidence *dt_evidence_new(const DtCorpus *corpus, const DtWaitFor *waits, guint jobs)
{
    DtEvidence *evidence = g_new0(DtEvidence, corpus->traces + 1);
    find_presence(corpus, evidence);
    measure_progress(corpus, evidence);
    dt_find_endings(corpus, evidence);
    dt_measure_strengths(corpus, evidence, jobs);
    dt_find_divergence(corpus, evidence);
    const DtCase own = {corpus, evidence, waits, dt_run_unfinished(corpus, evidence)};
    judge_kinds(&own, TRUE, evidence);
    for (guint trace = 0; trace < corpus->traces; trace++) {
        if (evidence[trace].comparable)
            find_onset(corpus, trace, &evidence[trace]);
    }
    judge_kinds(&own, FALSE, evidence);
    for (guint trace = 0; trace < corpus->traces; trace++)
        add_up(&own, trace, &evidence[trace]);
    return evidence;
}
