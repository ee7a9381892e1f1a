/*
 * Divergence: where a trace leaves what all its normal runs have in common with
 * it, and how remarkable that is among them.
 */
#include <math.h>

#include "verdict/evidence.h"
#include "verdict/successors.h"

static const double DETERMINISTIC = 0.98;
static const double REMARKABLE_DIVERGENCE = 0.8;

/* Common prefixes of all pairs of references; identical ones have none that ends. */
typedef struct {
    guint count;
    const DtObservedTrace **traces;
    guint64 *prefixes; /* [i * count + j]; G_MAXUINT64: identical */
    double *agreement; /* prefix / length of the longer one */
} References;

static void compare_references(References *references, DtSequenceKind kind)
{
    for (guint i = 0; i < references->count; i++) {
        for (guint j = i + 1; j < references->count; j++) {
            const DtSequence *a = dt_observed_sequence(references->traces[i], kind);
            const DtSequence *b = dt_observed_sequence(references->traces[j], kind);
            guint64 prefix = dt_sequence_common_prefix(a, b);
            guint64 longer = MAX(dt_sequence_length(a), dt_sequence_length(b));
            gsize place = (gsize)i * references->count + j;
            references->prefixes[place] = prefix == longer ? G_MAXUINT64 : prefix;
            references->agreement[place] = longer > 0 ? (double)prefix / (double)longer : 1;
        }
    }
}

/* Share of the pairs that agree for longer than `prefix`; less if they agree for so short that it is luck. */
static double share_of_pairs(const References *references, const DtObservedTrace *without, guint64 prefix)
{
    guint pairs = 0, longer = 0;
    double least = 1;
    for (guint i = 0; i < references->count; i++) {
        for (guint j = i + 1; j < references->count; j++) {
            if (references->traces[i] == without || references->traces[j] == without)
                continue;
            gsize place = (gsize)i * references->count + j;
            ++pairs;
            longer += references->prefixes[place] > prefix;
            least = MIN(least, references->agreement[place]);
        }
    }
    if (pairs == 0)
        return 1;
    return (double)longer / pairs * (least >= DETERMINISTIC ? 1 : least / 2);
}

/* Steps before a position. */
static guint64 step_at(const DtObservedTrace *observed, guint64 position, DtSequenceKind kind,
                       gboolean library_calls_only)
{
    if (kind == DT_SEQUENCE_LIBRARY || !library_calls_only)
        return position;
    return dt_sequence_library_calls(&observed->calls->entries, position);
}

/* The normal runs themselves go on in more than one way from there. */
static gboolean follows_choice(const DtCorpus *corpus, DtSequenceKind kind, guint trace, const DtSequence *own,
                               guint64 position)
{
    return position > 0 && dt_is_choice(corpus, kind, corpus->classes[trace], dt_sequence_at(own, position - 1));
}

static DtDivergence find_divergence(const DtCorpus *corpus, const References *references, guint trace,
                                    gboolean finished, DtSequenceKind kind)
{
    const DtObservedTrace *observed = dt_corpus_at(corpus, corpus->normals, trace);
    const DtSequence *own = dt_observed_sequence(observed, kind);
    const guint64 length = dt_sequence_length(own);
    DtDivergence divergence = {0};
    const DtSequence *closest = NULL;
    const DtObservedTrace *closest_trace = NULL;
    gboolean identical = FALSE;
    for (guint i = 0; i < references->count; i++) {
        if (references->traces[i] == observed)
            continue;
        const DtSequence *reference = dt_observed_sequence(references->traces[i], kind);
        guint64 prefix = dt_sequence_common_prefix(own, reference);
        identical = identical || (prefix == length && prefix == dt_sequence_length(reference));
        if (!closest || prefix > divergence.position) {
            closest = reference;
            closest_trace = references->traces[i];
            divergence.position = prefix;
        }
    }
    if (!closest || identical || (!finished && divergence.position == length))
        return divergence;
    if (follows_choice(corpus, kind, trace, own, divergence.position))
        return divergence;
    divergence.share = share_of_pairs(references, observed, divergence.position);
    divergence.step =
        step_at(observed, divergence.position, kind, dt_corpus_counts_library_calls(corpus, corpus->normals, trace));
    divergence.reference = closest_trace;
    divergence.has_own = divergence.position < length;
    divergence.own = divergence.has_own ? dt_sequence_at(own, divergence.position) : 0;
    divergence.has_expected = divergence.position < dt_sequence_length(closest);
    divergence.expected = divergence.has_expected ? dt_sequence_at(closest, divergence.position) : 0;
    return divergence;
}

static void diverge_trace(const DtCorpus *corpus, References *references, guint trace, DtEvidence *evidence)
{
    references->count = dt_corpus_references(corpus, corpus->normals, trace, references->traces);
    for (guint kind = 0; kind < DT_SEQUENCES; kind++) {
        compare_references(references, (DtSequenceKind)kind);
        evidence[trace].divergence[kind] =
            find_divergence(corpus, references, trace, evidence[trace].ending.finished, (DtSequenceKind)kind);
    }
}

void dt_find_divergence(const DtCorpus *corpus, DtEvidence *evidence)
{
    guint most = dt_corpus_max_references(corpus);
    g_autofree const DtObservedTrace **traces = g_new(const DtObservedTrace *, most);
    g_autofree guint64 *prefixes = g_new0(guint64, (gsize)most * most + 1);
    g_autofree double *agreement = g_new0(double, (gsize)most *most + 1);
    References references = {0, traces, prefixes, agreement};
    for (guint trace = 0; trace < corpus->traces; trace++) {
        if (evidence[trace].comparable)
            diverge_trace(corpus, &references, trace, evidence);
    }
}

void dt_judge_divergence(const DtCase *own, DtSequenceKind sequence, DtFinding *findings)
{
    double sum = 0;
    for (guint trace = 0; trace < own->corpus->traces; trace++)
        sum += own->evidence[trace].divergence[sequence].share;
    for (guint trace = 0; trace < own->corpus->traces; trace++)
        findings[trace].value = own->evidence[trace].divergence[sequence].share / sqrt(MAX(1, sum));
}

guint64 dt_divergence_first_step(const DtEvidence *evidence, DtSequenceKind sequence)
{
    const DtDivergence *divergence = &evidence->divergence[sequence];
    return divergence->share > REMARKABLE_DIVERGENCE ? divergence->step : DT_NO_STEP;
}

char *dt_tell_divergence(const DtCase *own, guint trace, DtSequenceKind sequence)
{
    const DtCorpus *corpus = own->corpus;
    const DtDivergence *divergence = &own->evidence[trace].divergence[sequence];
    const char *against = corpus->normals > 0 ? "normally" : "in its peers";
    if (!divergence->has_own)
        return g_strdup_printf("ends where %s comes %s", dt_corpus_callee_name(corpus, divergence->expected), against);
    const char *name = dt_corpus_callee_name(corpus, divergence->own);
    if (!divergence->has_expected)
        return g_strdup_printf("goes on with %s where nothing comes %s", name, against);
    return g_strdup_printf("%s where %s comes %s", name, dt_corpus_callee_name(corpus, divergence->expected), against);
}
