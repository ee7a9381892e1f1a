/* Sums over all traces of a run. */
#include "verdict/totals.h"

#include <math.h>

#include "format/arguments.h"

/* Per symbol of a corpus. */
typedef struct {
    const DtCorpus *corpus;
    guint symbols;
    double *calls;     /* [run * symbols + symbol] */
    guint64 *first;    /* entries before it, in the trace that makes it first */
    guint *example;    /* a trace that makes it */
    gboolean *lucky;   /* a trace makes it that luck has a part in */
    double *of_caller; /* [run * functions + function]: how often a function is called in all */
    guint functions;
} Totals;

static void add_trace(Totals *totals, guint run, guint trace)
{
    const DtCorpus *corpus = totals->corpus;
    const GArray *grams = dt_corpus_at(corpus, run, trace)->calls->grams->grams;
    for (guint i = 0; i < grams->len; i++) {
        const DtGram *gram = &g_array_index(grams, DtGram, i);
        if (!dt_gram_is_single(gram->key))
            continue;
        guint32 symbol = dt_gram_symbol(gram->key);
        guint32 callee = dt_functions_base(corpus->functions, dt_corpus_symbol(corpus, symbol)->callee);
        totals->calls[(gsize)run * totals->symbols + symbol] += (double)gram->count;
        totals->of_caller[(gsize)run * totals->functions + callee] += (double)gram->count;
        totals->lucky[symbol] = totals->lucky[symbol] || (corpus->by_luck && corpus->by_luck[trace]);
        if (run == corpus->normals || totals->first[symbol] == G_MAXUINT64) {
            totals->first[symbol] = MIN(totals->first[symbol], gram->position);
            totals->example[symbol] = trace;
        }
    }
}

static Totals *totals_new(const DtCorpus *corpus)
{
    const gsize runs = (gsize)corpus->normals + 1;
    Totals *totals = g_new0(Totals, 1);
    totals->corpus = corpus;
    totals->symbols = corpus->observations->alphabet->symbols->len;
    totals->functions = dt_functions_count(corpus->functions) + 1;
    totals->calls = g_new0(double, runs * totals->symbols + 1);
    totals->of_caller = g_new0(double, runs * totals->functions + 1);
    totals->first = g_new(guint64, (gsize)totals->symbols + 1);
    totals->lucky = g_new0(gboolean, (gsize)totals->symbols + 1);
    totals->example = g_new0(guint, (gsize)totals->symbols + 1);
    for (guint symbol = 0; symbol < totals->symbols; symbol++)
        totals->first[symbol] = G_MAXUINT64;
    for (guint run = 0; run < runs; run++) {
        for (guint trace = 0; trace < corpus->traces; trace++) {
            if (dt_corpus_at(corpus, run, trace))
                add_trace(totals, run, trace);
        }
    }
    return totals;
}

static void totals_free(Totals *totals)
{
    g_free(totals->calls);
    g_free(totals->of_caller);
    g_free(totals->first);
    g_free(totals->example);
    g_free(totals->lucky);
    g_free(totals);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Totals, totals_free)

/* The normal runs agree on it. */
static gboolean is_certain(const double *of_runs, guint stride, guint normals)
{
    for (guint run = 1; run < normals; run++) {
        if (fabs(of_runs[(gsize)run * stride] - of_runs[0]) > 0.5)
            return FALSE;
    }
    return TRUE;
}

static gboolean is_as_normally(const double *of_runs, guint stride, guint normals)
{
    return is_certain(of_runs, stride, normals) && fabs(of_runs[(gsize)normals * stride] - of_runs[0]) <= 0.5;
}

static gboolean has_partner(const DtSignature *signature)
{
    for (guint i = 0; signature && i < signature->argument_count; i++)
        if (signature->arguments[i].kind == DT_ARGUMENT_TO || signature->arguments[i].kind == DT_ARGUMENT_FROM)
            return TRUE;
    return FALSE;
}

/* Who takes what comes first does with each partner as much as luck has it. */
static gboolean is_share(const Totals *totals, guint32 symbol)
{
    const DtCallSymbol *own = dt_corpus_symbol(totals->corpus, symbol);
    return totals->lucky[symbol] && has_partner(dt_functions_get(totals->corpus->functions, own->callee)->signature);
}

static gboolean is_changed(const Totals *totals, guint32 symbol)
{
    const DtCorpus *corpus = totals->corpus;
    const double *calls = totals->calls + symbol;
    if (is_share(totals, symbol) || !is_certain(calls, totals->symbols, corpus->normals) ||
        is_as_normally(calls, totals->symbols, corpus->normals))
        return FALSE;
    guint32 caller = dt_corpus_symbol(corpus, symbol)->caller;
    if (!caller)
        return TRUE;
    caller = dt_functions_base(corpus->functions, caller);
    return is_as_normally(totals->of_caller + caller, totals->functions, corpus->normals);
}

static gboolean find_change(const DtJudgement *judgement, const DtCorpus *corpus, DtCommonChange *change)
{
    g_autoptr(Totals) totals = totals_new(corpus);
    guint32 found = G_MAXUINT32;
    for (guint32 symbol = 0; symbol < totals->symbols; symbol++) {
        if (is_changed(totals, symbol) && (found == G_MAXUINT32 || totals->first[symbol] < totals->first[found]))
            found = symbol;
    }
    if (found == G_MAXUINT32)
        return FALSE;
    const DtCallSymbol *own = dt_corpus_symbol(corpus, found);
    const double normally = totals->calls[found];
    const double now = totals->calls[(gsize)corpus->normals * totals->symbols + found];
    *change = (DtCommonChange){.example = totals->example[found]};
    change->departure = (DtDeparture){.kind = now > normally ? DT_DEPARTURE_ADDED : DT_DEPARTURE_LEFT_OUT,
                                      .caller = own->caller ? dt_functions_base(corpus->functions, own->caller) : 0,
                                      .call = own->callee,
                                      .times = now,
                                      .usual = normally};
    change->units = dt_units_able(judgement, &change->departure);
    return TRUE;
}

gboolean dt_total_change_find(const DtJudgement *judgement, DtCommonChange *change)
{
    if (judgement->names->normals < 2 || judgement->names->reference_traces)
        return FALSE;
    return find_change(judgement, judgement->names, change) ||
           (judgement->arguments && find_change(judgement, judgement->arguments, change));
}
