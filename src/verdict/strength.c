/*
 * The strength of evidence that has items: raw evidence of one run against the
 * others, each item weighing less the more traces of the run have it; less what
 * the normal runs have against each other, and what a class has in common.
 */
#include <math.h>
#include <omp.h>

#include "base/numbers.h"
#include "verdict/evidence.h"

static const double STRENGTH_HALF = 0.3;

/* ---- raw evidence ------------------------------------------------------------------------- */

/* Square root of the sum of weight / (traces that have the item)^2. */
static double weigh_items(const GArray *items, const DtGramMap *traces_with)
{
    double sum = 0;
    for (guint i = 0; i < items->len; i++) {
        const DtEvidenceItem *item = &g_array_index(items, DtEvidenceItem, i);
        double traces = (double)dt_gram_map_find(traces_with, item->key)->count;
        sum += item->weight / (traces * traces);
    }
    return sqrt(sum);
}

/* Of all traces of a run, those with references. */
static void gather_kind(DtTraceComparison *comparison, const gboolean *finished, guint kind, DtFinding *findings)
{
    const DtCorpus *corpus = comparison->corpus;
    g_autoptr(DtGramMap) traces_with = dt_gram_map_new();
    g_autoptr(GPtrArray) lists = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    for (guint trace = 0; trace < corpus->traces; trace++) {
        GArray *items = g_array_new(FALSE, FALSE, sizeof(DtEvidenceItem));
        g_ptr_array_add(lists, items);
        comparison->trace = trace;
        comparison->finished = !finished || finished[trace];
        comparison->observed = dt_corpus_at(corpus, comparison->run, trace);
        comparison->reference_count = dt_corpus_references(corpus, comparison->run, trace, comparison->references);
        if (comparison->observed && comparison->reference_count > 0)
            dt_evidence_kinds[kind]->find(comparison, items, &findings[trace]);
        for (guint i = 0; i < items->len; i++)
            dt_gram_map_get(traces_with, g_array_index(items, DtEvidenceItem, i).key)->count++;
    }
    for (guint trace = 0; trace < corpus->traces; trace++)
        findings[trace].value = weigh_items(g_ptr_array_index(lists, trace), traces_with);
}

/* Raw evidence on all traces of `run`, faulty or normal, against the (other) normal runs: [kind * traces + trace],
 * g_free(). `finished`: per trace, NULL if all are. */
static DtFinding *raw_evidence_new(const DtCorpus *corpus, guint run, const gboolean *finished)
{
    DtFinding *findings = g_new0(DtFinding, (gsize)DT_EVIDENCE_KINDS * corpus->traces + 1);
    g_autofree const DtObservedTrace **references = g_new(const DtObservedTrace *, dt_corpus_max_references(corpus));
    g_autoptr(DtClassVariance) variance = dt_class_variance_new(corpus, run);
    DtTraceComparison comparison = {.corpus = corpus, .run = run, .references = references, .variance = variance};
    for (guint kind = 0; kind < DT_EVIDENCE_KINDS; kind++) {
        const DtEvidenceKind *own = dt_evidence_kinds[kind];
        if (own->find && (corpus->normals > 0 || own->finds_alone))
            gather_kind(&comparison, finished, kind, findings + (gsize)kind * corpus->traces);
    }
    return findings;
}

/* ---- noise floor ------------------------------------------------------------------------- */

/* Per class and kind, the largest raw evidence of any normal run against the other ones. */
static double *noise_floor(const DtCorpus *corpus, guint jobs)
{
    double *floor = g_new0(double, (gsize)corpus->class_count *DT_EVIDENCE_KINDS + 1);
    const gint normals = corpus->normals > 1 ? (gint)corpus->normals : 0;
    const gint threads = jobs > 0 ? (gint)jobs : omp_get_max_threads();
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (gint run = 0; run < normals; run++) {
        g_autofree DtFinding *raw = raw_evidence_new(corpus, (guint)run, NULL);
#pragma omp critical(noise_floor)
        for (guint trace = 0; trace < corpus->traces; trace++) {
            double *own = floor + (gsize)corpus->classes[trace] * DT_EVIDENCE_KINDS;
            for (guint kind = 0; kind < DT_EVIDENCE_KINDS; kind++)
                own[kind] = MAX(own[kind], raw[(gsize)kind * corpus->traces + trace].value);
        }
    }
    return floor;
}

/* What all of a class have in common tells of none: median + 2 MAD goes from classes of four and more. */
static void subtract_common_mode(const DtCorpus *corpus, DtEvidence *evidence, guint class_number, guint kind)
{
    enum { LARGE_CLASS = 4 };
    guint size, count = 0;
    const guint *members = dt_corpus_class(corpus, class_number, &size);
    g_autofree double *values = g_new0(double, (gsize)size + 1);
    for (guint i = 0; i < size; i++) {
        if (evidence[members[i]].comparable)
            values[count++] = evidence[members[i]].findings[kind].value;
    }
    if (count < LARGE_CLASS)
        return;
    double median = dt_median(values, count);
    for (guint i = 0; i < count; i++)
        values[i] = fabs(values[i] - median);
    double common = median + 2 * dt_median(values, count);
    for (guint i = 0; i < size; i++) {
        double *value = &evidence[members[i]].findings[kind].value;
        *value = MAX(0, *value - common);
    }
}

static void normalise(const DtCorpus *corpus, DtEvidence *evidence, guint kind)
{
    double largest = 0;
    for (guint trace = 0; trace < corpus->traces; trace++)
        largest = MAX(largest, evidence[trace].findings[kind].value);
    for (guint trace = 0; trace < corpus->traces; trace++)
        evidence[trace].findings[kind].value /= largest + STRENGTH_HALF;
}

void dt_measure_strengths(const DtCorpus *corpus, DtEvidence *evidence, guint jobs)
{
    g_autofree gboolean *finished = g_new0(gboolean, corpus->traces + 1);
    for (guint trace = 0; trace < corpus->traces; trace++)
        finished[trace] = evidence[trace].ending.finished;
    g_autofree DtFinding *raw = raw_evidence_new(corpus, corpus->normals, finished);
    g_autofree double *floor = noise_floor(corpus, jobs);
    for (guint kind = 0; kind < DT_EVIDENCE_KINDS; kind++) {
        if (!dt_evidence_kinds[kind]->find)
            continue;
        for (guint trace = 0; trace < corpus->traces; trace++) {
            DtFinding *own = &evidence[trace].findings[kind];
            *own = raw[(gsize)kind * corpus->traces + trace];
            own->value = MAX(0, own->value - floor[(gsize)corpus->classes[trace] * DT_EVIDENCE_KINDS + kind]);
        }
        for (guint c = 0; corpus->normals > 0 && c < corpus->class_count; c++)
            subtract_common_mode(corpus, evidence, c, kind);
        normalise(corpus, evidence, kind);
    }
}
