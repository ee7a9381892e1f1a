/*
 * Observes the traces of a pass, each that is equal to another one only once.
 */
#include "verdict/observed/observe.h"

#include <string.h>

#include "base/debug.h"
#include "verdict/observed/observer.h"

struct DtObserving {
    const DtPass *pass;
    DtProjection projection;
    DtObservations *observations;
    const DtObservation **calls; /* by distinct trace, of those that are wanted */
    gboolean *wanted;            /* by distinct trace */
    GHashTable *known;           /* observations that differ */
    DtGramMap *known_symbols;
    DtSymbolTable symbols;
    DtRequestPlaces *places; /* NULL: names alone */
};

/* ---- what is to be observed ----------------------------------------------------------------- */

/* What threads of MPI's and other libraries do is a matter of timing: they neither are suspects nor tell who is. */
static gboolean is_observed(const DtTrace *trace)
{
    return !trace->library;
}

/* Of those that are equal, the one that is observed for all. */
static guint observed_number(const DtObserving *observing, guint run, const DtTrace *trace)
{
    const DtDistinctTrace *distinct = dt_pass_find(observing->pass, run, trace->index);
    return observing->projection == DT_NAMES_ALONE ? distinct->by_names : distinct->number;
}

/* The traces of a run. */
static GPtrArray *list_run(DtObserving *observing, guint number)
{
    const DtRun *run = dt_pass_run(observing->pass, number);
    GPtrArray *traces = g_ptr_array_new_with_free_func(g_free);
    for (guint t = 0; t < dt_run_trace_count(run); t++) {
        if (!is_observed(dt_run_trace(run, t)))
            continue;
        DtObservedTrace *observed = g_new0(DtObservedTrace, 1);
        observed->run = run;
        observed->trace = dt_run_trace(run, t);
        g_ptr_array_add(traces, observed);
        observing->wanted[observed_number(observing, number, observed->trace)] = TRUE;
    }
    return traces;
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
           same_bytes(first->bodies->grams, second->bodies->grams) &&
           same_bytes(first->acts->grams, second->acts->grams) &&
           same_bytes(first->steps->grams, second->steps->grams) && same_bytes(first->open, second->open) &&
           first->last_entry == second->last_entry && first->luck == second->luck &&
           same_bytes(first->askers, second->askers) && g_strcmp0(first->problem, second->problem) == 0;
}

/* The one observation of all that are equal. */
static const DtObservation *keep_observation(DtObserving *observing, DtObservation *observation)
{
    const DtObservation *equal = g_hash_table_lookup(observing->known, observation);
    if (equal) {
        dt_observation_free(observation);
        return equal;
    }
    g_hash_table_add(observing->known, observation);
    g_ptr_array_add(observing->observations->distinct, observation);
    return observation;
}

/* ---- in the pass --------------------------------------------------------------------------------- */

typedef struct {
    DtObserving *observing;
    DtObserver *observer;
} Thread;

static gpointer start_thread(gpointer consumer)
{
    Thread *thread = g_new(Thread, 1);
    thread->observing = consumer;
    thread->observer = dt_observer_new(&thread->observing->symbols);
    return thread;
}

static void stop_thread(gpointer data)
{
    Thread *thread = data;
    dt_observer_free(thread->observer);
    g_free(thread);
}

static gboolean begin_trace(gpointer data, const DtDistinctTrace *trace)
{
    return ((Thread *)data)->observing->wanted[trace->number];
}

static void follow_trace(gpointer data, const DtCallBatch *batch)
{
    Thread *thread = data;
    const DtEventBatch events = dt_call_batch_events(batch, thread->observing->projection);
    dt_observer_follow(thread->observer, &events);
}

static void end_trace(gpointer data, const DtDistinctTrace *trace)
{
    Thread *thread = data;
#pragma omp critical(observations)
    {
        DtObservation *observation = dt_observer_finish(thread->observer);
        observation->problem = g_strdup(trace->problem);
        thread->observing->calls[trace->number] = keep_observation(thread->observing, observation);
    }
}

DtObserving *dt_observing_new(DtPass *pass, guint run_count, DtProjection projection, const guint16 *kinds)
{
    DtObserving *observing = g_new0(DtObserving, 1);
    DtObservations *observations = observing->observations = g_new0(DtObservations, 1);
    observing->pass = pass;
    observing->projection = projection;
    observing->calls = g_new0(const DtObservation *, (gsize)dt_pass_count(pass) + 1);
    observing->wanted = g_new0(gboolean, (gsize)dt_pass_count(pass) + 1);
    observing->known = g_hash_table_new(observation_hash, observation_equal);
    observing->known_symbols = dt_gram_map_new();
    observations->alphabet = dt_alphabet_new();
    observations->distinct = g_ptr_array_new_with_free_func((GDestroyNotify)dt_observation_free);
    observations->runs = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    for (guint run = 0; run < run_count; run++)
        g_ptr_array_add(observations->runs, list_run(observing, run));
    if (projection != DT_NAMES_ALONE)
        observing->places = dt_request_places(dt_run_functions(dt_pass_run(pass, 0)));
    observing->symbols = (DtSymbolTable){kinds, observing->places, observations->alphabet, observing->known_symbols};
    dt_pass_add(pass, &(DtEventConsumer){start_thread, begin_trace, follow_trace, end_trace, stop_thread, observing});
    return observing;
}

void dt_observing_free(DtObserving *observing)
{
    if (!observing)
        return;
    dt_observations_free(observing->observations);
    g_free(observing->calls);
    g_free(observing->wanted);
    g_free(observing->places);
    g_hash_table_unref(observing->known);
    dt_gram_map_free(observing->known_symbols);
    g_free(observing);
}

/* ---- after it ---------------------------------------------------------------------------------------- */

static void find_grams(DtObservations *observations, gint threads)
{
    dt_alphabet_complete(observations->alphabet);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (gint i = 0; i < (gint)observations->distinct->len; i++) {
        DtObservation *observation = g_ptr_array_index(observations->distinct, (guint)i);
        observation->grams = dt_sequence_grams(&observation->entries);
    }
}

static gboolean check_failures(const DtObserving *observing, GError **error)
{
    for (guint i = 0; i < dt_pass_count(observing->pass); i++) {
        const GError *failure = observing->wanted[i] ? dt_pass_get(observing->pass, i)->failure : NULL;
        if (failure) {
            g_propagate_error(error, g_error_copy(failure));
            return FALSE;
        }
    }
    return TRUE;
}

DtObservations *dt_observing_take(DtObserving *observing, GError **error)
{
    if (!check_failures(observing, error))
        return NULL;
    find_grams(observing->observations, (gint)dt_pass_jobs(observing->pass));
    dt_debug(DT_DEBUG_VERDICT, "%u observations differ, %s", observing->observations->distinct->len,
             observing->projection == DT_NAMES_ALONE ? "by names" : "with arguments");
    for (guint run = 0; run < observing->observations->runs->len; run++) {
        const GPtrArray *traces = g_ptr_array_index(observing->observations->runs, run);
        for (guint t = 0; t < traces->len; t++) {
            DtObservedTrace *observed = g_ptr_array_index(traces, t);
            observed->calls = observing->calls[observed_number(observing, run, observed->trace)];
        }
    }
    return g_steal_pointer(&observing->observations);
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
