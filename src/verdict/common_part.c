/* What all traces have in common is taken off, one change after the other; what is left tells of single traces. */
#include "verdict/common_part.h"

#include "verdict/cut.h"

static guint32 base_of(const DtCorpus *corpus, guint32 function)
{
    return function ? dt_functions_base(corpus->functions, function) : 0;
}

/* ---- common changes ----------------------------------------------------------------------------------------- */

/* A change is common that so many of those have that could have it, if these are so many of all. */
static const double NEARLY_ALL = 0.75, MANY = 0.65;
enum { FEWEST = 2, MOST_CHANGES = 64 };

static gboolean calls_anything(const DtCorpus *corpus, const DtObservedTrace *observed, guint32 caller)
{
    const GArray *grams = observed->calls->grams->grams;
    for (guint i = 0; i < grams->len; i++) {
        const DtGram *gram = &g_array_index(grams, DtGram, i);
        if (dt_gram_is_single(gram->key) &&
            base_of(corpus, dt_corpus_symbol(corpus, dt_gram_symbol(gram->key))->caller) == caller)
            return TRUE;
    }
    return FALSE;
}

static gboolean is_able(const DtCorpus *corpus, guint trace, guint32 caller, gboolean finished)
{
    const DtObservedTrace *observed = dt_corpus_at(corpus, corpus->normals, trace);
    if (calls_anything(corpus, observed, caller))
        return TRUE;
    if (!finished)
        return FALSE;
    g_autofree const DtObservedTrace **references = g_new(const DtObservedTrace *, dt_corpus_max_references(corpus));
    guint count = dt_corpus_references(corpus, corpus->normals, trace, references);
    return count > 0 && calls_anything(corpus, references[0], caller);
}

/* What changes are counted by: processes or, where there is only one, threads. */
typedef struct {
    const DtJudgement *judgement;
    GHashTable *counted; /* DtProcess or DtObservedTrace (set) */
    gboolean by_process;
} Units;

static Units units_new(const DtJudgement *judgement)
{
    return (Units){judgement, g_hash_table_new(NULL, NULL), dt_run_process_count(judgement->names->faulty_run) > 1};
}

static void count_unit(Units *units, guint trace)
{
    const DtCorpus *corpus = units->judgement->names;
    const DtObservedTrace *observed = dt_corpus_at(corpus, corpus->normals, trace);
    g_hash_table_add(units->counted,
                     units->by_process ? (gpointer)observed->trace->process : (gpointer)observed->trace);
}

static guint units_count(Units *units)
{
    guint count = g_hash_table_size(units->counted);
    g_hash_table_unref(units->counted);
    return count;
}

guint dt_units_able(const DtJudgement *judgement, const DtDeparture *departure)
{
    Units units = units_new(judgement);
    for (guint trace = 0; trace < judgement->names->traces; trace++) {
        if (judgement->by_names[trace].comparable &&
            is_able(judgement->names, trace, departure->caller, judgement->by_names[trace].ending.finished))
            count_unit(&units, trace);
    }
    return units_count(&units);
}

static guint count_comparable(const DtJudgement *judgement)
{
    Units units = units_new(judgement);
    for (guint trace = 0; trace < judgement->names->traces; trace++) {
        if (judgement->by_names[trace].comparable)
            count_unit(&units, trace);
    }
    return units_count(&units);
}

/* The same function makes the same call, or does not, be it in the place of another one or not. */
static gboolean same_change(const DtJudgement *judgement, const DtDeparture *a, const DtDeparture *b)
{
    const DtFunctions *functions = judgement->names->functions;
    gboolean arguments = a->kind == DT_DEPARTURE_ARGUMENTS, others = b->kind == DT_DEPARTURE_ARGUMENTS;
    return a->kind != DT_DEPARTURE_NONE && b->kind != DT_DEPARTURE_NONE && arguments == others &&
           a->caller == b->caller && dt_functions_base(functions, a->call) == dt_functions_base(functions, b->call);
}

/* All that have the departure of a trace; they are marked. */
static DtCommonChange gather_change(const DtJudgement *judgement, guint trace, gboolean *marked)
{
    DtCommonChange change = {.departure = judgement->departures[trace], .example = trace};
    Units units = units_new(judgement);
    for (guint other = trace; other < judgement->names->traces; other++) {
        if (!same_change(judgement, &judgement->departures[trace], &judgement->departures[other]))
            continue;
        marked[other] = TRUE;
        change.traces++;
        count_unit(&units, other);
    }
    change.units = units_count(&units);
    return change;
}

/* The departure that most have; FALSE if that is not common. */
static gboolean find_common(const DtJudgement *judgement, DtCommonChange *common)
{
    const guint traces = judgement->names->traces;
    *common = (DtCommonChange){.units = 0};
    g_autofree gboolean *marked = g_new0(gboolean, (gsize)traces + 1);
    for (guint trace = 0; trace < traces; trace++) {
        if (marked[trace] || judgement->departures[trace].kind == DT_DEPARTURE_NONE)
            continue;
        DtCommonChange change = gather_change(judgement, trace, marked);
        if (change.units > common->units)
            *common = change;
    }
    if (common->units < FEWEST)
        return FALSE;
    guint able = dt_units_able(judgement, &common->departure);
    return common->units >= NEARLY_ALL * able && able >= MANY * count_comparable(judgement);
}

static gboolean cut_change(DtCut *cut, const DtDeparture *departure)
{
    gboolean any = dt_cut_call(cut, departure->caller, departure->call, departure->kind == DT_DEPARTURE_ARGUMENTS);
    if (departure->kind == DT_DEPARTURE_INSTEAD && departure->other)
        any = dt_cut_call(cut, departure->other_caller, departure->other, FALSE) || any;
    if (departure->kind != DT_DEPARTURE_ARGUMENTS)
        dt_cut_below(cut, departure->call);
    return any;
}

static gboolean is_common(const DtJudgement *judgement, const GArray *common, const DtDeparture *departure)
{
    for (guint i = 0; i < common->len; i++) {
        if (same_change(judgement, &g_array_index(common, DtCommonChange, i).departure, departure))
            return TRUE;
    }
    return FALSE;
}

/* `first`: what the traces did before the common changes were taken off. */
static void find_consequences(const DtJudgement *first, DtCommonPart *part)
{
    for (guint trace = 0; trace < first->names->traces; trace++) {
        const DtDeparture *left = part->rest ? &part->rest->departures[trace] : NULL;
        part->consequent[trace] = left && is_common(first, part->common, &first->departures[trace]) &&
                                  (left->kind == DT_DEPARTURE_NONE || dt_units_able(part->rest, left) <= FEWEST);
    }
}

DtCommonPart *dt_common_part_new(const DtJudgement *judgement, const GPtrArray *normals, gboolean noise)
{
    DtCommonPart *part = g_new0(DtCommonPart, 1);
    part->common = g_array_new(FALSE, FALSE, sizeof(DtCommonChange));
    part->consequent = g_new0(gboolean, (gsize)judgement->names->traces + 1);
    g_autoptr(DtCut) cut = dt_cut_new(judgement, normals);
    dt_cut_auxiliary(cut);
    dt_cut_once(cut);
    if (noise)
        dt_cut_noise(cut);
    g_autoptr(DtJudgement) first = cut->any ? dt_cut_judge(cut) : NULL;
    const DtJudgement *now = first ? first : judgement;
    DtCommonChange common;
    while (part->common->len < MOST_CHANGES && find_common(now, &common) && cut_change(cut, &common.departure)) {
        g_array_append_val(part->common, common);
        dt_judgement_free(part->rest);
        now = part->rest = dt_cut_judge(cut);
    }
    find_consequences(first ? first : judgement, part);
    if (!part->rest)
        part->rest = g_steal_pointer(&first);
    return part;
}

void dt_common_part_free(DtCommonPart *part)
{
    if (!part)
        return;
    dt_judgement_free(part->rest);
    g_array_unref(part->common);
    g_free(part->consequent);
    g_free(part);
}
