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
    GHashTable *gone;    /* functions of which a call is left out (set) */
    DtGramMap *pairs;    /* caller << 32 | callee: position = symbol */
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

/* What is left of the callees of an act. */
static void reduce_callees(const Reduction *reduction, const DtFunctionBody *act, GArray *callees)
{
    g_array_set_size(callees, 0);
    for (guint i = 0; i < act->count; i++) {
        const guint64 pair = (guint64)act->function << 32 | act->callees[i];
        const DtGram *symbol = dt_gram_map_find(reduction->pairs, pair);
        const guint32 becomes = symbol ? reduction->becomes[symbol->position] : DT_LEFT_OUT;
        if (becomes != DT_LEFT_OUT)
            g_array_append_val(callees, dt_alphabet_symbol(reduction->to, becomes)->callee);
    }
}

static DtGramMap *reduce_acts(const Reduction *reduction, const DtGramMap *acts)
{
    DtGramMap *kept = dt_gram_map_new();
    g_autoptr(GArray) callees = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint i = 0; i < acts->grams->len; i++) {
        const DtGram *act = dt_gram_map_at(acts, i);
        const DtFunctionBody *known = dt_alphabet_function_body(reduction->from, act->key);
        if (!known || g_hash_table_contains(reduction->gone, GUINT_TO_POINTER(known->function)))
            continue;
        reduce_callees(reduction, known, callees);
        const guint32 *calls = (const guint32 *)(const void *)callees->data;
        const guint64 signature = dt_body_signature(known->function, calls, callees->len);
        DtGram *own = dt_gram_map_get(kept, signature);
        if (own->count == 0) {
            own->position = act->position;
            own->step = act->step;
            dt_share_body(reduction->to, signature, known->function, calls, callees->len);
        }
        own->count += act->count;
    }
    return kept;
}

/* ---- steps --------------------------------------------------------------------------------------- */

/* Of a function, from one call to the next. */
typedef struct {
    guint32 from, to; /* callees; 0: start, return */
    DtGram times;     /* how often, and where first */
} Step;

static void add_step(GArray *steps, const Step *step)
{
    for (guint i = 0; i < steps->len; i++) {
        Step *known = &g_array_index(steps, Step, i);
        if (known->from != step->from || known->to != step->to)
            continue;
        known->times.count += step->times.count;
        known->times.position = MIN(known->times.position, step->times.position);
        known->times.step = MIN(known->times.step, step->times.step);
        return;
    }
    g_array_append_val(steps, *step);
}

/* Whoever came to `callee` comes to where it went on from there. That may be more than was done, but in the same way in
 * all runs: what looks new then is. */
static void leave_out(GArray *steps, guint32 callee)
{
    g_autoptr(GArray) before = g_array_new(FALSE, FALSE, sizeof(Step));
    g_array_append_vals(before, steps->data, steps->len);
    g_array_set_size(steps, 0);
    for (guint i = 0; i < before->len; i++) {
        const Step *first = &g_array_index(before, Step, i);
        if (first->from != callee && first->to != callee)
            add_step(steps, first);
        for (guint k = 0; first->to == callee && first->from != callee && k < before->len; k++) {
            const Step *second = &g_array_index(before, Step, k);
            Step both = {first->from, second->to, first->times};
            both.times.count = MIN(first->times.count, second->times.count);
            if (second->from == callee && second->to != callee)
                add_step(steps, &both);
        }
    }
}

/* What becomes of a callee of `function`. */
static guint32 callee_becomes(const Reduction *reduction, guint32 function, guint32 callee)
{
    const DtGram *symbol = dt_gram_map_find(reduction->pairs, (guint64)function << 32 | callee);
    const guint32 becomes = callee && symbol ? reduction->becomes[symbol->position] : DT_LEFT_OUT;
    if (!callee || becomes == DT_LEFT_OUT)
        return callee;
    return dt_alphabet_symbol(reduction->to, becomes)->callee;
}

static gboolean is_left_out(const Reduction *reduction, guint32 function, guint32 callee)
{
    const DtGram *symbol = dt_gram_map_find(reduction->pairs, (guint64)function << 32 | callee);
    return callee && symbol && reduction->becomes[symbol->position] == DT_LEFT_OUT;
}

static void leave_out_callees(const Reduction *reduction, guint32 function, GArray *steps)
{
    for (guint i = 0; i < steps->len;) {
        const guint32 to = g_array_index(steps, Step, i).to;
        if (is_left_out(reduction, function, to)) {
            leave_out(steps, to);
            i = 0;
        } else {
            ++i;
        }
    }
}

static void keep_step(const Reduction *reduction, DtGramMap *kept, guint32 function, const Step *step)
{
    const guint32 callees[2] = {step->from, step->to};
    const guint64 signature = dt_body_signature(function, callees, 2);
    DtGram *own = dt_gram_map_get(kept, signature);
    own->count = step->times.count;
    own->position = step->times.position;
    own->step = step->times.step;
    dt_share_body(reduction->to, signature, function, callees, 2);
}

static DtGramMap *reduce_steps(const Reduction *reduction, const DtGramMap *steps)
{
    DtGramMap *kept = dt_gram_map_new();
    g_autoptr(GHashTable) by_function = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    for (guint i = 0; i < steps->grams->len; i++) {
        const DtGram *gram = dt_gram_map_at(steps, i);
        const DtFunctionBody *known = dt_alphabet_function_body(reduction->from, gram->key);
        if (!known || g_hash_table_contains(reduction->gone, GUINT_TO_POINTER(known->function)))
            continue;
        GArray *own = g_hash_table_lookup(by_function, GUINT_TO_POINTER(known->function));
        if (!own) {
            own = g_array_new(FALSE, FALSE, sizeof(Step));
            g_hash_table_insert(by_function, GUINT_TO_POINTER(known->function), own);
        }
        const Step step = {callee_becomes(reduction, known->function, known->callees[0]),
                           callee_becomes(reduction, known->function, known->callees[1]), *gram};
        add_step(own, &step);
    }
    GHashTableIter iterator;
    gpointer function, own;
    g_hash_table_iter_init(&iterator, by_function);
    while (g_hash_table_iter_next(&iterator, &function, &own)) {
        leave_out_callees(reduction, GPOINTER_TO_UINT(function), own);
        for (guint i = 0; i < ((GArray *)own)->len; i++)
            keep_step(reduction, kept, GPOINTER_TO_UINT(function), &g_array_index((GArray *)own, Step, i));
    }
    return kept;
}

/* ---- all of it ----------------------------------------------------------------------------------- */

static DtObservation *reduce_observation(Reduction *reduction, const DtObservation *observation)
{
    DtObservation *reduced = g_new0(DtObservation, 1);
    reduced->entries = reduce_sequence(reduction, &observation->entries);
    reduced->library = reduce_sequence(reduction, &observation->library);
    reduced->bodies = reduce_bodies(reduction, observation->bodies);
    reduced->acts = reduce_acts(reduction, observation->acts);
    reduced->steps = reduce_steps(reduction, observation->steps);
    reduced->open = g_array_ref(observation->open);
    reduced->last_entry = observation->last_entry;
    reduced->luck = observation->luck;
    reduced->askers = g_array_ref(observation->askers);
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

static GHashTable *functions_left_out(const DtAlphabet *alphabet, const guint32 *becomes)
{
    GHashTable *gone = g_hash_table_new(NULL, NULL);
    for (guint32 symbol = 0; symbol < alphabet->symbols->len; symbol++) {
        if (becomes[symbol] == DT_LEFT_OUT)
            g_hash_table_add(gone, GUINT_TO_POINTER(dt_alphabet_symbol(alphabet, symbol)->callee));
    }
    return gone;
}

static DtGramMap *symbols_by_pair(const DtAlphabet *alphabet)
{
    DtGramMap *pairs = dt_gram_map_new();
    for (guint32 symbol = 0; symbol < alphabet->symbols->len; symbol++) {
        const DtCallSymbol *own = dt_alphabet_symbol(alphabet, symbol);
        dt_gram_map_get(pairs, (guint64)own->caller << 32 | own->callee)->position = symbol;
    }
    return pairs;
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
    g_autoptr(GHashTable) gone = functions_left_out(observations->alphabet, becomes);
    g_autoptr(DtGramMap) pairs = symbols_by_pair(observations->alphabet);
    Reduction reduction = {observations->alphabet, all->alphabet, becomes, folder, changed, gone, pairs};
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
    /* Those that were cut off may have lost more than the others. */
    dt_observations_shorten(all);
    return all;
}

/* ---- the first part of it ------------------------------------------------------------------------- */

/* Those that came first within so many entries. */
static DtGramMap *first_grams(const DtGramMap *grams, guint64 entries)
{
    DtGramMap *first = dt_gram_map_new();
    for (guint i = 0; i < grams->grams->len; i++) {
        const DtGram *gram = dt_gram_map_at(grams, i);
        if (gram->position <= entries)
            *dt_gram_map_get(first, gram->key) = *gram;
    }
    return first;
}

static DtObservation *shorten(const DtObservation *whole, guint64 entries, gboolean is_faulty, DtNlrFolder *folder)
{
    const guint64 known = is_faulty ? entries : G_MAXUINT64;
    DtObservation *first = g_new0(DtObservation, 1);
    first->entries = dt_sequence_first(&whole->entries, entries, folder);
    first->library = dt_sequence_first(&whole->library, dt_sequence_library_calls(&whole->entries, entries), folder);
    first->bodies = first_grams(whole->bodies, known);
    first->acts = first_grams(whole->acts, known);
    first->steps = first_grams(whole->steps, known);
    first->open = g_array_ref(whole->open);
    first->last_entry = whole->last_entry;
    first->luck = whole->luck;
    first->askers = g_array_ref(whole->askers);
    first->problem = g_strdup(whole->problem);
    return first;
}

/* The shortened ones by what they are of. */
typedef struct {
    GHashTable *known; /* key of whole, entries, side -> DtObservation, borrowed */
    GPtrArray *all;    /* theirs (element-type DtObservation) */
    DtNlrFolder *folder;
} Shortening;

static const DtObservation *shortened(Shortening *shortening, const DtObservation *whole, guint64 entries,
                                      gboolean is_faulty)
{
    g_autofree char *key = g_strdup_printf("%p %" G_GUINT64_FORMAT " %d", (gconstpointer)whole, entries, is_faulty);
    const DtObservation *known = g_hash_table_lookup(shortening->known, key);
    if (known)
        return known;
    DtObservation *first = shorten(whole, entries, is_faulty, shortening->folder);
    g_ptr_array_add(shortening->all, first);
    g_hash_table_insert(shortening->known, g_steal_pointer(&key), first);
    return first;
}

static void shorten_run(Shortening *shortening, const GPtrArray *traces, GHashTable *entries, gboolean is_faulty)
{
    for (guint t = 0; t < traces->len; t++) {
        DtObservedTrace *observed = traces->pdata[t];
        const guint64 *most = g_hash_table_lookup(entries, observed->trace->label);
        if (!most || *most >= dt_sequence_length(&observed->calls->entries))
            continue;
        observed->calls = shortened(shortening, observed->calls, *most, is_faulty);
        observed->is_part = TRUE;
    }
}

/* The least that traces have which were cut off, or are shortened already, by label (guint64). */
static GHashTable *least_entries(const GPtrArray *runs)
{
    GHashTable *least = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
    for (guint run = 0; run < runs->len; run++) {
        const GPtrArray *traces = runs->pdata[run];
        for (guint t = 0; t < traces->len; t++) {
            const DtObservedTrace *observed = traces->pdata[t];
            const guint64 length = dt_sequence_length(&observed->calls->entries);
            const guint64 *known = g_hash_table_lookup(least, observed->trace->label);
            if ((observed->cut_off || observed->is_part) && (!known || length < *known))
                g_hash_table_insert(least, (gpointer)observed->trace->label, g_memdup2(&length, sizeof length));
        }
    }
    return least;
}

void dt_observations_shorten(DtObservations *observations)
{
    g_autoptr(GHashTable) entries = least_entries(observations->runs);
    if (g_hash_table_size(entries) == 0)
        return;
    g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new(FOLDED_ELEMENTS, DT_NLR_DEFAULT_MIN_REPEAT);
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) all = g_ptr_array_new();
    Shortening shortening = {known, all, folder};
    for (guint run = 0; run < observations->runs->len; run++)
        shorten_run(&shortening, observations->runs->pdata[run], entries, run + 1 == observations->runs->len);
    dt_alphabet_complete(observations->alphabet);
    for (guint i = 0; i < all->len; i++) {
        DtObservation *first = all->pdata[i];
        first->grams = dt_sequence_grams(&first->entries);
        g_ptr_array_add(observations->distinct, first);
    }
}
