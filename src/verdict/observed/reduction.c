/*
 * Folds the sequences again without what is left out: of a loop one iteration, which then repeats.
 */
#include "verdict/observed/reduction.h"

#include "verdict/observed/observer.h"

enum { FOLDED_ELEMENTS = 1000 }; /* longest body that is looked for, as in the first folding */

typedef struct {
    const DtAlphabet *from;
    DtAlphabet *to;
    const guint32 *becomes;
    DtNlrFolder *folder;
    GHashTable *changed; /* functions whose bodies are not what they were (set) */
} Reduction;

static guint64 reduce_elements(Reduction *reduction, DtElements elements);

static guint64 reduce_symbol(Reduction *reduction, guint32 symbol)
{
    guint32 becomes = reduction->becomes[symbol];
    if (becomes == DT_LEFT_OUT)
        return 0;
    dt_nlr_folder_push(reduction->folder, &becomes, 1);
    return 1;
}

/* The symbols that came of it. */
static guint64 reduce_loop(Reduction *reduction, DtElement loop)
{
    const DtElements body = dt_loop_table_body(reduction->from->bodies, dt_element_body(loop));
    const guint64 times = dt_element_count(loop), period = reduce_elements(reduction, body);
    if (period > 0 && period <= DT_NLR_MAX_PERIOD && times > 1) {
        dt_nlr_folder_repeat(reduction->folder, (gsize)period, times - 1);
        return period * times;
    }
    for (guint64 i = 1; period > 0 && i < times; i++)
        reduce_elements(reduction, body);
    return period * times;
}

static guint64 reduce_elements(Reduction *reduction, DtElements elements)
{
    guint64 symbols = 0;
    for (gsize i = 0; i < elements.length; i++) {
        DtElement element = elements.elements[i];
        symbols += dt_element_is_loop(element) ? reduce_loop(reduction, element)
                                               : reduce_symbol(reduction, dt_element_symbol(element));
    }
    return symbols;
}

static DtSequence reduce_sequence(Reduction *reduction, const DtSequence *sequence)
{
    reduce_elements(reduction, dt_nlr_elements(sequence->nlr));
    return (DtSequence){reduction->to, dt_nlr_folder_finish(reduction->folder, reduction->to->bodies)};
}

static DtGramMap *reduce_bodies(const Reduction *reduction, const DtGramMap *bodies)
{
    DtGramMap *kept = dt_gram_map_new();
    for (guint i = 0; i < bodies->grams->len; i++) {
        const DtGram *body = dt_gram_map_at(bodies, i);
        const DtFunctionBody *known = dt_alphabet_function_body(reduction->from, body->key);
        if (known && g_hash_table_contains(reduction->changed, GUINT_TO_POINTER(known->function)))
            continue;
        DtGram *own = dt_gram_map_get(kept, body->key);
        own->count = body->count;
        own->position = body->position;
        own->step = body->step;
    }
    return kept;
}

static DtObservation *reduce_observation(Reduction *reduction, const DtObservation *observation)
{
    DtObservation *reduced = g_new0(DtObservation, 1);
    reduced->entries = reduce_sequence(reduction, &observation->entries);
    reduced->library = reduce_sequence(reduction, &observation->library);
    reduced->bodies = reduce_bodies(reduction, observation->bodies);
    reduced->open = g_array_ref(observation->open);
    reduced->last_entry = observation->last_entry;
    reduced->problem = g_strdup(observation->problem);
    return reduced;
}

static gpointer copy_body(gconstpointer data)
{
    const DtFunctionBody *body = data;
    return g_memdup2(body, sizeof *body + body->count * sizeof(guint32));
}

/* The symbols keep their numbers. */
static DtAlphabet *copy_alphabet(const DtAlphabet *alphabet)
{
    DtAlphabet *copy = dt_alphabet_new();
    GHashTableIter iterator;
    gpointer body;
    g_array_append_vals(copy->symbols, alphabet->symbols->data, alphabet->symbols->len);
    g_hash_table_iter_init(&iterator, alphabet->function_bodies);
    while (g_hash_table_iter_next(&iterator, NULL, &body)) {
        DtFunctionBody *own = copy_body(body);
        g_hash_table_insert(copy->function_bodies, &own->signature, own);
    }
    return copy;
}

static GHashTable *changed_functions(const DtAlphabet *alphabet, const guint32 *becomes)
{
    GHashTable *changed = g_hash_table_new(NULL, NULL);
    for (guint32 symbol = 0; symbol < alphabet->symbols->len; symbol++) {
        const DtCallSymbol *own = dt_alphabet_symbol(alphabet, symbol);
        if (becomes[symbol] != symbol)
            g_hash_table_add(changed, GUINT_TO_POINTER(own->caller));
        if (becomes[symbol] == DT_LEFT_OUT)
            g_hash_table_add(changed, GUINT_TO_POINTER(own->callee));
    }
    return changed;
}

static GPtrArray *reduce_run(const GPtrArray *traces, GHashTable *reduced)
{
    GPtrArray *run = g_ptr_array_new_with_free_func(g_free);
    for (guint t = 0; t < traces->len; t++) {
        DtObservedTrace *observed = g_memdup2(g_ptr_array_index(traces, t), sizeof(DtObservedTrace));
        observed->calls = g_hash_table_lookup(reduced, observed->calls);
        g_ptr_array_add(run, observed);
    }
    return run;
}

DtObservations *dt_observations_reduce(const DtObservations *observations, const guint32 *becomes)
{
    DtObservations *all = g_new0(DtObservations, 1);
    all->alphabet = copy_alphabet(observations->alphabet);
    all->distinct = g_ptr_array_new_with_free_func((GDestroyNotify)dt_observation_free);
    all->runs = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new(FOLDED_ELEMENTS, DT_NLR_DEFAULT_MIN_REPEAT);
    g_autoptr(GHashTable) changed = changed_functions(observations->alphabet, becomes);
    g_autoptr(GHashTable) reduced = g_hash_table_new(NULL, NULL);
    Reduction reduction = {observations->alphabet, all->alphabet, becomes, folder, changed};
    for (guint i = 0; i < observations->distinct->len; i++) {
        DtObservation *observation = g_ptr_array_index(observations->distinct, i);
        DtObservation *own = reduce_observation(&reduction, observation);
        g_ptr_array_add(all->distinct, own);
        g_hash_table_insert(reduced, observation, own);
    }
    dt_alphabet_complete(all->alphabet);
    for (guint i = 0; i < all->distinct->len; i++) {
        DtObservation *own = g_ptr_array_index(all->distinct, i);
        own->grams = dt_sequence_grams(&own->entries);
    }
    for (guint run = 0; run < observations->runs->len; run++)
        g_ptr_array_add(all->runs, reduce_run(g_ptr_array_index(observations->runs, run), reduced));
    return all;
}
