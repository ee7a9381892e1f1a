/*
 * Stand-ins: with another number of ranks, rank 5 is not what rank 5 was, and alone a run has no other rank 5, so
 * traces are compared with those that call the same functions.
 */
#include "rank/corpus.h"

enum { MOST_CANDIDATES = 64, FEWEST_ALONE = 3 };
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
    for (guint i = 0; i < observed->calls->grams->grams->len; ++i)
        symbols += dt_gram_is_single(dt_gram_map_at(observed->calls->grams, i)->key) ? 1 : 0;
    return symbols;
}

/* Jaccard similarity of the symbols that two traces have. */
static double likeness(const DtObservedTrace *a, const DtObservedTrace *b)
{
    guint common = 0;
    for (guint i = 0; i < a->calls->grams->grams->len; ++i) {
        guint64 key = dt_gram_map_at(a->calls->grams, i)->key;
        common += dt_gram_is_single(key) && dt_gram_map_find(b->calls->grams, key) ? 1 : 0;
    }
    guint all = count_symbols(a) + count_symbols(b) - common;
    return all > 0 ? (double)common / all : 1;
}

static guint count_kind(const GPtrArray *traces, DtThreadKind kind)
{
    guint count = 0;
    for (guint t = 0; t < traces->len; ++t)
        count += dt_thread_kind(((const DtObservedTrace *)g_ptr_array_index(traces, t))->trace) == kind ? 1 : 0;
    return count;
}

/* Traces of a run, evenly spread where there are too many. */
static void add_candidates(GArray *candidates, const GPtrArray *traces, const DtObservedTrace *own)
{
    DtThreadKind kind = dt_thread_kind(own->trace);
    guint step = 1 + count_kind(traces, kind) / MOST_CANDIDATES, seen = 0;
    for (guint t = 0; t < traces->len; ++t) {
        DtObservedTrace *trace = g_ptr_array_index(traces, t);
        if (trace == own || dt_thread_kind(trace->trace) != kind || seen++ % step != 0)
            continue;
        Candidate candidate = {trace, likeness(own, trace)};
        g_array_append_val(candidates, candidate);
    }
}

/* Those as like it as the best; of one run alone those that are nearly so, if they are several. */
static GPtrArray *choose(GArray *candidates, double least, double least_of_all)
{
    GPtrArray *best = g_ptr_array_new();
    g_array_sort(candidates, compare_candidates); /* merge sort: run and rank decide between equals */
    for (guint i = 0; i < candidates->len && best->len < DT_MAX_STAND_INS; ++i) {
        const Candidate *candidate = &g_array_index(candidates, Candidate, i);
        if (candidate->likeness >= least_of_all &&
            candidate->likeness >= least * g_array_index(candidates, Candidate, 0).likeness)
            g_ptr_array_add(best, candidate->trace);
    }
    return best;
}

static GPtrArray *find_stand_ins(const DtCorpus *corpus, const DtObservedTrace *own)
{
    g_autoptr(GArray) candidates = g_array_new(FALSE, FALSE, sizeof(Candidate));
    guint runs = corpus->normals > 0 ? corpus->normals : 1;
    for (guint run = 0; own && run < runs; ++run)
        add_candidates(candidates, g_ptr_array_index(corpus->runs, run), own);
    GPtrArray *found = corpus->normals > 0 ? choose(candidates, 1, 0) : choose(candidates, NEARLY, LEAST_ALONE);
    if (corpus->normals == 0 && found->len < FEWEST_ALONE)
        g_ptr_array_set_size(found, 0);
    return found;
}

GPtrArray **dt_stand_ins_new(const DtCorpus *corpus)
{
    if (corpus->normals > 0 && !dt_corpus_sizes_differ(corpus))
        return NULL;
    GPtrArray **stand_ins = g_new0(GPtrArray *, corpus->traces + 1);
    for (guint trace = 0; trace < corpus->traces; ++trace)
        stand_ins[trace] = find_stand_ins(corpus, dt_corpus_at(corpus, corpus->normals, trace));
    return stand_ins;
}
