/*
 * New structure: pairs of calls and bodies of functions that no normal run has,
 * and such that every normal run has and this one lacks.
 */
#include "verdict/evidence.h"
#include "verdict/successors.h"

static const DtGramMap *map_of(const DtObservedTrace *observed, gboolean bodies)
{
    return bodies ? observed->calls->bodies : observed->calls->grams;
}

/* In some (other) normal run, in any thread. */
static gboolean known_anywhere(const DtCorpus *corpus, guint run, guint64 key, gboolean bodies)
{
    const DtGram *gram = dt_gram_map_find(bodies ? corpus->normal_bodies : corpus->normal_grams, key);
    guint64 own = run < corpus->normals ? 1 : 0;
    return gram && gram->count > own;
}

static guint references_with(const DtObservedTrace **references, guint count, guint64 key, gboolean bodies)
{
    guint having = 0;
    for (guint i = 0; i < count; ++i)
        having += dt_gram_map_find(map_of(references[i], bodies), key) != NULL;
    return having;
}

/* What other threads of a class do that goes by luck may come to this one at any time. */
static gboolean is_luck(const DtCorpus *corpus, guint trace, guint64 key, gboolean body)
{
    guint class_number = corpus->classes[trace];
    if (!body && !dt_gram_is_single(key))
        return dt_is_choice(corpus, DT_SEQUENCE_ALL, class_number, dt_gram_first_symbol(key));
    return corpus->varying->has_any[class_number];
}

void dt_find_new_structure(const DtCorpus *corpus, guint run, guint trace, DtRawKind kind, GArray *items,
                           DtRawEvidence *raw)
{
    const gboolean bodies = kind == DT_RAW_NEW_BODY || kind == DT_RAW_NEW_BODY_HERE;
    const gboolean here = kind == DT_RAW_NEW_HERE || kind == DT_RAW_NEW_BODY_HERE || corpus->normals == 0;
    g_autofree const DtObservedTrace **references = g_new(const DtObservedTrace *, dt_corpus_max_references(corpus));
    guint count = dt_corpus_references(corpus, run, trace, references);
    const DtGramMap *own = map_of(dt_corpus_at(corpus, run, trace), bodies);
    const gboolean library_clock = dt_corpus_has_library_clock(corpus, run, trace);
    for (guint i = 0; i < own->grams->len; ++i) {
        const DtGram *gram = dt_gram_map_at(own, i);
        guint64 clock = library_clock ? gram->clock : gram->position;
        gboolean known = here ? references_with(references, count, gram->key, bodies) > 0
                              : known_anywhere(corpus, run, gram->key, bodies);
        if (known ||
            (here && known_anywhere(corpus, run, gram->key, bodies) && is_luck(corpus, trace, gram->key, bodies)))
            continue;
        if (items->len == 0 || clock < raw->clock[kind]) {
            raw->clock[kind] = clock;
            raw->key[kind] = gram->key;
        }
        DtEvidenceItem item = {gram->key, 1};
        g_array_append_val(items, item);
    }
}

/* When the references have it, as a share of their length: the latest of their first times; -1 if some never do. */
static double due_time(const DtObservedTrace **references, guint count, guint64 key)
{
    double due = 0;
    for (guint i = 0; i < count; ++i) {
        const DtGram *gram = dt_gram_map_find(references[i]->calls->grams, key);
        if (!gram)
            return -1;
        due = MAX(due, (double)gram->position / (double)dt_sequence_length(&references[i]->calls->entries));
    }
    return due;
}

/* How far an unfinished trace got: the latest due time of what it has. */
static double time_reached(const DtObservedTrace *observed, const DtObservedTrace **references, guint count)
{
    double reached = -1;
    for (guint i = 0; i < observed->calls->grams->grams->len; ++i)
        reached = MAX(reached, due_time(references, count, dt_gram_map_at(observed->calls->grams, i)->key));
    return reached;
}

void dt_find_missing(const DtCorpus *corpus, guint run, guint trace, gboolean finished, GArray *items,
                     DtRawEvidence *raw)
{
    g_autofree const DtObservedTrace **references = g_new(const DtObservedTrace *, dt_corpus_max_references(corpus));
    guint count = dt_corpus_references(corpus, run, trace, references);
    const DtObservedTrace *observed = dt_corpus_at(corpus, run, trace);
    double reached = finished ? 1 : time_reached(observed, references, count);
    double first_due = 2;
    for (guint i = 0; i < references[0]->calls->grams->grams->len; ++i) {
        guint64 key = dt_gram_map_at(references[0]->calls->grams, i)->key;
        if (dt_gram_map_find(observed->calls->grams, key))
            continue;
        double due = due_time(references, count, key);
        if (due < 0 || (!finished && due >= reached))
            continue;
        if (due < first_due) {
            first_due = due;
            raw->key[DT_RAW_MISSING] = key;
        }
        DtEvidenceItem item = {key, 1};
        g_array_append_val(items, item);
    }
}
