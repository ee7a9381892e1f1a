/*
 * Stand-ins: with another number of ranks, rank 5 is not what rank 5 was, so traces are compared with those that call
 * the same functions.
 */
#include "rank/corpus.h"

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
    for (guint i = 0; i < observed->grams->grams->len; ++i)
        symbols += dt_gram_is_single(dt_gram_map_at(observed->grams, i)->key) ? 1 : 0;
    return symbols;
}

/* Jaccard similarity of the symbols that two traces have. */
static double likeness(const DtObservedTrace *a, const DtObservedTrace *b)
{
    guint common = 0;
    for (guint i = 0; i < a->grams->grams->len; ++i) {
        guint64 key = dt_gram_map_at(a->grams, i)->key;
        common += dt_gram_is_single(key) && dt_gram_map_find(b->grams, key) ? 1 : 0;
    }
    guint all = count_symbols(a) + count_symbols(b) - common;
    return all > 0 ? (double)common / all : 1;
}

static void add_candidates(GArray *candidates, const GPtrArray *traces, const DtObservedTrace *own)
{
    for (guint t = 0; t < traces->len; ++t) {
        DtObservedTrace *trace = g_ptr_array_index(traces, t);
        if (dt_thread_kind(trace->trace) != dt_thread_kind(own->trace))
            continue;
        Candidate candidate = {trace, likeness(own, trace)};
        g_array_append_val(candidates, candidate);
    }
}

/* Only those that are as like it as the best. */
static GPtrArray *most_alike(const DtCorpus *corpus, const DtObservedTrace *own)
{
    GPtrArray *best = g_ptr_array_new();
    g_autoptr(GArray) candidates = g_array_new(FALSE, FALSE, sizeof(Candidate));
    for (guint run = 0; own && run < corpus->normals; ++run)
        add_candidates(candidates, g_ptr_array_index(corpus->runs, run), own);
    g_array_sort(candidates, compare_candidates); /* merge sort: run and rank decide between equals */
    for (guint i = 0; i < candidates->len && best->len < DT_MAX_STAND_INS; ++i) {
        const Candidate *candidate = &g_array_index(candidates, Candidate, i);
        if (candidate->likeness >= g_array_index(candidates, Candidate, 0).likeness)
            g_ptr_array_add(best, candidate->trace);
    }
    return best;
}

GPtrArray **dt_stand_ins_new(const DtCorpus *corpus)
{
    const guint *sizes = corpus->world_sizes;
    if (corpus->normals == 0 || sizes[0] == 0 || sizes[1] == 0 || sizes[0] == sizes[1])
        return NULL;
    GPtrArray **stand_ins = g_new0(GPtrArray *, corpus->traces + 1);
    for (guint trace = 0; trace < corpus->traces; ++trace)
        stand_ins[trace] = most_alike(corpus, dt_corpus_at(corpus, corpus->normals, trace));
    return stand_ins;
}
