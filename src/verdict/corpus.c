/*
 * Aligns the runs by trace label, finds the classes of traces, and says what a
 * trace is to be compared with.
 */
#include "verdict/successors.h"

#include <stdlib.h>
#include <string.h>

/* ---- alignment ---------------------------------------------------------------------- */

static guint world_size(const GPtrArray *traces)
{
    gint size = 0;
    for (guint t = 0; t < traces->len; t++)
        size = MAX(size, ((const DtObservedTrace *)g_ptr_array_index(traces, t))->trace->process->world_size);
    return (guint)size;
}

static guint label_index(DtCorpus *corpus, GHashTable *indices, const char *label)
{
    gpointer known = g_hash_table_lookup(indices, label);
    if (!known) {
        g_ptr_array_add(corpus->labels, (gpointer)label);
        known = GUINT_TO_POINTER(corpus->labels->len);
        g_hash_table_insert(indices, (gpointer)label, known);
    }
    return GPOINTER_TO_UINT(known) - 1;
}

static void align_traces(DtCorpus *corpus)
{
    g_autoptr(GHashTable) indices = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i <= corpus->normals; i++) {
        guint run = i == 0 ? corpus->normals : i - 1;
        const GPtrArray *traces = g_ptr_array_index(corpus->runs, run);
        for (guint t = 0; t < traces->len; t++)
            label_index(corpus, indices, ((DtObservedTrace *)g_ptr_array_index(traces, t))->trace->label);
    }
    corpus->traces = corpus->labels->len;
    corpus->at = g_new0(DtObservedTrace *, ((gsize)corpus->normals + 1) * corpus->traces + 1);
    for (guint run = 0; run <= corpus->normals; run++) {
        const GPtrArray *traces = g_ptr_array_index(corpus->runs, run);
        for (guint t = 0; t < traces->len; t++) {
            DtObservedTrace *observed = g_ptr_array_index(traces, t);
            guint trace = label_index(corpus, indices, observed->trace->label);
            corpus->at[(gsize)run * corpus->traces + trace] = observed;
        }
    }
}

/* ---- what is normal in any thread -------------------------------------------------------- */

/* Counts each key once per run; `position` remembers the last run that was counted. */
static void count_keys(DtGramMap *runs_with, const DtGramMap *of, guint run)
{
    for (guint i = 0; i < of->grams->len; i++) {
        DtGram *gram = dt_gram_map_get(runs_with, dt_gram_map_at(of, i)->key);
        if (gram->count == 0 || gram->position != run) {
            gram->position = run;
            gram->count++;
        }
    }
}

static void count_normal_keys(DtCorpus *corpus)
{
    for (guint run = 0; run < corpus->normals; run++) {
        const GPtrArray *traces = g_ptr_array_index(corpus->runs, run);
        for (guint t = 0; t < traces->len; t++) {
            const DtObservedTrace *observed = g_ptr_array_index(traces, t);
            count_keys(corpus->normal_grams, observed->calls->grams, run);
            count_keys(corpus->normal_bodies, observed->calls->bodies, run);
        }
    }
}

/* ---- classes ----------------------------------------------------------------------------- */

static int compare_symbols(const void *a, const void *b)
{
    guint32 first = *(const guint32 *)a, second = *(const guint32 *)b;
    return first < second ? -1 : first > second;
}

/* Symbols that occur in the trace in every normal run (without normal runs: in the trace), as a byte string. */
static GBytes *present_symbols(const DtCorpus *corpus, guint trace)
{
    g_autoptr(GArray) present = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autofree const DtObservedTrace **references = g_new(const DtObservedTrace *, dt_corpus_max_references(corpus));
    guint count = 1;
    if (corpus->normals > 0)
        count = dt_corpus_normal_references(corpus, trace, references);
    else
        references[0] = dt_corpus_at(corpus, 0, trace);
    for (guint i = 0; count > 0 && i < references[0]->calls->grams->grams->len; i++) {
        guint64 key = dt_gram_map_at(references[0]->calls->grams, i)->key;
        guint having = 1;
        while (having < count && dt_gram_is_single(key) && dt_gram_map_find(references[having]->calls->grams, key))
            ++having;
        guint32 symbol = dt_gram_symbol(key);
        if (having == count && dt_gram_is_single(key))
            g_array_append_val(present, symbol);
    }
    if (present->len > 0)
        qsort(present->data, present->len, sizeof(guint32), compare_symbols);
    return g_bytes_new(present->data, (gsize)present->len * sizeof(guint32));
}

static void find_classes(DtCorpus *corpus)
{
    g_autoptr(GHashTable) known =
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    corpus->classes = g_new0(guint, corpus->traces + 1);
    for (guint trace = 0; trace < corpus->traces; trace++) {
        GBytes *symbols = present_symbols(corpus, trace);
        gpointer number = g_hash_table_lookup(known, symbols);
        if (number) {
            g_bytes_unref(symbols);
        } else {
            number = GUINT_TO_POINTER(++corpus->class_count);
            g_hash_table_insert(known, symbols, number);
        }
        corpus->classes[trace] = GPOINTER_TO_UINT(number) - 1;
    }
}

static void list_classes(DtCorpus *corpus)
{
    corpus->by_class = g_new(guint, (gsize)corpus->traces + 1);
    corpus->class_start = g_new0(guint, (gsize)corpus->class_count + 2);
    guint *ends = corpus->class_start + 1;
    for (guint trace = 0; trace < corpus->traces; trace++)
        ends[corpus->classes[trace] + 1]++;
    for (guint c = 0; c < corpus->class_count; c++)
        ends[c + 1] += ends[c];
    for (guint trace = 0; trace < corpus->traces; trace++)
        corpus->by_class[ends[corpus->classes[trace]]++] = trace;
}

/* ---- references -------------------------------------------------------------------------------- */

guint dt_corpus_max_references(const DtCorpus *corpus)
{
    return MAX(corpus->normals, (guint)DT_MAX_STAND_INS);
}

DtThreadKind dt_thread_kind(const DtTrace *trace)
{
    if (trace->library)
        return DT_THREAD_KIND_LIBRARY;
    return trace->thread == 0 ? DT_THREAD_KIND_MAIN : DT_THREAD_KIND_WORKER;
}

guint dt_corpus_references(const DtCorpus *corpus, guint run, guint trace, const DtObservedTrace **references)
{
    guint count = 0;
    if (corpus->reference_traces && run == corpus->normals && corpus->reference_traces[trace]) {
        for (; count < corpus->reference_traces[trace]->len; count++)
            references[count] = g_ptr_array_index(corpus->reference_traces[trace], count);
        return count;
    }
    for (guint r = 0; r < corpus->normals; r++) {
        const DtObservedTrace *reference = dt_corpus_at(corpus, r, trace);
        if (reference && r != run)
            references[count++] = reference;
    }
    return count;
}

guint dt_corpus_normal_references(const DtCorpus *corpus, guint trace, const DtObservedTrace **references)
{
    guint count = dt_corpus_references(corpus, corpus->normals, trace, references), kept = 0;
    for (guint i = 0; i < count; i++) {
        if (references[i]->run != corpus->faulty_run)
            references[kept++] = references[i];
    }
    return kept;
}

static double length_of(const DtObservedTrace *observed, gboolean library)
{
    return (double)dt_sequence_length(dt_observed_sequence(observed, library ? DT_SEQUENCE_LIBRARY : DT_SEQUENCE_ALL));
}

/* Of the normal runs if there are any: traces of a run that hung are as short as each other. */
static double mean_length(const DtCorpus *corpus, guint run, guint trace, gboolean library)
{
    g_autofree const DtObservedTrace **references = g_new(const DtObservedTrace *, dt_corpus_max_references(corpus));
    guint count = corpus->teams_differ && run == corpus->normals
                      ? dt_corpus_normal_references(corpus, trace, references)
                      : dt_corpus_references(corpus, run, trace, references);
    double sum = 0;
    for (guint i = 0; i < count; i++)
        sum += length_of(references[i], library);
    return count > 0 ? sum / count : 0;
}

gboolean dt_corpus_counts_library_calls(const DtCorpus *corpus, guint run, guint trace)
{
    return mean_length(corpus, run, trace, TRUE) > 0;
}

double dt_corpus_mean_steps(const DtCorpus *corpus, guint run, guint trace)
{
    return mean_length(corpus, run, trace, dt_corpus_counts_library_calls(corpus, run, trace));
}

double dt_corpus_steps(const DtCorpus *corpus, guint run, guint trace)
{
    return length_of(dt_corpus_at(corpus, run, trace), dt_corpus_counts_library_calls(corpus, run, trace));
}

/* ---- life -------------------------------------------------------------------------------------------- */

static void relate_runs(DtCorpus *corpus)
{
    corpus->labels = g_ptr_array_new();
    corpus->normal_grams = dt_gram_map_new();
    corpus->normal_bodies = dt_gram_map_new();
    align_traces(corpus);
    corpus->world_sizes[0] = world_size(g_ptr_array_index(corpus->runs, 0));
    corpus->world_sizes[1] = world_size(g_ptr_array_index(corpus->runs, corpus->normals));
    if (!dt_corpus_sizes_differ(corpus))
        dt_find_thread_counts(corpus);
    count_normal_keys(corpus);
    corpus->reference_traces = dt_reference_traces_new(corpus);
    find_classes(corpus);
    list_classes(corpus);
    corpus->varying = dt_varying_successors_new(corpus);
}

DtCorpus *dt_corpus_new(const GPtrArray *normals, const DtRun *faulty, DtObservations *observations)
{
    DtCorpus *corpus = g_new0(DtCorpus, 1);
    corpus->functions = dt_run_functions(faulty);
    corpus->faulty_run = faulty;
    corpus->normals = normals->len;
    corpus->kinds = dt_call_kinds(corpus->functions);
    corpus->observations = observations;
    corpus->runs = observations->runs;
    relate_runs(corpus);
    return corpus;
}

void dt_corpus_free(DtCorpus *corpus)
{
    if (!corpus)
        return;
    g_free(corpus->kinds);
    dt_observations_free(corpus->observations);
    g_clear_pointer(&corpus->labels, g_ptr_array_unref);
    g_free(corpus->at);
    g_free(corpus->classes);
    g_free(corpus->by_class);
    g_free(corpus->class_start);
    g_free(corpus->by_luck);
    dt_gram_map_free(corpus->normal_grams);
    dt_gram_map_free(corpus->normal_bodies);
    dt_varying_successors_free(corpus->varying);
    for (guint trace = 0; corpus->reference_traces && trace < corpus->traces; trace++)
        g_clear_pointer(&corpus->reference_traces[trace], g_ptr_array_unref);
    g_free(corpus->reference_traces);
    g_free(corpus);
}
