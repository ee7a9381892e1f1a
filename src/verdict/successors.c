/*
 * Choices: symbols after which the normal runs do not go on alike. What follows
 * a receive from anybody, or the end of a piece of work that is handed out by
 * luck, tells nothing of a fault.
 */
#include "verdict/successors.h"

/* Follows the last symbol of a trace. */
static const guint32 END = G_MAXUINT32 - 2;

static DtGramMap *count_successors(const DtSequence *sequence)
{
    DtGramMap *counts = dt_sequence_grams(sequence);
    guint64 length = dt_sequence_length(sequence);
    if (length > 0)
        dt_gram_map_get(counts, dt_gram_pair(dt_sequence_at(sequence, length - 1), END))->count++;
    return counts;
}

static guint64 count_of(const DtGramMap *counts, guint64 key)
{
    const DtGram *gram = dt_gram_map_find(counts, key);
    return gram ? gram->count : 0;
}

/* Pairs of `a` that `b` makes another share of: their first symbols have varying successors. */
static void note_varying(DtGramMap *varying, guint class_number, const DtGramMap *a, const DtGramMap *b)
{
    for (guint i = 0; i < a->grams->len; i++) {
        const DtGram *pair = dt_gram_map_at(a, i);
        if (dt_gram_is_single(pair->key))
            continue;
        guint32 symbol = dt_gram_first_symbol(pair->key);
        guint64 there = count_of(b, dt_gram_single(symbol));
        guint64 here = count_of(a, dt_gram_single(symbol));
        if (there > 0 && pair->count * there != count_of(b, pair->key) * here)
            dt_gram_map_get(varying, dt_gram_pair(class_number, symbol))->count++;
    }
}

static void find_varying_successors(const DtCorpus *corpus, DtSequenceKind kind, DtGramMap *varying)
{
    g_autofree const DtObservedTrace **references = g_new(const DtObservedTrace *, dt_corpus_max_references(corpus));
    for (guint trace = 0; trace < corpus->traces; trace++) {
        guint count = dt_corpus_normal_references(corpus, trace, references);
        g_autoptr(DtGramMap) first = NULL;
        for (guint i = 1; i < count; i++) {
            if (references[i]->calls == references[0]->calls)
                continue;
            if (!first)
                first = count_successors(dt_observed_sequence(references[0], kind));
            g_autoptr(DtGramMap) next = count_successors(dt_observed_sequence(references[i], kind));
            note_varying(varying, corpus->classes[trace], first, next);
            note_varying(varying, corpus->classes[trace], next, first);
        }
    }
}

static void note_classes(const DtGramMap *known, gboolean *has_any)
{
    for (guint i = 0; i < known->grams->len; i++)
        has_any[dt_gram_first_symbol(dt_gram_map_at(known, i)->key)] = TRUE;
}

DtVaryingSuccessors *dt_varying_successors_new(const DtCorpus *corpus)
{
    DtVaryingSuccessors *varying = g_new0(DtVaryingSuccessors, 1);
    varying->has_any = g_new0(gboolean, corpus->class_count + 1);
    for (guint kind = 0; kind < DT_SEQUENCES; kind++) {
        varying->known[kind] = dt_gram_map_new();
        if (corpus->normals > 1)
            find_varying_successors(corpus, (DtSequenceKind)kind, varying->known[kind]);
        note_classes(varying->known[kind], varying->has_any);
    }
    return varying;
}

void dt_varying_successors_free(DtVaryingSuccessors *varying)
{
    if (!varying)
        return;
    for (guint kind = 0; kind < DT_SEQUENCES; kind++)
        dt_gram_map_free(varying->known[kind]);
    g_free(varying->has_any);
    g_free(varying);
}

gboolean dt_corpus_is_noisy(const DtCorpus *corpus, guint trace)
{
    return dt_corpus_does_other_share(corpus, trace) || corpus->varying->has_any[corpus->classes[trace]];
}

gboolean dt_corpus_varies(const DtCorpus *corpus)
{
    for (guint i = 0; i < corpus->class_count; i++)
        if (corpus->varying->has_any[i])
            return TRUE;
    return FALSE;
}

gboolean dt_is_choice(const DtCorpus *corpus, DtSequenceKind kind, guint class_number, guint32 symbol)
{
    if (dt_corpus_symbol(corpus, symbol)->kind & DT_KIND_NONDETERMINISTIC)
        return TRUE;
    return dt_gram_map_find(corpus->varying->known[kind], dt_gram_pair(class_number, symbol)) != NULL;
}
