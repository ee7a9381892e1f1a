/*
 * New structure: pairs of calls and bodies of functions that no normal run has.
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

static gboolean known_here(const DtTraceComparison *comparison, guint64 key, gboolean bodies)
{
    for (guint i = 0; i < comparison->reference_count; i++) {
        if (dt_gram_map_find(map_of(comparison->references[i], bodies), key))
            return TRUE;
    }
    return FALSE;
}

/* What other threads of a class do that goes by luck may come to this one at any time. */
static gboolean is_luck(const DtCorpus *corpus, guint trace, guint64 key, gboolean body)
{
    guint class_number = corpus->classes[trace];
    if (!body && !dt_gram_is_single(key))
        return dt_is_choice(corpus, DT_SEQUENCE_ALL, class_number, dt_gram_first_symbol(key));
    return corpus->varying->has_any[class_number];
}

void dt_find_new_structure(const DtTraceComparison *comparison, gboolean bodies, gboolean here, GArray *items,
                           DtFinding *finding)
{
    const DtCorpus *corpus = comparison->corpus;
    const guint run = comparison->run;
    const DtGramMap *own = map_of(comparison->observed, bodies);
    const gboolean library_calls_only = dt_corpus_counts_library_calls(corpus, run, comparison->trace);
    here = here || corpus->normals == 0;
    for (guint i = 0; i < own->grams->len; i++) {
        const DtGram *gram = dt_gram_map_at(own, i);
        guint64 step = library_calls_only ? gram->step : gram->position;
        gboolean known =
            here ? known_here(comparison, gram->key, bodies) : known_anywhere(corpus, run, gram->key, bodies);
        if (known || (here && known_anywhere(corpus, run, gram->key, bodies) &&
                      is_luck(corpus, comparison->trace, gram->key, bodies)))
            continue;
        if (items->len == 0 || step < finding->step) {
            finding->step = step;
            finding->key = gram->key;
        }
        DtEvidenceItem item = {gram->key, 1};
        g_array_append_val(items, item);
    }
}
