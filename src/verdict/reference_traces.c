/*
 * Stand-ins: with another number of ranks, rank 5 is not what rank 5 was, and alone a run has no other rank 5, so
 * traces are compared with those that call the same functions.
 */
#include <stdlib.h>

#include "verdict/corpus.h"

enum { MOST_CANDIDATES = 64, FEWEST_ALONE = 3, HALF = DT_MAX_STAND_INS / 2 };
static const double NEARLY = 0.9, LEAST_ALONE = 0.75;

typedef struct {
    DtObservedTrace *trace;
    double likeness;
} Candidate;

static gint compare_candidates(gconstpointer a, gconstpointer b)
{
    const Candidate *first = a, *second = b;
    return first->likeness > second->likeness ? -1 : first->likeness < second->likeness;
}

static guint count_symbols(const DtObservedTrace *observed)
{
    guint symbols = 0;
    for (guint i = 0; i < observed->calls->grams->grams->len; i++)
        symbols += dt_gram_is_single(dt_gram_map_at(observed->calls->grams, i)->key) ? 1 : 0;
    return symbols;
}

/* Jaccard similarity of the symbols that two traces have. */
static double likeness(const DtObservedTrace *a, const DtObservedTrace *b)
{
    guint common = 0;
    for (guint i = 0; i < a->calls->grams->grams->len; i++) {
        guint64 key = dt_gram_map_at(a->calls->grams, i)->key;
        common += dt_gram_is_single(key) && dt_gram_map_find(b->calls->grams, key) ? 1 : 0;
    }
    guint all = count_symbols(a) + count_symbols(b) - common;
    return all > 0 ? (double)common / all : 1;
}

/* The traces of a run by kind of thread (element-type DtObservedTrace), in their order. */
typedef struct {
    GPtrArray *of_kind[DT_THREAD_KINDS];
} Kinds;

static Kinds *sort_by_kind(const GPtrArray *runs, guint count)
{
    Kinds *kinds = g_new(Kinds, count);
    for (guint run = 0; run < count; run++) {
        const GPtrArray *traces = g_ptr_array_index(runs, run);
        for (guint kind = 0; kind < DT_THREAD_KINDS; kind++)
            kinds[run].of_kind[kind] = g_ptr_array_new();
        for (guint t = 0; t < traces->len; t++) {
            DtObservedTrace *trace = g_ptr_array_index(traces, t);
            g_ptr_array_add(kinds[run].of_kind[dt_thread_kind(trace->trace)], trace);
        }
    }
    return kinds;
}

static void free_kinds(Kinds *kinds, guint count)
{
    for (guint run = 0; run < count; run++) {
        for (guint kind = 0; kind < DT_THREAD_KINDS; kind++)
            g_ptr_array_unref(kinds[run].of_kind[kind]);
    }
    g_free(kinds);
}

static gint compare_traces(gconstpointer a, gconstpointer b)
{
    const DtObservedTrace *first = *(DtObservedTrace *const *)a, *second = *(DtObservedTrace *const *)b;
    return first->trace->index < second->trace->index ? -1 : first->trace->index > second->trace->index;
}

/* Where a trace stands among those of a run; their number, if it is of another run. */
static guint index_among(const GPtrArray *like, const DtObservedTrace *own)
{
    DtObservedTrace **found =
        like->len > 0 ? bsearch(&own, like->pdata, like->len, sizeof(gpointer), compare_traces) : NULL;
    return found && *found == own ? (guint)((gpointer *)found - like->pdata) : like->len;
}

/* Traces of a run but for `own`, evenly spread where there are too many. */
static void add_candidates(GArray *candidates, const GPtrArray *like, const DtObservedTrace *own)
{
    const guint step = 1 + like->len / MOST_CANDIDATES, place = index_among(like, own);
    const guint others = like->len - (place < like->len ? 1 : 0);
    for (guint t = 0; t < others; t += step) {
        DtObservedTrace *trace = g_ptr_array_index(like, t < place ? t : t + 1);
        Candidate candidate = {trace, likeness(own, trace)};
        g_array_append_val(candidates, candidate);
    }
}

/* Those as like it as the best; of one run alone those that are nearly so, if they are several. */
static GPtrArray *choose_likest(GArray *candidates, guint most, double least, double least_of_all)
{
    GPtrArray *best = g_ptr_array_new();
    g_array_sort(candidates, compare_candidates); /* merge sort: run and rank decide between equals */
    for (guint i = 0; i < candidates->len && best->len < most; i++) {
        const Candidate *candidate = &g_array_index(candidates, Candidate, i);
        if (candidate->likeness >= least_of_all &&
            candidate->likeness >= least * g_array_index(candidates, Candidate, 0).likeness)
            g_ptr_array_add(best, candidate->trace);
    }
    return best;
}

static GPtrArray *find_reference_traces(const DtCorpus *corpus, const Kinds *kinds, guint runs,
                                        const DtObservedTrace *own)
{
    g_autoptr(GArray) candidates = g_array_new(FALSE, FALSE, sizeof(Candidate));
    for (guint run = 0; own && run < runs; run++)
        add_candidates(candidates, kinds[run].of_kind[dt_thread_kind(own->trace)], own);
    GPtrArray *found = corpus->normals > 0 ? choose_likest(candidates, DT_MAX_STAND_INS, 1, 0)
                                           : choose_likest(candidates, DT_MAX_STAND_INS, NEARLY, LEAST_ALONE);
    if (corpus->normals == 0 && found->len < FEWEST_ALONE)
        g_ptr_array_set_size(found, 0);
    return found;
}

/* ---- other numbers of threads --------------------------------------------------------------- */

static void unref_array(gpointer array)
{
    g_ptr_array_unref(array);
}

/* Of a run, all threads of processes but their first ones, by the function that they start with. */
static GHashTable *sort_by_start(const DtCorpus *corpus, guint run)
{
    GHashTable *by_start = g_hash_table_new_full(NULL, NULL, NULL, unref_array);
    const GPtrArray *traces = g_ptr_array_index(corpus->runs, run);
    for (guint t = 0; t < traces->len; t++) {
        DtObservedTrace *trace = g_ptr_array_index(traces, t);
        if (dt_thread_kind(trace->trace) != DT_THREAD_KIND_WORKER)
            continue;
        gpointer start = GUINT_TO_POINTER(dt_start_function(corpus, trace));
        GPtrArray *like = g_hash_table_lookup(by_start, start);
        if (!like) {
            like = g_ptr_array_new();
            g_hash_table_insert(by_start, start, like);
        }
        g_ptr_array_add(like, trace);
    }
    return by_start;
}

/* Half of them of its own run: these have as large a share of the work as it. */
static GPtrArray *find_mates(const DtCorpus *corpus, GHashTable *const *by_start, const DtObservedTrace *own)
{
    g_autoptr(GArray) here = g_array_new(FALSE, FALSE, sizeof(Candidate));
    g_autoptr(GArray) normally = g_array_new(FALSE, FALSE, sizeof(Candidate));
    for (guint run = 0; run <= corpus->normals; run++) {
        const GPtrArray *like = g_hash_table_lookup(by_start[run], GUINT_TO_POINTER(dt_start_function(corpus, own)));
        if (like)
            add_candidates(run == corpus->normals ? here : normally, like, own);
    }
    GPtrArray *mates = choose_likest(here, HALF, 1, 0);
    g_ptr_array_extend_and_steal(mates, choose_likest(normally, HALF, 1, 0));
    return mates;
}

static GPtrArray **find_all_mates(const DtCorpus *corpus)
{
    GPtrArray **mates = g_new0(GPtrArray *, (gsize)corpus->traces + 1);
    g_autofree GHashTable **by_start = g_new(GHashTable *, (gsize)corpus->normals + 1);
    for (guint run = 0; run <= corpus->normals; run++)
        by_start[run] = sort_by_start(corpus, run);
    for (guint trace = 0; trace < corpus->traces; trace++) {
        const DtObservedTrace *own = dt_corpus_at(corpus, corpus->normals, trace);
        if (own && dt_thread_kind(own->trace) == DT_THREAD_KIND_WORKER)
            mates[trace] = find_mates(corpus, by_start, own);
    }
    for (guint run = 0; run <= corpus->normals; run++)
        g_hash_table_unref(by_start[run]);
    return mates;
}

GPtrArray **dt_reference_traces_new(const DtCorpus *corpus)
{
    if (corpus->normals > 0 && !dt_corpus_sizes_differ(corpus))
        return corpus->teams_differ ? find_all_mates(corpus) : NULL;
    GPtrArray **reference_traces = g_new0(GPtrArray *, corpus->traces + 1);
    const guint runs = MAX(corpus->normals, 1);
    Kinds *kinds = sort_by_kind(corpus->runs, runs);
    for (guint trace = 0; trace < corpus->traces; trace++)
        reference_traces[trace] =
            find_reference_traces(corpus, kinds, runs, dt_corpus_at(corpus, corpus->normals, trace));
    free_kinds(kinds, runs);
    return reference_traces;
}
