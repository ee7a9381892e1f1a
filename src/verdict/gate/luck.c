#include "verdict/gate/luck.h"

#include <string.h>

#include "format/arguments.h"
#include "verdict/surprise.h"

/* ---- traces -------------------------------------------------------------------------------------- */

static guint threads_beside(const GPtrArray *traces, const DtProcess *process)
{
    guint threads = 0;
    for (guint t = 0; t < traces->len; t++)
        threads += ((const DtObservedTrace *)traces->pdata[t])->trace->process == process ? 1 : 0;
    return threads;
}

/* Who takes what comes first, and then tells others what to do. */
static gboolean is_passed_on(const DtCorpus *corpus)
{
    for (guint run = 0; run < corpus->normals; run++) {
        const GPtrArray *traces = g_ptr_array_index(corpus->runs, run);
        for (guint t = 0; t < traces->len; t++)
            if (((const DtObservedTrace *)traces->pdata[t])->calls->luck & DT_LUCK_PASSED_ON)
                return TRUE;
    }
    return FALSE;
}

static gboolean is_by_luck(const DtCorpus *corpus, guint run, guint trace, gboolean passed_on)
{
    const DtObservedTrace *observed = dt_corpus_at(corpus, run, trace);
    if (!observed)
        return FALSE;
    const guint luck = observed->calls->luck;
    return luck & DT_LUCK_ASKS || (passed_on && luck & DT_LUCK_RECEIVES) ||
           (luck & DT_LUCK_LOCKS && threads_beside(g_ptr_array_index(corpus->runs, run), observed->trace->process) > 1);
}

/* How often each symbol comes in a run, in all traces together. */
static DtGramMap *totals_of(const DtCorpus *corpus, guint run)
{
    DtGramMap *totals = dt_gram_map_new();
    for (guint trace = 0; trace < corpus->traces; trace++) {
        const DtObservedTrace *observed = dt_corpus_at(corpus, run, trace);
        for (guint i = 0; observed && i < observed->calls->grams->grams->len; i++) {
            const DtGram *gram = dt_gram_map_at(observed->calls->grams, i);
            if (dt_gram_is_single(gram->key))
                dt_gram_map_get(totals, gram->key)->count += gram->count;
        }
    }
    return totals;
}

static gboolean same_totals(const DtGramMap *a, const DtGramMap *b)
{
    for (guint i = 0; i < a->grams->len; i++) {
        const DtGram *own = dt_gram_map_at(a, i), *other = dt_gram_map_find(b, own->key);
        if (!other || own->count != other->count)
            return FALSE;
    }
    return a->grams->len == b->grams->len;
}

/* All together make the calls of a normal run: at most others make them, in another order. */
static gboolean makes_usual_calls(const DtCorpus *corpus)
{
    g_autoptr(DtGramMap) own = totals_of(corpus, corpus->normals);
    for (guint run = 0; run < corpus->normals; run++) {
        g_autoptr(DtGramMap) usual = totals_of(corpus, run);
        if (same_totals(own, usual))
            return TRUE;
    }
    return FALSE;
}

void dt_find_luck(DtCorpus *names, DtCorpus *arguments)
{
    const DtCorpus *best = arguments ? arguments : names;
    const gboolean passed_on = is_passed_on(best);
    names->by_luck = g_new0(gboolean, (gsize)names->traces + 1);
    for (guint trace = 0; trace < names->traces; trace++)
        for (guint run = 0; run < names->normals; run++)
            names->by_luck[trace] = names->by_luck[trace] || is_by_luck(best, run, trace, passed_on);
    names->makes_usual_calls = makes_usual_calls(names);
    if (arguments)
        arguments->by_luck = g_memdup2(names->by_luck, ((gsize)names->traces + 1) * sizeof(gboolean));
}

gboolean dt_asks_luck(const DtCorpus *corpus, guint trace, guint32 function)
{
    for (guint run = 0; run <= corpus->normals; run++) {
        const DtObservedTrace *observed = dt_corpus_at(corpus, run, trace);
        for (guint i = 0; observed && i < observed->calls->askers->len; i++)
            if (g_array_index(observed->calls->askers, guint32, i) == function)
                return TRUE;
    }
    return FALSE;
}

/* ---- values -------------------------------------------------------------------------------------- */

typedef struct {
    guint64 calls; /* with that value, in all normal runs */
    guint runs;    /* that have it */
    guint last;    /* of these, and 1 */
} Uses;

typedef struct {
    GHashTable *places; /* key of a place -> DtSteadiness (owned) */
    GHashTable *values; /* key of a place and a value -> Uses (owned) */
} Values;

/* How much is sent at once may be luck, too: of that a few normal runs tell. */
static gboolean tells_of_fault(const DtCorpus *corpus, guint kind)
{
    enum { ENOUGH_NORMALS = 3 };
    if (kind == DT_ARGUMENT_DATA || kind == DT_ARGUMENT_TYPED_DATA)
        return corpus->normals >= ENOUGH_NORMALS;
    return kind == DT_ARGUMENT_TAG || kind == DT_ARGUMENT_ROOT || kind == DT_ARGUMENT_OPERATION ||
           kind == DT_ARGUMENT_DATATYPE || kind == DT_ARGUMENT_COMMUNICATOR;
}

static char *place_key(guint32 function, const DtArgument *argument)
{
    return g_strdup_printf("%u %u", function, argument->kind);
}

static char *value_key(guint32 function, const DtArgument *argument)
{
    return g_strdup_printf("%u %u %u %" G_GINT64_FORMAT, function, argument->kind, argument->special, argument->value);
}

/* Calls `each` for all arguments that tell of a fault, with how often they come. */
static void for_each_value(const DtCorpus *corpus, const DtObservedTrace *observed,
                           void (*each)(guint32 function, const DtArgument *argument, guint64 calls, gpointer data),
                           gpointer data)
{
    for (guint i = 0; i < observed->calls->grams->grams->len; i++) {
        const DtGram *gram = dt_gram_map_at(observed->calls->grams, i);
        if (!dt_gram_is_single(gram->key))
            continue;
        const guint32 callee = dt_corpus_symbol(corpus, dt_gram_symbol(gram->key))->callee;
        const DtSignature *signature = dt_functions_get(corpus->functions, callee)->signature;
        for (guint a = 0; signature && a < signature->argument_count; a++)
            if (tells_of_fault(corpus, signature->arguments[a].kind))
                each(dt_functions_base(corpus->functions, callee), &signature->arguments[a], gram->count, data);
    }
}

typedef struct {
    Values *values;
    guint run;
} Adding;

static void add_value(guint32 function, const DtArgument *argument, guint64 calls, gpointer data)
{
    const Adding *adding = data;
    char *key = value_key(function, argument);
    Uses *uses = g_hash_table_lookup(adding->values->values, key);
    if (!uses) {
        uses = g_new0(Uses, 1);
        g_hash_table_insert(adding->values->values, key, uses);
    } else {
        g_free(key);
    }
    uses->calls += calls;
    uses->runs += uses->last != adding->run + 1 ? 1 : 0;
    uses->last = adding->run + 1;
}

static void add_place(Values *values, const char *value, const Uses *uses, gboolean one_run)
{
    /* The first two words of a value's key are its place. */
    const char *end = strchr(strchr(value, ' ') + 1, ' ');
    char *key = g_strndup(value, (gsize)(end - value));
    DtSteadiness *place = g_hash_table_lookup(values->places, key);
    if (!place) {
        place = g_new0(DtSteadiness, 1);
        g_hash_table_insert(values->places, key, place);
    } else {
        g_free(key);
    }
    const gboolean unsteady = one_run ? uses->calls == 1 : uses->runs == 1;
    place->done += (double)uses->calls;
    place->ways += 1;
    place->unsteady += unsteady ? (double)uses->calls : 0;
}

static Values values_of_normal_runs(const DtCorpus *corpus)
{
    Values values = {g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
                     g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)};
    for (guint run = 0; run < corpus->normals; run++) {
        const GPtrArray *traces = g_ptr_array_index(corpus->runs, run);
        Adding adding = {&values, run};
        for (guint t = 0; t < traces->len; t++)
            for_each_value(corpus, traces->pdata[t], add_value, &adding);
    }
    GHashTableIter iterator;
    gpointer key, uses;
    g_hash_table_iter_init(&iterator, values.values);
    while (g_hash_table_iter_next(&iterator, &key, &uses))
        add_place(&values, key, uses, corpus->normals == 1);
    return values;
}

typedef struct {
    const Values *values;
    double most;
} Looking;

static void look_at_value(guint32 function, const DtArgument *argument, guint64 calls, gpointer data)
{
    (void)calls;
    Looking *looking = data;
    g_autofree char *value = value_key(function, argument), *place = place_key(function, argument);
    const DtSteadiness *steadiness = g_hash_table_lookup(looking->values->places, place);
    if (steadiness && !g_hash_table_contains(looking->values->values, value))
        looking->most = MAX(looking->most, dt_surprise(steadiness));
}

double *dt_new_values(const DtCorpus *corpus)
{
    double *surprises = g_new0(double, (gsize)corpus->traces + 1);
    if (corpus->normals == 0)
        return surprises;
    const Values values = values_of_normal_runs(corpus);
    for (guint trace = 0; trace < corpus->traces; trace++) {
        const DtObservedTrace *observed = dt_corpus_at(corpus, corpus->normals, trace);
        Looking looking = {&values, 0};
        if (observed)
            for_each_value(corpus, observed, look_at_value, &looking);
        surprises[trace] = looking.most;
    }
    g_hash_table_unref(values.places);
    g_hash_table_unref(values.values);
    return surprises;
}
