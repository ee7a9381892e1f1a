/*
 * Raw evidence of one run against the others: items per trace and kind, each
 * weighing less the more traces of the run have it.
 */
#include <math.h>

#include "verdict/evidence.h"

typedef struct {
    const DtCorpus *corpus;
    guint run;
    const gboolean *finished; /* NULL: all */
    const DtClassVariance *variance;
} Context;

static void find_items(const Context *context, guint trace, DtRawKind kind, GArray *items, DtRawEvidence *raw)
{
    const DtCorpus *corpus = context->corpus;
    gboolean finished = !context->finished || context->finished[trace];
    if (kind == DT_RAW_MISSING)
        dt_find_missing(corpus, context->run, trace, finished, items, raw);
    else if (kind == DT_RAW_COUNT)
        dt_find_counts(corpus, context->run, trace, finished, context->variance, items, raw);
    else
        dt_find_new_structure(corpus, context->run, trace, kind, items, raw);
}

static gboolean has_references(const DtCorpus *corpus, guint run, guint trace)
{
    g_autofree const DtObservedTrace **references = g_new(const DtObservedTrace *, dt_corpus_max_references(corpus));
    return dt_corpus_at(corpus, run, trace) && dt_corpus_references(corpus, run, trace, references) > 0;
}

/* Square root of the sum of weight / (traces that have the item)^2. */
static double weigh(const GArray *items, const DtGramMap *traces_with)
{
    double sum = 0;
    for (guint i = 0; i < items->len; ++i) {
        const DtEvidenceItem *item = &g_array_index(items, DtEvidenceItem, i);
        double traces = (double)dt_gram_map_find(traces_with, item->key)->count;
        sum += item->weight / (traces * traces);
    }
    return sqrt(sum);
}

static void gather_kind(const Context *context, DtRawKind kind, DtRawEvidence *raw)
{
    const DtCorpus *corpus = context->corpus;
    g_autoptr(DtGramMap) traces_with = dt_gram_map_new();
    g_autoptr(GPtrArray) lists = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    for (guint trace = 0; trace < corpus->traces; ++trace) {
        GArray *items = g_array_new(FALSE, FALSE, sizeof(DtEvidenceItem));
        g_ptr_array_add(lists, items);
        if (has_references(corpus, context->run, trace))
            find_items(context, trace, kind, items, &raw[trace]);
        for (guint i = 0; i < items->len; ++i)
            dt_gram_map_get(traces_with, g_array_index(items, DtEvidenceItem, i).key)->count++;
    }
    for (guint trace = 0; trace < corpus->traces; ++trace)
        raw[trace].value[kind] = weigh(g_ptr_array_index(lists, trace), traces_with);
}

DtRawEvidence *dt_raw_evidence_new(const DtCorpus *corpus, guint run, const gboolean *finished)
{
    DtRawEvidence *raw = g_new0(DtRawEvidence, corpus->traces + 1);
    g_autoptr(DtClassVariance) variance = dt_class_variance_new(corpus, run);
    const Context context = {corpus, run, finished, variance};
    for (guint kind = 0; kind < DT_RAW_KINDS; ++kind) {
        gboolean structure_alone = kind == DT_RAW_NEW_BODY || kind == DT_RAW_NEW_BODY_HERE;
        if (corpus->normals > 0 || structure_alone)
            gather_kind(&context, (DtRawKind)kind, raw);
    }
    return raw;
}
