/*
 * From raw evidence to the score: noise floor, common mode, order of first
 * evidence, weighted sum. The weights are those of the study.
 */
#include <math.h>
#include <omp.h>

#include "verdict/evidence.h"
#include "verdict/successors.h"

static const double STRENGTH_HALF = 0.3;
static const double REMARKABLE_DIVERGENCE = 0.8;
static const double REMARKABLE_COUNT = 0.5;
static const double NOISY_SHARE = 0.6;

typedef struct {
    double with_normals, alone;
} Weight;

static const Weight weights[DT_FEATURES] = {
    [DT_FEATURE_NEW] = {1, 0},
    [DT_FEATURE_NEW_HERE] = {0.75, 0},
    [DT_FEATURE_NEW_BODY] = {0.75, 0.3},
    [DT_FEATURE_MISSING] = {0.75, 0},
    [DT_FEATURE_COUNT] = {1, 0},
    [DT_FEATURE_PREFIX_ALL] = {1, 1},
    [DT_FEATURE_PREFIX_LIBRARY] = {1, 1.5},
    [DT_FEATURE_ORDER] = {1.5, 0},
    [DT_FEATURE_DIED] = {1.5, 2.4},
    [DT_FEATURE_STUCK] = {2, 3},
    [DT_FEATURE_POLLS] = {1, 0.3},
    [DT_FEATURE_PROGRESS] = {1, 0.4},
    [DT_FEATURE_MAJORITY] = {1, 1},
    [DT_FEATURE_PROCESS] = {1, 0},
    [DT_FEATURE_RARE_END] = {0, 1.2},
    [DT_FEATURE_EARLY_FINISH] = {1.5, 0.5},
    [DT_FEATURE_WAITS] = {1, 2},
};

double dt_feature_weight(const DtCorpus *corpus, DtFeature feature)
{
    return corpus->normals > 0 ? weights[feature].with_normals : weights[feature].alone;
}

/* ---- noise floor ------------------------------------------------------------------------- */

/* Per class and kind, the largest raw evidence of any normal run against the other ones. */
static double *noise_floor(const DtCorpus *corpus, guint jobs)
{
    double *floor = g_new0(double, (gsize)corpus->class_count *DT_RAW_KINDS + 1);
    const gint normals = corpus->normals > 1 ? (gint)corpus->normals : 0;
    const gint threads = jobs > 0 ? (gint)jobs : omp_get_max_threads();
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (gint run = 0; run < normals; ++run) {
        g_autofree DtRawEvidence *raw = dt_raw_evidence_new(corpus, (guint)run, NULL);
#pragma omp critical(noise_floor)
        for (guint trace = 0; trace < corpus->traces; ++trace) {
            double *own = floor + (gsize)corpus->classes[trace] * DT_RAW_KINDS;
            for (guint kind = 0; kind < DT_RAW_KINDS; ++kind)
                own[kind] = MAX(own[kind], raw[trace].value[kind]);
        }
    }
    return floor;
}

/* What all of a class have in common tells of none: median + 2 MAD goes from classes of four and more. */
static void subtract_common_mode(const DtCorpus *corpus, DtEvidence *evidence, guint class_number, DtRawKind kind)
{
    enum { LARGE_CLASS = 4 };
    guint size, count = 0;
    const guint *members = dt_corpus_class(corpus, class_number, &size);
    g_autofree double *values = g_new0(double, (gsize)size + 1);
    for (guint i = 0; i < size; ++i) {
        if (evidence[members[i]].comparable)
            values[count++] = evidence[members[i]].strength[kind];
    }
    if (count < LARGE_CLASS)
        return;
    double median = dt_median(values, count);
    for (guint i = 0; i < count; ++i)
        values[i] = fabs(values[i] - median);
    double common = median + 2 * dt_median(values, count);
    for (guint i = 0; i < size; ++i) {
        double *strength = &evidence[members[i]].strength[kind];
        *strength = MAX(0, *strength - common);
    }
}

static void normalise(const DtCorpus *corpus, DtEvidence *evidence, DtRawKind kind)
{
    double largest = 0;
    for (guint trace = 0; trace < corpus->traces; ++trace)
        largest = MAX(largest, evidence[trace].strength[kind]);
    for (guint trace = 0; trace < corpus->traces; ++trace)
        evidence[trace].strength[kind] /= largest + STRENGTH_HALF;
}

static void measure_strengths(const DtCorpus *corpus, DtEvidence *evidence, guint jobs)
{
    g_autofree gboolean *finished = g_new0(gboolean, corpus->traces + 1);
    for (guint trace = 0; trace < corpus->traces; ++trace)
        finished[trace] = evidence[trace].ending.finished;
    g_autofree DtRawEvidence *raw = dt_raw_evidence_new(corpus, corpus->normals, finished);
    g_autofree double *floor = noise_floor(corpus, jobs);
    for (guint kind = 0; kind < DT_RAW_KINDS; ++kind) {
        for (guint trace = 0; trace < corpus->traces; ++trace) {
            double noise = floor[(gsize)corpus->classes[trace] * DT_RAW_KINDS + kind];
            evidence[trace].raw = raw[trace];
            evidence[trace].strength[kind] = MAX(0, raw[trace].value[kind] - noise);
        }
        for (guint c = 0; corpus->normals > 0 && c < corpus->class_count; ++c)
            subtract_common_mode(corpus, evidence, c, (DtRawKind)kind);
        normalise(corpus, evidence, (DtRawKind)kind);
    }
}

/* ---- divergence and order --------------------------------------------------------------------- */

static void judge_divergence(const DtCorpus *corpus, DtEvidence *evidence, DtSequenceKind kind, DtFeature feature)
{
    double sum = 0;
    for (guint trace = 0; trace < corpus->traces; ++trace)
        sum += evidence[trace].divergence[kind].share;
    for (guint trace = 0; trace < corpus->traces; ++trace)
        evidence[trace].feature[feature] = evidence[trace].divergence[kind].share / sqrt(MAX(1, sum));
}

static void note_time(DtEvidence *evidence, double time)
{
    if (!evidence->has_time || time < evidence->time)
        evidence->time = time;
    evidence->has_time = TRUE;
}

/* When the first evidence on a trace appears, as a share of its normal library calls. */
static void find_time(const DtCorpus *corpus, guint trace, DtEvidence *evidence)
{
    double usual = MAX(1, dt_corpus_mean_clock(corpus, corpus->normals, trace));
    const double *strength = evidence->strength;
    if (strength[DT_RAW_NEW] > 0 || strength[DT_RAW_NEW_HERE] > 0)
        note_time(evidence, (double)evidence->raw.clock[DT_RAW_NEW_HERE] / usual);
    if (strength[DT_RAW_NEW_BODY] > 0 || strength[DT_RAW_NEW_BODY_HERE] > 0)
        note_time(evidence, (double)evidence->raw.clock[DT_RAW_NEW_BODY_HERE] / usual);
    for (guint kind = 0; kind < DT_SEQUENCES; ++kind) {
        if (evidence->divergence[kind].share > REMARKABLE_DIVERGENCE)
            note_time(evidence, (double)evidence->divergence[kind].clock / usual);
    }
    evidence->has_place = evidence->has_time;
    if (!evidence->has_time && strength[DT_RAW_COUNT] > REMARKABLE_COUNT)
        note_time(evidence, 1);
}

static void judge_order(const DtCorpus *corpus, DtEvidence *evidence)
{
    static const double SAME_TIME = 1e-9;
    g_autofree double *times = g_new(double, corpus->traces + 1);
    guint count = 0;
    for (guint trace = 0; trace < corpus->traces; ++trace) {
        if (evidence[trace].comparable)
            find_time(corpus, trace, &evidence[trace]);
        if (evidence[trace].has_time)
            times[count++] = evidence[trace].time;
    }
    dt_sort(times, count);
    for (guint trace = 0; trace < corpus->traces; ++trace) {
        guint earlier = dt_count_less(times, count, evidence[trace].time - SAME_TIME);
        evidence[trace].feature[DT_FEATURE_ORDER] = evidence[trace].has_time ? 1.0 / (1 + earlier) : 0;
    }
}

/* So many traces depart from normal at once that being among the first says nothing of one of them: a change that all
 * have, such as another option on the command line. */
static void find_crowd(const DtCorpus *corpus, DtEvidence *evidence)
{
    g_autofree double *orders = g_new(double, (gsize)corpus->traces + 1);
    guint count = 0;
    for (guint trace = 0; trace < corpus->traces; ++trace) {
        if (evidence[trace].has_place)
            orders[count++] = evidence[trace].feature[DT_FEATURE_ORDER];
    }
    dt_sort(orders, count);
    for (guint trace = 0; trace < corpus->traces; ++trace) {
        guint together = count - dt_count_less(orders, count, evidence[trace].feature[DT_FEATURE_ORDER]);
        evidence[trace].in_crowd = together > 1 && 2 * together >= count;
    }
}

/* ---- score ------------------------------------------------------------------------------------------ */

/* What luck can bring about by itself. */
static gboolean is_soft(DtFeature feature)
{
    return feature <= DT_FEATURE_ORDER;
}

/* Of a run that did not end, how traces end tells more than what a trace, which differs from one normal run to the
 * next, did differently. What comes of another share of the work tells little in any run. */
static double share_of(const DtCorpus *corpus, guint trace, DtFeature feature, gboolean unfinished)
{
    gboolean noisy = unfinished && dt_corpus_is_noisy(corpus, trace);
    return (noisy || dt_corpus_does_other_share(corpus, trace)) && is_soft(feature) ? NOISY_SHARE : 1;
}

static void add_up(const DtCorpus *corpus, guint trace, gboolean unfinished, DtEvidence *evidence)
{
    evidence->feature[DT_FEATURE_NEW] = evidence->strength[DT_RAW_NEW];
    evidence->feature[DT_FEATURE_NEW_HERE] = evidence->strength[DT_RAW_NEW_HERE];
    evidence->feature[DT_FEATURE_NEW_BODY] = evidence->strength[DT_RAW_NEW_BODY];
    evidence->feature[DT_FEATURE_MISSING] = evidence->strength[DT_RAW_MISSING];
    evidence->feature[DT_FEATURE_COUNT] = evidence->strength[DT_RAW_COUNT];
    for (guint feature = 0; feature < DT_FEATURES; ++feature)
        evidence->score += dt_feature_weight(corpus, (DtFeature)feature) * evidence->feature[feature] *
                           share_of(corpus, trace, (DtFeature)feature, unfinished);
}

/* In a run that hung; if somebody died, that is why others wait. */
static void judge_waits(const DtCorpus *corpus, const DtWaitFor *waits, DtEvidence *evidence)
{
    for (guint trace = 0; trace < corpus->traces; ++trace) {
        if (evidence[trace].feature[DT_FEATURE_DIED] > 0)
            return;
    }
    if (!dt_run_unfinished(corpus, evidence))
        return;
    g_autoptr(GHashTable) waiters = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < waits->waiters->len; ++i) {
        DtWaiter *waiter = g_ptr_array_index(waits->waiters, i);
        g_hash_table_insert(waiters, (gpointer)waiter->trace->label, waiter);
    }
    for (guint trace = 0; trace < corpus->traces; ++trace) {
        const DtWaiter *waiter = g_hash_table_lookup(waiters, g_ptr_array_index(corpus->labels, trace));
        evidence[trace].feature[DT_FEATURE_WAITS] = waiter && evidence[trace].present ? waiter->blame : 0;
        evidence[trace].blame = waiter ? waiter->reason : NULL;
    }
}

DtEvidence *dt_evidence_new(const DtCorpus *corpus, const DtWaitFor *waits, guint jobs)
{
    DtEvidence *evidence = g_new0(DtEvidence, corpus->traces + 1);
    g_autofree const DtObservedTrace **references = g_new(const DtObservedTrace *, dt_corpus_max_references(corpus));
    for (guint trace = 0; trace < corpus->traces; ++trace) {
        for (guint run = 0; run < corpus->normals; ++run)
            evidence[trace].normals_with += dt_corpus_at(corpus, run, trace) != NULL;
        if (dt_corpus_label_is_void(corpus, trace))
            evidence[trace].normals_with = corpus->normals;
        evidence[trace].present = dt_corpus_at(corpus, corpus->normals, trace) != NULL;
        evidence[trace].comparable =
            evidence[trace].present &&
            (corpus->normals == 0 || dt_corpus_references(corpus, corpus->normals, trace, references) > 0);
    }
    dt_find_endings(corpus, evidence);
    measure_strengths(corpus, evidence, jobs);
    dt_find_divergence(corpus, evidence);
    judge_divergence(corpus, evidence, DT_SEQUENCE_ALL, DT_FEATURE_PREFIX_ALL);
    judge_divergence(corpus, evidence, DT_SEQUENCE_LIBRARY, DT_FEATURE_PREFIX_LIBRARY);
    judge_order(corpus, evidence);
    find_crowd(corpus, evidence);
    dt_judge_endings(corpus, evidence);
    dt_judge_progress(corpus, evidence);
    if (waits)
        judge_waits(corpus, waits, evidence);
    gboolean unfinished = dt_run_unfinished(corpus, evidence);
    for (guint trace = 0; trace < corpus->traces; ++trace)
        add_up(corpus, trace, unfinished, &evidence[trace]);
    return evidence;
}
