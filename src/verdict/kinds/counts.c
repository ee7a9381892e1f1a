/*
 * Counts: functions called more or less often than in the normal runs, by more
 * than they vary there.
 */
#include <math.h>

#include "verdict/why.h"

enum { LARGEST_DEVIATION = 20 };
static const double REMARKABLE_COUNT = 0.5;

/* Sums of variances by class and symbol, and the members that they are of. */
struct DtClassVariance {
    guint classes;
    DtGramMap **places; /* per class: key -> index into sums, as its position */
    GArray *sums;       /* (element-type double) */
    guint *members;     /* per class */
};

static double count_of(const DtObservedTrace *observed, guint64 key)
{
    const DtGram *gram = dt_gram_map_find(observed->calls->grams, key);
    return gram ? (double)gram->count : 0;
}

typedef struct {
    double mean, variance, most;
} Usual;

static Usual usual_count(const DtObservedTrace **references, guint count, guint64 key)
{
    Usual usual = {0, 0, 0};
    for (guint i = 0; i < count; i++) {
        double calls = count_of(references[i], key);
        usual.mean += calls / count;
        usual.most = MAX(usual.most, calls);
    }
    for (guint i = 0; i < count; i++) {
        double off = count_of(references[i], key) - usual.mean;
        usual.variance += off * off / count;
    }
    return usual;
}

/* Single symbols of the references, and of the trace itself if it is not NULL. */
static DtGramMap *symbols_of(const DtObservedTrace *observed, const DtObservedTrace **references, guint count)
{
    DtGramMap *symbols = dt_gram_map_new();
    for (guint i = 0; i <= count; i++) {
        const DtObservedTrace *source = i < count ? references[i] : observed;
        for (guint g = 0; source && g < source->calls->grams->grams->len; g++) {
            const DtGram *gram = dt_gram_map_at(source->calls->grams, g);
            if (dt_gram_is_single(gram->key))
                dt_gram_map_get(symbols, gram->key);
        }
    }
    return symbols;
}

static void add_variances(DtClassVariance *variance, guint class_number, const DtObservedTrace **references,
                          guint count)
{
    g_autoptr(DtGramMap) symbols = symbols_of(NULL, references, count);
    const double nothing = 0;
    variance->members[class_number]++;
    for (guint i = 0; i < symbols->grams->len; i++) {
        guint64 key = dt_gram_map_at(symbols, i)->key;
        DtGram *place = dt_gram_map_get(variance->places[class_number], key);
        if (place->count++ == 0) {
            place->position = variance->sums->len;
            g_array_append_val(variance->sums, nothing);
        }
        g_array_index(variance->sums, double, place->position) += usual_count(references, count, key).variance;
    }
}

DtClassVariance *dt_class_variance_new(const DtCorpus *corpus, guint run)
{
    DtClassVariance *variance = g_new0(DtClassVariance, 1);
    variance->classes = corpus->class_count;
    variance->places = g_new0(DtGramMap *, corpus->class_count + 1);
    variance->members = g_new0(guint, corpus->class_count + 1);
    variance->sums = g_array_new(FALSE, FALSE, sizeof(double));
    for (guint c = 0; c < corpus->class_count; c++)
        variance->places[c] = dt_gram_map_new();
    if (corpus->normals == 0)
        return variance;
    g_autofree const DtObservedTrace **references = g_new(const DtObservedTrace *, dt_corpus_max_references(corpus));
    for (guint trace = 0; trace < corpus->traces; trace++) {
        guint count = dt_corpus_references(corpus, run, trace, references);
        if (count > 1)
            add_variances(variance, corpus->classes[trace], references, count);
    }
    return variance;
}

void dt_class_variance_free(DtClassVariance *variance)
{
    if (!variance)
        return;
    for (guint c = 0; c < variance->classes; c++)
        dt_gram_map_free(variance->places[c]);
    g_free(variance->places);
    g_free(variance->members);
    g_array_unref(variance->sums);
    g_free(variance);
}

static double class_mean(const DtClassVariance *variance, guint class_number, guint64 key)
{
    const DtGram *place = dt_gram_map_find(variance->places[class_number], key);
    return place ? g_array_index(variance->sums, double, place->position) / variance->members[class_number] : 0;
}

/* Deviation in units of what is usual; the constants are those of the study. */
static double deviation(double calls, Usual usual, double variance, guint references, gboolean finished)
{
    double sd = sqrt(MAX(usual.variance, variance));
    double floor = sd <= 0 && references >= 3 ? 0 : 0.3 * sqrt(usual.mean + 1);
    double unit = 3 * sd + 0.02 * usual.mean + floor + 0.2;
    double off = finished ? fabs(calls - usual.mean) : MAX(0, calls - usual.most);
    return MIN(off / unit, LARGEST_DEVIATION);
}

static void find_counts(const DtTraceComparison *comparison, GArray *items, DtFinding *finding)
{
    const DtObservedTrace **references = comparison->references;
    const guint count = comparison->reference_count, class_number = comparison->corpus->classes[comparison->trace];
    g_autoptr(DtGramMap) symbols = symbols_of(comparison->observed, references, count);
    double largest = 0;
    for (guint i = 0; i < symbols->grams->len; i++) {
        guint64 key = dt_gram_map_at(symbols, i)->key;
        Usual usual = usual_count(references, count, key);
        double calls = count_of(comparison->observed, key);
        double variance = class_mean(comparison->variance, class_number, key);
        double z = deviation(calls, usual, variance, count, comparison->finished);
        if (z <= 1)
            continue;
        if (z > largest) {
            largest = z;
            *finding = (DtFinding){.key = key, .own = calls, .usual = usual.mean};
        }
        DtEvidenceItem item = {key, z};
        g_array_append_val(items, item);
    }
}

static guint64 first_step_of_counts(const DtEvidence *evidence)
{
    return evidence->findings[DT_EVIDENCE_COUNTS].value > REMARKABLE_COUNT ? DT_LAST_STEP : DT_NO_STEP;
}

static char *tell_counts(const DtCase *own, guint trace)
{
    const DtFinding *finding = &own->evidence[trace].findings[DT_EVIDENCE_COUNTS];
    g_autofree char *gram = dt_gram_text(own->corpus, finding->key);
    return g_strdup_printf("%s called %.0f times, normally %.1f", gram, finding->own, finding->usual);
}

const DtEvidenceKind dt_kind_counts = {.name = "counts",
                                       .is_in_departure = TRUE,
                                       .weight = 1,
                                       .is_soft = TRUE,
                                       .find = find_counts,
                                       .first_step = first_step_of_counts,
                                       .tell = tell_counts};
