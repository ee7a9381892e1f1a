/* What is taken off, as a table of what becomes of each symbol. */
#include "verdict/cut.h"

#include "verdict/observed/reduction.h"

enum { MOST_ROUNDS = 32 }; /* in which noise is looked for */

static guint32 *all_symbols(const DtCorpus *corpus)
{
    guint count = corpus->observations->alphabet->symbols->len;
    guint32 *symbols = g_new(guint32, (gsize)count + 1);
    for (guint32 symbol = 0; symbol < count; symbol++)
        symbols[symbol] = symbol;
    return symbols;
}

static guint32 base_of(const DtCorpus *corpus, guint32 function)
{
    return function ? dt_functions_base(corpus->functions, function) : 0;
}

/* Calls of `callee` by `caller` are left out, or, if `arguments_only`, are all alike. */
static gboolean cut_in(const DtCorpus *corpus, guint32 *becomes, guint32 caller, guint32 callee,
                       gboolean arguments_only)
{
    const guint count = corpus->observations->alphabet->symbols->len;
    guint32 first = DT_LEFT_OUT;
    gboolean any = FALSE;
    for (guint32 symbol = 0; symbol < count; symbol++) {
        const DtCallSymbol *own = dt_corpus_symbol(corpus, symbol);
        if (base_of(corpus, own->caller) != caller || base_of(corpus, own->callee) != callee ||
            becomes[symbol] == DT_LEFT_OUT)
            continue;
        if (first == DT_LEFT_OUT)
            first = symbol;
        guint32 now = arguments_only ? first : DT_LEFT_OUT;
        any = any || becomes[symbol] != now;
        becomes[symbol] = now;
    }
    return any;
}

gboolean dt_cut_call(DtCut *cut, guint32 caller, guint32 callee, gboolean arguments_only)
{
    const DtJudgement *judgement = cut->judgement;
    gboolean any = FALSE;
    caller = base_of(judgement->names, caller);
    callee = base_of(judgement->names, callee);
    if (!arguments_only)
        any = cut_in(judgement->names, cut->names, caller, callee, FALSE);
    if (judgement->arguments && cut_in(judgement->arguments, cut->arguments, caller, callee, arguments_only))
        any = TRUE;
    cut->any = cut->any || any;
    return any;
}

static DtCorpus *cut_corpus(const DtCut *cut, const DtCorpus *corpus, const guint32 *becomes)
{
    DtCorpus *left =
        dt_corpus_new(cut->normals, corpus->faulty_run, dt_observations_reduce(corpus->observations, becomes));
    left->data = corpus->data;
    left->reach = corpus->reach;
    left->normals_vary = corpus->normals_vary;
    return left;
}

DtJudgement *dt_cut_judge(const DtCut *cut)
{
    const DtJudgement *judgement = cut->judgement;
    DtCorpus *arguments = judgement->arguments ? cut_corpus(cut, judgement->arguments, cut->arguments) : NULL;
    return dt_judgement_new(cut_corpus(cut, judgement->names, cut->names), arguments, judgement->waits,
                            judgement->jobs);
}

/* ---- auxiliary calls ------------------------------------------------------------------------------------------------
 */

static gboolean is_auxiliary(const DtCorpus *corpus, const gboolean *only_text, const DtCallSymbol *symbol)
{
    return (corpus->kinds[symbol->callee] & DT_KIND_AUXILIARY) || only_text[base_of(corpus, symbol->callee)];
}

static gboolean is_of_text(const DtCorpus *corpus, const gboolean *only_text, const DtCallSymbol *symbol)
{
    guint32 callee = base_of(corpus, symbol->callee);
    return only_text[callee] || dt_is_text_call(dt_functions_get(corpus->functions, callee)->name);
}

/* By function: it makes none but auxiliary calls, and some of them are for text. */
static gboolean *functions_of_text(const DtCorpus *corpus)
{
    enum { TEXT = 1, AUXILIARY = 2, OTHERS = 4 };
    const guint functions = dt_functions_count(corpus->functions);
    const guint symbols = corpus->observations->alphabet->symbols->len;
    gboolean *only_text = g_new0(gboolean, (gsize)functions + 1);
    for (gboolean grows = TRUE; grows;) {
        g_autofree guint8 *calls = g_new0(guint8, (gsize)functions + 1);
        grows = FALSE;
        for (guint32 symbol = 0; symbol < symbols; symbol++) {
            const DtCallSymbol *own = dt_corpus_symbol(corpus, symbol);
            guint8 *caller = &calls[base_of(corpus, own->caller)];
            *caller |= is_auxiliary(corpus, only_text, own) ? AUXILIARY : OTHERS;
            *caller |= is_of_text(corpus, only_text, own) ? TEXT : 0;
        }
        for (guint function = 1; function <= functions; function++) {
            gboolean now = calls[function] == (TEXT | AUXILIARY);
            grows = grows || (now && !only_text[function]);
            only_text[function] = only_text[function] || now;
        }
    }
    return only_text;
}

void dt_cut_auxiliary(DtCut *cut)
{
    const DtCorpus *corpora[] = {cut->judgement->names, cut->judgement->arguments};
    guint32 *const becomes[] = {cut->names, cut->arguments};
    g_autofree gboolean *only_text = functions_of_text(corpora[0]);
    for (guint i = 0; i < G_N_ELEMENTS(corpora) && corpora[i]; i++) {
        for (guint32 symbol = 0; symbol < corpora[i]->observations->alphabet->symbols->len; symbol++) {
            const DtCallSymbol *own = dt_corpus_symbol(corpora[i], symbol);
            if (!is_auxiliary(corpora[i], only_text, own) && !only_text[base_of(corpora[i], own->caller)] &&
                !(corpora[i]->kinds[own->caller] & DT_KIND_AUXILIARY))
                continue;
            becomes[i][symbol] = DT_LEFT_OUT;
            cut->any = TRUE;
        }
    }
}

/* ---- what is below a function --------------------------------------------------------------------------------- */

/* By function: `top`, and those that only such functions call. */
static gboolean *functions_below(const DtCorpus *corpus, guint32 top)
{
    const guint functions = dt_functions_count(corpus->functions);
    const guint symbols = corpus->observations->alphabet->symbols->len;
    gboolean *below = g_new0(gboolean, (gsize)functions + 1);
    below[top] = TRUE;
    for (gboolean grows = TRUE; grows;) {
        g_autofree guint8 *called = g_new0(guint8, (gsize)functions + 1); /* 1: from below, 2: from elsewhere */
        grows = FALSE;
        for (guint32 symbol = 0; symbol < symbols; symbol++) {
            const DtCallSymbol *own = dt_corpus_symbol(corpus, symbol);
            called[base_of(corpus, own->callee)] |= below[base_of(corpus, own->caller)] ? 1 : 2;
        }
        for (guint function = 1; function <= functions; function++) {
            grows = grows || (called[function] == 1 && !below[function]);
            below[function] = below[function] || called[function] == 1;
        }
    }
    return below;
}

void dt_cut_below(DtCut *cut, guint32 function)
{
    const DtCorpus *names = cut->judgement->names;
    g_autofree gboolean *below = functions_below(names, base_of(names, function));
    for (guint32 symbol = 0; symbol < names->observations->alphabet->symbols->len; symbol++) {
        const DtCallSymbol *own = dt_corpus_symbol(names, symbol);
        if (below[base_of(names, own->caller)])
            dt_cut_call(cut, own->caller, own->callee, FALSE);
    }
}

void dt_cut_once(DtCut *cut)
{
    const DtCorpus *names = cut->judgement->names;
    for (guint32 symbol = 0; symbol < names->observations->alphabet->symbols->len; symbol++) {
        const DtCallSymbol *own = dt_corpus_symbol(names, symbol);
        const guint32 caller = base_of(names, own->caller);
        if (!caller || !dt_runs_once(dt_functions_get(names->functions, caller)->name))
            continue;
        dt_cut_call(cut, own->caller, own->callee, FALSE);
        dt_cut_below(cut, own->callee);
    }
}

/* ---- noise ------------------------------------------------------------------------------------------------ */

/* Names or arguments, as they are after what is already taken off. */
typedef struct {
    DtCut *cut;
    const DtCorpus *corpus;
    gboolean with_arguments;
    gboolean any;
} NoiseSearch;

static guint64 count_of(const DtObservedTrace *observed, guint32 symbol)
{
    const DtGram *gram = dt_gram_map_find(observed->calls->grams, dt_gram_single(symbol));
    return gram ? gram->count : 0;
}

static void cut_symbol(NoiseSearch *search, guint32 symbol, gboolean arguments_only)
{
    const DtCallSymbol *own = dt_corpus_symbol(search->corpus, symbol);
    if (dt_cut_call(search->cut, own->caller, own->callee, arguments_only))
        search->any = TRUE;
}

static gboolean same_call(const DtCorpus *corpus, guint32 a, guint32 b)
{
    const DtCallSymbol *first = dt_corpus_symbol(corpus, a), *second = dt_corpus_symbol(corpus, b);
    return base_of(corpus, first->caller) == base_of(corpus, second->caller) &&
           base_of(corpus, first->callee) == base_of(corpus, second->callee);
}

/* Both go on, with `one` and `other`. */
static void cut_pair(NoiseSearch *search, const DtObservedTrace *a, const DtObservedTrace *b, guint32 one,
                     guint32 other)
{
    if (search->with_arguments && same_call(search->corpus, one, other)) {
        cut_symbol(search, one, TRUE);
        return;
    }
    gboolean one_varies = count_of(a, one) != count_of(b, one);
    gboolean other_varies = count_of(a, other) != count_of(b, other);
    if (one_varies || !other_varies)
        cut_symbol(search, one, FALSE);
    if (other_varies || !one_varies)
        cut_symbol(search, other, FALSE);
}

static void compare_normals(NoiseSearch *search, const DtObservedTrace *a, const DtObservedTrace *b)
{
    const DtSequence *first = &a->calls->entries, *second = &b->calls->entries;
    const guint64 left = dt_sequence_length(first), right = dt_sequence_length(second);
    const guint64 prefix = dt_sequence_common_prefix(first, second);
    if (prefix < left && prefix < right)
        cut_pair(search, a, b, dt_sequence_at(first, prefix), dt_sequence_at(second, prefix));
    else if (prefix < left)
        cut_symbol(search, dt_sequence_at(first, prefix), FALSE);
    else if (prefix < right)
        cut_symbol(search, dt_sequence_at(second, prefix), FALSE);
}

static void search_noise(NoiseSearch *search)
{
    const DtCorpus *corpus = search->corpus;
    g_autofree const DtObservedTrace **references = g_new(const DtObservedTrace *, dt_corpus_max_references(corpus));
    for (guint trace = 0; trace < corpus->traces; trace++) {
        guint count = dt_corpus_normal_references(corpus, trace, references);
        for (guint i = 1; i < count; i++) {
            if (references[i]->calls != references[0]->calls)
                compare_normals(search, references[0], references[i]);
        }
    }
}

static gboolean cut_noise_of(DtCut *cut, const DtCorpus *corpus, const guint32 *becomes, gboolean with_arguments)
{
    g_autoptr(DtCorpus) rest = cut->any ? cut_corpus(cut, corpus, becomes) : NULL;
    NoiseSearch search = {cut, rest ? rest : corpus, with_arguments, FALSE};
    search_noise(&search);
    return search.any;
}

/* Calls by whose nature it is luck how many there are. */
static void cut_lucky_calls(DtCut *cut)
{
    const DtCorpus *names = cut->judgement->names;
    for (guint32 symbol = 0; symbol < names->observations->alphabet->symbols->len; symbol++) {
        const DtCallSymbol *own = dt_corpus_symbol(names, symbol);
        if (names->kinds[own->callee] & DT_KIND_NONDETERMINISTIC)
            dt_cut_call(cut, own->caller, own->callee, FALSE);
    }
}

void dt_cut_noise(DtCut *cut)
{
    const DtJudgement *judgement = cut->judgement;
    cut_lucky_calls(cut);
    gboolean any = cut->normals->len > 1 && !judgement->names->reference_traces;
    for (guint round = 0; any && round < MOST_ROUNDS; round++) {
        any = cut_noise_of(cut, judgement->names, cut->names, FALSE);
        if (judgement->arguments)
            any = cut_noise_of(cut, judgement->arguments, cut->arguments, TRUE) || any;
    }
}

/* ---- life ---------------------------------------------------------------------------------------------------- */

DtCut *dt_cut_new(const DtJudgement *judgement, const GPtrArray *normals)
{
    DtCut *cut = g_new0(DtCut, 1);
    cut->judgement = judgement;
    cut->normals = normals;
    cut->names = all_symbols(judgement->names);
    cut->arguments = judgement->arguments ? all_symbols(judgement->arguments) : NULL;
    return cut;
}

void dt_cut_free(DtCut *cut)
{
    if (!cut)
        return;
    g_free(cut->names);
    g_free(cut->arguments);
    g_free(cut);
}
