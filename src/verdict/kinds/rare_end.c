/*
 * Rare end: traces that stopped where few others did, in a run without normal ones.
 */
#include "verdict/evidence.h"

/* The two innermost calls that never returned; 0 if the trace is not open. */
static guint64 end_key(const DtCase *own, guint trace)
{
    if (!own->evidence[trace].ending.open)
        return 0;
    const GArray *open = dt_corpus_at(own->corpus, own->corpus->normals, trace)->calls->open;
    guint32 inner = open->len > 0 ? g_array_index(open, guint32, open->len - 1) : 0;
    return dt_gram_pair(open->len > 1 ? g_array_index(open, guint32, open->len - 2) : 0, inner);
}

/* A master, or the only thread of a kind, ends like nobody else anyway. */
static gboolean has_its_like(const DtCorpus *corpus, guint trace)
{
    g_autofree const DtObservedTrace **references = g_new(const DtObservedTrace *, dt_corpus_max_references(corpus));
    return dt_corpus_references(corpus, corpus->normals, trace, references) > 0;
}

static void judge_rare_end(const DtCase *own, DtFinding *findings)
{
    g_autoptr(DtGramMap) ends = dt_gram_map_new();
    for (guint trace = 0; trace < own->corpus->traces; trace++) {
        findings[trace].key = end_key(own, trace);
        if (findings[trace].key != 0)
            dt_gram_map_get(ends, findings[trace].key)->count++;
    }
    for (guint trace = 0; trace < own->corpus->traces; trace++) {
        if (findings[trace].key != 0 && has_its_like(own->corpus, trace))
            findings[trace].value = 1 / (double)dt_gram_map_find(ends, findings[trace].key)->count;
    }
}

const DtEvidenceKind dt_kind_rare_end = {
    .name = "rare end", .weight_alone = 1.2, .judge = judge_rare_end, .sentence = "ends where few others do"};
