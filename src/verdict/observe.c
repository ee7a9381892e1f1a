/*
 * Observes the traces of all runs, each that is equal to another one only once.
 */
#include "verdict/observe.h"

#include <omp.h>
#include <string.h>

#include "verdict/observer.h"

/* Traces with the same recorded bytes. */
typedef struct {
    const DtRun *run;
    const DtTrace *trace; /* the first of them */
    const DtObservation *calls;
    GError *failure;
} Job;

/* ---- what is to be read -------------------------------------------------------------------- */

/* What threads of MPI's and other libraries do is a matter of timing: they neither are suspects nor tell who is. */
static gboolean is_observed(const DtTrace *trace)
{
    return !trace->library;
}

/* All traces of all runs, by run. */
static GPtrArray *list_runs(const GPtrArray *runs, GPtrArray *all)
{
    GPtrArray *listed = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    for (guint r = 0; r < runs->len; ++r) {
        const DtRun *run = g_ptr_array_index(runs, r);
        GPtrArray *traces = g_ptr_array_new_with_free_func(g_free);
        for (guint t = 0; t < dt_run_trace_count(run); ++t) {
            if (!is_observed(dt_run_trace(run, t)))
                continue;
            DtObservedTrace *observed = g_new0(DtObservedTrace, 1);
            observed->run = run;
            observed->trace = dt_run_trace(run, t);
            g_ptr_array_add(traces, observed);
            g_ptr_array_add(all, observed);
        }
        g_ptr_array_add(listed, traces);
    }
    return listed;
}

static char **digest_traces(const GPtrArray *all, gint threads)
{
    char **digests = g_new0(char *, all->len + 1);
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
    for (gint i = 0; i < (gint)all->len; ++i) {
        const DtObservedTrace *observed = g_ptr_array_index(all, (guint)i);
        digests[i] = dt_trace_digest(observed->run, observed->trace);
    }
    return digests;
}

/* The jobs, in the order of their first traces, and per trace of `all` the number of its job. */
static GArray *find_jobs(const GPtrArray *all, gint threads, guint *job_of)
{
    GArray *jobs = g_array_new(FALSE, TRUE, sizeof(Job));
    char **digests = digest_traces(all, threads);
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < all->len; ++i) {
        const DtObservedTrace *observed = g_ptr_array_index(all, i);
        gpointer number = digests[i] ? g_hash_table_lookup(known, digests[i]) : NULL;
        if (!number) {
            Job job = {.run = observed->run, .trace = observed->trace};
            g_array_append_val(jobs, job);
            number = GUINT_TO_POINTER(jobs->len);
        }
        job_of[i] = GPOINTER_TO_UINT(number) - 1;
        if (digests[i])
            g_hash_table_insert(known, g_steal_pointer(&digests[i]), number);
    }
    g_free(digests);
    return jobs;
}

static gint by_descending_words(gconstpointer a, gconstpointer b)
{
    const Job *first = *(Job *const *)a, *second = *(Job *const *)b;
    return first->trace->words < second->trace->words ? 1 : first->trace->words > second->trace->words ? -1 : 0;
}

/* The longest first, so that no thread is left alone with it at the end. */
static GPtrArray *order_jobs(GArray *jobs)
{
    GPtrArray *ordered = g_ptr_array_new();
    for (guint i = 0; i < jobs->len; ++i)
        g_ptr_array_add(ordered, &g_array_index(jobs, Job, i));
    g_ptr_array_sort(ordered, by_descending_words);
    return ordered;
}

/* ---- one of those that are equal ------------------------------------------------------------- */

static guint observation_hash(gconstpointer data)
{
    const DtObservation *observation = data;
    DtElements elements = dt_nlr_elements(observation->entries.nlr);
    return (guint)dt_hash_words(elements.elements, elements.length) ^ observation->bodies->grams->len;
}

static gboolean same_bytes(const GArray *a, const GArray *b)
{
    return a->len == b->len &&
           (a->len == 0 || memcmp(a->data, b->data, a->len * g_array_get_element_size((GArray *)a)) == 0);
}

static gboolean observation_equal(gconstpointer a, gconstpointer b)
{
    const DtObservation *first = a, *second = b;
    return dt_sequence_equal(&first->entries, &second->entries) &&
           same_bytes(first->bodies->grams, second->bodies->grams) && same_bytes(first->open, second->open) &&
           first->last_entry == second->last_entry && g_strcmp0(first->problem, second->problem) == 0;
}

/* The one observation of all that are equal. */
static const DtObservation *keep_observation(DtObservations *observations, GHashTable *known,
                                             DtObservation *observation)
{
    const DtObservation *equal = g_hash_table_lookup(known, observation);
    if (equal) {
        dt_observation_free(observation);
        return equal;
    }
    g_hash_table_add(known, observation);
    g_ptr_array_add(observations->distinct, observation);
    return observation;
}

/* ---- all -------------------------------------------------------------------------------------------- */

static void do_jobs(DtObservations *observations, GArray *jobs, const guint8 *kinds, gint threads)
{
    g_autoptr(GPtrArray) ordered = order_jobs(jobs);
    g_autoptr(GHashTable) known = g_hash_table_new(observation_hash, observation_equal);
    g_autoptr(DtGramMap) known_symbols = dt_gram_map_new();
    DtSymbolTable symbols = {kinds, observations->alphabet, known_symbols};
    const gint count = (gint)ordered->len;
#pragma omp parallel num_threads(MIN(threads, MAX(count, 1)))
    {
        DtObserver *observer = dt_observer_new(&symbols);
#pragma omp for schedule(dynamic)
        for (gint i = 0; i < count; ++i) {
            Job *job = g_ptr_array_index(ordered, (guint)i);
            dt_observer_read(observer, job->run, job->trace, &job->failure);
#pragma omp critical(observations)
            job->calls = keep_observation(observations, known, dt_observer_finish(observer));
        }
        dt_observer_free(observer);
    }
}

static void find_grams(DtObservations *observations, gint threads)
{
    dt_alphabet_complete(observations->alphabet);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (gint i = 0; i < (gint)observations->distinct->len; ++i) {
        DtObservation *observation = g_ptr_array_index(observations->distinct, (guint)i);
        observation->grams = dt_sequence_grams(&observation->entries);
    }
}

static gboolean check_jobs(GArray *jobs, GError **error)
{
    GError *first = NULL;
    for (guint i = 0; i < jobs->len; ++i) {
        Job *job = &g_array_index(jobs, Job, i);
        if (!first)
            first = g_steal_pointer(&job->failure);
        g_clear_error(&job->failure);
    }
    if (first)
        g_propagate_error(error, first);
    return first == NULL;
}

DtObservations *dt_observe_runs(const GPtrArray *runs, const guint8 *kinds, guint jobs, GError **error)
{
    const gint threads = jobs > 0 ? (gint)jobs : omp_get_max_threads();
    g_autoptr(DtObservations) observations = g_new0(DtObservations, 1);
    g_autoptr(GPtrArray) all = g_ptr_array_new();
    observations->alphabet = dt_alphabet_new();
    observations->distinct = g_ptr_array_new_with_free_func((GDestroyNotify)dt_observation_free);
    observations->runs = list_runs(runs, all);
    g_autofree guint *job_of = g_new0(guint, all->len + 1);
    g_autoptr(GArray) found = find_jobs(all, threads, job_of);
    do_jobs(observations, found, kinds, threads);
    if (!check_jobs(found, error))
        return NULL;
    find_grams(observations, threads);
    for (guint i = 0; i < all->len; ++i)
        ((DtObservedTrace *)g_ptr_array_index(all, i))->calls = g_array_index(found, Job, job_of[i]).calls;
    return g_steal_pointer(&observations);
}

void dt_observations_free(DtObservations *observations)
{
    if (!observations)
        return;
    g_clear_pointer(&observations->runs, g_ptr_array_unref);
    g_clear_pointer(&observations->distinct, g_ptr_array_unref);
    dt_alphabet_free(observations->alphabet);
    g_free(observations);
}
