/* Candidates: levels, confidence, order. */
#include "verdict/candidates.h"

#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "verdict/confidence.h"
#include "verdict/differing_arguments.h"
#include "verdict/gate/proof.h"

/* Of the score S; docs/algorithms/verdict.md. */
static const double SUSPECT_SCORE = 1.5;
/* Where the normal runs do not agree with each other, noise alone reaches more than that. */
static const double NOISY_SUSPECT_SCORE = 4;
/* Of a surprise, shared among those that cause it. */
static const double SURE_ACT = 0.4;
/* Of one that nobody shares. */
static const double OWN_ACT = 0.55;
/* Of the best score: who has less is no suspect. */
static const double SUSPECT_SHARE = 0.8;
static const double LEAST_SCORE = 1e-9;
/* What follows from a change that all have is no fault of the trace. */
static const double OF_A_CONSEQUENCE = 0.1;
/* Departures less far apart than this share of a trace's way are of one change. */
static const double SAME_TIME = 0.05;
/* A cause of the end is not followed by more than this share of a trace's way. */
static const double LONG_AGO = 0.5;
/* Of the score of who departs by what it takes from others. */
static const double OF_WHAT_IS_TAKEN = 0.5;
/* Of the score of those in a deadlock, for who only waits for them. */
static const double OF_WHO_WAITS = 0.9;
/* Of the processes that have threads normally. */
static const double NEARLY_ALL = 0.75;
enum { FEWEST_LACKING = 2, ENOUGH_NORMALS = 3 };
/* Of a trace that normal runs do not all have. */
static const double UNSTEADY_TRACE_SCORE = 0.25;

static gboolean in_one_run_only(const DtCorpus *corpus, const DtEvidence *evidence, guint trace)
{
    return corpus->normals > 0 && !dt_corpus_label_is_void(corpus, trace) &&
           (!evidence->present || evidence->normals_with == 0);
}

/* The labels of the faulty run's processes (set of strings). */
static GHashTable *processes_there(const DtCorpus *corpus)
{
    GHashTable *labels = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint trace = 0; trace < corpus->traces; trace++) {
        const DtObservedTrace *observed = dt_corpus_at(corpus, corpus->normals, trace);
        if (observed)
            g_hash_table_add(labels, (gpointer)observed->trace->process->label);
    }
    return labels;
}

/* Of a process that hung or died, threads are missing that never came to their first call. */
static gboolean never_came(const DtCorpus *corpus, GHashTable *processes, guint trace, gboolean unfinished)
{
    const char *label = g_ptr_array_index(corpus->labels, trace);
    g_autofree char *process = g_strndup(label, strcspn(label, "."));
    return unfinished && g_hash_table_contains(processes, process);
}

/* How surely it did what nobody does normally, and luck does not tell why. */
static double surprise_of(const DtJudgement *judgement, guint trace)
{
    double sure = judgement->by_names[trace].findings[DT_EVIDENCE_ACT].value;
    if (judgement->by_arguments)
        sure = MAX(sure, judgement->by_arguments[trace].findings[DT_EVIDENCE_ACT].value);
    return MAX(sure, judgement->new_values[trace]);
}

static gboolean is_sure(const DtJudgement *judgement, guint trace)
{
    return surprise_of(judgement, trace) >= SURE_ACT;
}

/* Luck has a part in what it does, and enough normal runs do not say that it makes no difference. */
static gboolean may_differ_by_luck(const DtCorpus *corpus, guint trace)
{
    return corpus->by_luck[trace] &&
           (corpus->normals < ENOUGH_NORMALS || corpus->normals_vary || corpus->makes_usual_calls);
}

/* Its normal runs do not agree with each other, or need not, and that may be all that there is. */
static gboolean may_be_luck(const DtJudgement *judgement, guint trace, gboolean unfinished)
{
    const gboolean lucky = may_differ_by_luck(judgement->names, trace) || dt_corpus_is_noisy(judgement->names, trace);
    return !unfinished && lucky && !is_sure(judgement, trace);
}

/* There is nothing to tell by how much luck makes differ. */
static gboolean is_unknown_luck(const DtJudgement *judgement, guint trace, gboolean unfinished)
{
    return judgement->names->normals == 1 && judgement->names->by_luck[trace] &&
           may_be_luck(judgement, trace, unfinished);
}

/* What there is besides the evidence on a trace. */
typedef struct {
    GHashTable *processes;  /* processes_there() */
    gboolean fewer_threads; /* nearly all processes lack threads that they have normally */
    gboolean unfinished;
} Circumstances;

static gboolean is_worker(const char *label)
{
    return !g_str_has_suffix(label, ".0");
}

/* The program has fewer threads: that is nobody's. */
static gboolean lack_threads_everywhere(const DtCorpus *corpus, const DtEvidence *evidence, GHashTable *processes)
{
    g_autoptr(GHashTable) with = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) lacking = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint trace = 0; trace < corpus->traces; trace++) {
        const char *label = g_ptr_array_index(corpus->labels, trace);
        g_autofree char *process = g_strndup(label, strcspn(label, "."));
        if (!is_worker(label) || evidence[trace].normals_with == 0 || !g_hash_table_contains(processes, process))
            continue;
        g_hash_table_add(with, g_strdup(process));
        if (!evidence[trace].present)
            g_hash_table_add(lacking, g_strdup(process));
    }
    const guint lack = g_hash_table_size(lacking);
    return lack >= FEWEST_LACKING && lack >= NEARLY_ALL * g_hash_table_size(with);
}

static DtCandidate judge_trace(const DtJudgement *judgement, const Circumstances *circumstances, guint trace)
{
    const gboolean unfinished = circumstances->unfinished;
    const DtCorpus *corpus = judgement->names;
    const DtEvidence *own = &judgement->by_names[trace];
    DtCandidate candidate = {.trace = trace, .score = judgement->scores[trace]};
    if (in_one_run_only(corpus, own, trace)) {
        gboolean steady =
            own->present ||
            (own->normals_with == corpus->normals && !never_came(corpus, circumstances->processes, trace, unfinished) &&
             !(circumstances->fewer_threads && is_worker(g_ptr_array_index(corpus->labels, trace))));
        candidate.score = steady ? INFINITY : UNSTEADY_TRACE_SCORE;
    }
    /* Traces of one run may well differ from each other: alone, only a run that did not end accuses. */
    gboolean can_accuse = corpus->normals > 0 || unfinished;
    const double needed = may_be_luck(judgement, trace, unfinished) ? NOISY_SUSPECT_SCORE : SUSPECT_SCORE;
    const gboolean by_evidence = !isinf(candidate.score);
    if (by_evidence && is_unknown_luck(judgement, trace, unfinished))
        can_accuse = FALSE;
    if (candidate.score > LEAST_SCORE)
        candidate.level = candidate.score >= needed && can_accuse ? DT_LEVEL_SUSPECT : DT_LEVEL_WEAK;
    return candidate;
}

static gint compare_candidates(gconstpointer a, gconstpointer b, gpointer user_data)
{
    const DtCandidate *first = a, *second = b;
    const DtEvidence *evidence = user_data;
    gboolean equal = first->score == second->score || fabs(first->score - second->score) <= LEAST_SCORE;
    if (!equal)
        return first->score > second->score ? -1 : 1;
    const DtEvidence *one = &evidence[first->trace], *two = &evidence[second->trace];
    if (one->present != two->present)
        return one->present ? 1 : -1;
    if (one->has_onset != two->has_onset)
        return one->has_onset ? -1 : 1;
    if (one->has_onset && one->onset < two->onset)
        return -1;
    if (one->has_onset && one->onset > two->onset)
        return 1;
    return first->trace < second->trace ? -1 : 1;
}

static gboolean is_ranked(const DtCandidate *candidate)
{
    return !isinf(candidate->score);
}

/* Confidence, and no suspicion of those that are far behind the first: victims of a fault have evidence, too. */
static void weigh_against_best(const DtJudgement *judgement, GArray *candidates, gboolean unfinished)
{
    const DtCorpus *corpus = judgement->names;
    g_autofree double *scores = g_new(double, (gsize)candidates->len + 1);
    guint ranked = 0;
    for (guint i = 0; i < candidates->len; i++) {
        const DtCandidate *candidate = &g_array_index(candidates, DtCandidate, i);
        if (is_ranked(candidate))
            scores[ranked++] = candidate->score;
    }
    dt_sort_numbers(scores, ranked);
    const double best = ranked > 0 ? scores[ranked - 1] : 0;
    for (guint i = 0; i < candidates->len; i++) {
        DtCandidate *candidate = &g_array_index(candidates, DtCandidate, i);
        DtStanding standing = {.score = candidate->score,
                               .best = best,
                               .noisy = may_be_luck(judgement, candidate->trace, unfinished),
                               .ended_well = corpus->normals == 0 && !unfinished,
                               .equal = dt_count_near(scores, ranked, candidate->score, LEAST_SCORE)};
        if (best - candidate->score <= LEAST_SCORE)
            standing.score = standing.best;
        candidate->confidence = is_ranked(candidate) ? dt_confidence(&standing) : 1;
        if (is_ranked(candidate) && candidate->score < SUSPECT_SHARE * best)
            candidate->level = DT_LEVEL_WEAK;
    }
}

/* How often it did what others do as well is luck where luck has a part; what nobody does is not. */
static gboolean did_otherwise(const DtEvidence *own, gboolean by_luck)
{
    static const guint acts[] = {DT_EVIDENCE_NEW, DT_EVIDENCE_NEW_HERE, DT_EVIDENCE_NEW_BODY, DT_EVIDENCE_ACT};
    static const guint shares[] = {DT_EVIDENCE_COUNTS, DT_EVIDENCE_PREFIX_ALL, DT_EVIDENCE_PREFIX_LIBRARY};
    for (guint i = 0; i < G_N_ELEMENTS(acts); i++)
        if (own->findings[acts[i]].value > 0)
            return TRUE;
    for (guint i = 0; !by_luck && i < G_N_ELEMENTS(shares); i++)
        if (own->findings[shares[i]].value > 0)
            return TRUE;
    return FALSE;
}

static gboolean did_otherwise_by_itself(const DtJudgement *judgement, guint trace)
{
    const gboolean by_luck = judgement->names->by_luck && judgement->names->by_luck[trace];
    return did_otherwise(&judgement->by_names[trace], by_luck) ||
           (judgement->by_arguments && did_otherwise(&judgement->by_arguments[trace], by_luck));
}

/* Per trace of the corpus, those of whom nothing is known but that they wait for others, which wait for each other.
 * NULL: there are no such others. */
static gboolean *find_waiting(const DtJudgement *judgement)
{
    const DtWaitFor *waits = judgement->waits;
    if (!waits || waits->cycles->len == 0)
        return NULL;
    g_autofree gboolean *behind = dt_wait_for_behind_cycles(waits);
    g_autoptr(GHashTable) labels = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < waits->waiters->len; i++)
        if (behind[i])
            g_hash_table_add(labels, (gpointer)((const DtWaiter *)waits->waiters->pdata[i])->trace->label);
    gboolean *waiting = g_new0(gboolean, (gsize)judgement->names->traces + 1);
    for (guint trace = 0; trace < judgement->names->traces; trace++)
        waiting[trace] = g_hash_table_contains(labels, g_ptr_array_index(judgement->names->labels, trace)) &&
                         !did_otherwise_by_itself(judgement, trace);
    return waiting;
}

/* Of those in a deadlock that are blamed for it; INFINITY: of nobody. */
static double least_blamed(const DtJudgement *judgement, const GArray *candidates)
{
    double least = INFINITY;
    for (guint i = 0; i < candidates->len; i++) {
        const DtCandidate *candidate = &g_array_index(candidates, DtCandidate, i);
        if (judgement->by_names[candidate->trace].findings[DT_EVIDENCE_WAITS].value > 0)
            least = MIN(least, candidate->score);
    }
    return least;
}

/* How far behind and how stuck somebody is says nothing if he only waits for a deadlock. */
static void put_waiting_last(const DtJudgement *judgement, GArray *candidates)
{
    g_autofree gboolean *waiting = find_waiting(judgement);
    const double least = waiting ? least_blamed(judgement, candidates) : INFINITY;
    for (guint i = 0; waiting && !isinf(least) && i < candidates->len; i++) {
        DtCandidate *candidate = &g_array_index(candidates, DtCandidate, i);
        if (!is_ranked(candidate) || !waiting[candidate->trace] || candidate->score < least)
            continue;
        candidate->score = least * OF_WHO_WAITS;
        candidate->level = DT_LEVEL_WEAK;
    }
}

GArray *dt_candidates_new(const DtJudgement *judgement, const gboolean *consequent)
{
    const DtCorpus *corpus = judgement->names;
    gboolean unfinished = dt_run_unfinished(corpus, judgement->by_names);
    GArray *candidates = g_array_new(FALSE, FALSE, sizeof(DtCandidate));
    g_autoptr(GHashTable) processes = processes_there(corpus);
    g_autofree gboolean *proved = dt_proofs_new(judgement);
    const Circumstances circumstances = {processes, lack_threads_everywhere(corpus, judgement->by_names, processes),
                                         unfinished};
    for (guint trace = 0; trace < corpus->traces; trace++) {
        DtCandidate candidate = judge_trace(judgement, &circumstances, trace);
        /* Where data differ first, what all do otherwise comes of them. A proof follows from nothing. */
        const gboolean follows = consequent && consequent[trace] && !proved[trace] && is_ranked(&candidate) &&
                                 judgement->by_names[trace].findings[DT_EVIDENCE_DATA].value <= 0;
        if (follows)
            candidate.score *= OF_A_CONSEQUENCE;
        if (follows && candidate.level == DT_LEVEL_SUSPECT)
            candidate.level = DT_LEVEL_WEAK;
        if (candidate.level != DT_LEVEL_NONE)
            g_array_append_val(candidates, candidate);
    }
    put_waiting_last(judgement, candidates);
    g_array_sort_with_data(candidates, compare_candidates, judgement->by_names);
    weigh_against_best(judgement, candidates, unfinished);
    return candidates;
}

/* Where a comparison is worth less, nobody is accused. */
static const double LEAST_WEIGHT = 0.5;
/* Nobody is accused by less than even. */
static const double MOST_OF_WEAK = 0.49;

void dt_candidates_weaken(GArray *candidates, double most)
{
    for (guint i = 0; i < candidates->len; i++) {
        DtCandidate *candidate = &g_array_index(candidates, DtCandidate, i);
        if (!is_ranked(candidate))
            continue;
        candidate->level = DT_LEVEL_WEAK;
        candidate->confidence = MIN(candidate->confidence * most, MOST_OF_WEAK);
    }
}

void dt_candidates_temper(GArray *candidates, double weight)
{
    for (guint i = 0; i < candidates->len; i++) {
        DtCandidate *candidate = &g_array_index(candidates, DtCandidate, i);
        if (is_ranked(candidate))
            candidate->confidence *= weight;
    }
    if (weight < LEAST_WEIGHT)
        dt_candidates_weaken(candidates, 1);
}

/* Of those that a proof names, shared among them as what else speaks against them: what the bench has for crashes. */
static const double PROVED = 0.9;

void dt_candidates_prove(const DtJudgement *judgement, GArray *candidates)
{
    g_autofree gboolean *proved = dt_proofs_new(judgement);
    double best = 0, all = 0;
    for (guint i = 0; i < candidates->len; i++) {
        const DtCandidate *candidate = &g_array_index(candidates, DtCandidate, i);
        best = is_ranked(candidate) ? MAX(best, candidate->score) : best;
        all += is_ranked(candidate) && proved[candidate->trace] ? candidate->score : 0;
    }
    for (guint i = 0; all > 0 && i < candidates->len; i++) {
        DtCandidate *candidate = &g_array_index(candidates, DtCandidate, i);
        if (!is_ranked(candidate) || !proved[candidate->trace])
            continue;
        candidate->confidence = MAX(candidate->confidence, PROVED * candidate->score / all);
        candidate->score += best;
        candidate->level = DT_LEVEL_SUSPECT;
    }
    g_array_sort_with_data(candidates, compare_candidates, judgement->by_names);
}

static const DtCandidate *first_ranked(const GArray *candidates)
{
    for (guint i = 0; i < candidates->len; i++) {
        const DtCandidate *candidate = &g_array_index(candidates, DtCandidate, i);
        if (is_ranked(candidate))
            return candidate;
    }
    return NULL;
}

static gboolean is_open_call(const DtCorpus *corpus, guint trace, guint32 function)
{
    const GArray *open = dt_corpus_at(corpus, corpus->normals, trace)->calls->open;
    for (guint i = 0; i < open->len; i++) {
        if (dt_functions_base(corpus->functions, g_array_index(open, guint32, i)) == function)
            return TRUE;
    }
    return FALSE;
}

/* All that it did otherwise than normally was to end the process. */
static gboolean only_told(const DtJudgement *judgement, guint trace)
{
    const DtCorpus *corpus = judgement->names;
    const DtDeparture *departure = &judgement->departures[trace];
    if (!judgement->by_names[trace].present || !judgement->by_names[trace].ending.ends_in)
        return FALSE;
    if (departure->kind == DT_DEPARTURE_NONE)
        return TRUE;
    guint32 call = dt_functions_base(corpus->functions, departure->call);
    guint32 other = departure->other ? dt_functions_base(corpus->functions, departure->other) : 0;
    return (corpus->kinds[call] & DT_KIND_ENDING) || is_open_call(corpus, trace, call) ||
           (departure->kind == DT_DEPARTURE_LEFT_OUT && other && is_open_call(corpus, trace, other));
}

/* It made a call that no trace makes normally, and that did not end it. */
static gboolean did_something_new(const DtJudgement *judgement, guint trace)
{
    const DtDeparture *departure = &judgement->departures[trace];
    const DtEvidence *own = &judgement->by_names[trace];
    const gboolean sure = is_sure(judgement, trace);
    gboolean made = departure->kind != DT_DEPARTURE_NONE && (sure || departure->kind != DT_DEPARTURE_LEFT_OUT);
    if (!made || !own->comparable || !own->ending.open || only_told(judgement, trace) ||
        dt_went_on(judgement->names, own, TRUE) > LONG_AGO)
        return FALSE;
    gboolean is_new = own->findings[DT_EVIDENCE_NEW].value > 0 ||
                      (judgement->arguments && judgement->by_arguments[trace].findings[DT_EVIDENCE_NEW].value > 0);
    /* In which order, and with whom, follows from what came first. */
    if (judgement->names->by_luck[trace] && !sure)
        return FALSE;
    return departure->in_order || is_new || sure;
}

/* In any of the parts; in all calls only if luck has no part in it and it is its own, as auxiliary ones
 * differ for many reasons, and who ends a run prints why. */
static gboolean is_cause(const DtJudgement *whole, const DtJudgement *const *parts, guint count, guint trace)
{
    gboolean caused = surprise_of(whole, trace) >= OWN_ACT && did_something_new(whole, trace);
    for (guint part = 0; part < count; part++)
        caused = caused || (parts[part] && did_something_new(parts[part], trace));
    return caused;
}

void dt_candidates_put_causes_first(const DtJudgement *judgement, GArray *candidates, const DtJudgement *whole,
                                    const DtJudgement *const *parts, guint count)
{
    const DtCandidate *found = first_ranked(candidates);
    if (!found || found->level != DT_LEVEL_SUSPECT || !only_told(judgement, found->trace))
        return;
    const DtCandidate first = *found;
    for (guint i = 0; i < candidates->len; i++) {
        DtCandidate *candidate = &g_array_index(candidates, DtCandidate, i);
        if (!is_ranked(candidate) || !is_cause(whole, parts, count, candidate->trace))
            continue;
        candidate->score += first.score;
        candidate->level = DT_LEVEL_SUSPECT;
    }
    g_array_sort_with_data(candidates, compare_candidates, judgement->by_names);
    weigh_against_best(judgement, candidates, TRUE);
}

/* It first departs by what the others sent it. */
static gboolean took_otherwise(const DtJudgement *judgement, guint trace)
{
    const DtFunctions *functions = judgement->names->functions;
    const DtDeparture *departure = &judgement->departures[trace];
    if (departure->kind != DT_DEPARTURE_ARGUMENTS || departure->other == 0)
        return FALSE;
    const DtSignature *own = dt_functions_get(functions, departure->call)->signature;
    const DtSignature *usual = dt_functions_get(functions, departure->other)->signature;
    return own && usual && dt_only_taken_differ(functions, own, usual);
}

/* Of what a trace does of itself; 1 and more: nothing. */
static double earliest_of_itself(const DtJudgement *judgement, const GArray *candidates)
{
    double earliest = 1;
    for (guint i = 0; i < candidates->len; i++) {
        const DtCandidate *candidate = &g_array_index(candidates, DtCandidate, i);
        if (is_ranked(candidate) && judgement->departures[candidate->trace].kind != DT_DEPARTURE_NONE &&
            judgement->by_names[candidate->trace].has_onset && !took_otherwise(judgement, candidate->trace))
            earliest = MIN(earliest, judgement->by_names[candidate->trace].onset);
    }
    return earliest;
}

void dt_candidates_put_senders_first(const DtJudgement *judgement, GArray *candidates)
{
    const double earliest = earliest_of_itself(judgement, candidates);
    gboolean changed = FALSE;
    for (guint i = 0; i < candidates->len; i++) {
        DtCandidate *candidate = &g_array_index(candidates, DtCandidate, i);
        if (!is_ranked(candidate) || judgement->by_names[candidate->trace].onset < earliest ||
            !took_otherwise(judgement, candidate->trace))
            continue;
        candidate->score *= OF_WHAT_IS_TAKEN;
        changed = TRUE;
    }
    if (!changed)
        return;
    g_array_sort_with_data(candidates, compare_candidates, judgement->by_names);
    weigh_against_best(judgement, candidates, dt_run_unfinished(judgement->names, judgement->by_names));
}

/* It departs in the same way as the first, and about as early. */
static gboolean departs_like(const DtJudgement *judgement, guint first, guint trace)
{
    const DtEvidence *one = &judgement->by_names[first], *other = &judgement->by_names[trace];
    return dt_departure_equal(judgement->names->functions, &judgement->departures[first],
                              &judgement->departures[trace]) &&
           took_otherwise(judgement, first) == took_otherwise(judgement, trace) &&
           fabs(one->onset - other->onset) <= SAME_TIME;
}

void dt_candidates_level(const DtJudgement *judgement, GArray *candidates)
{
    const DtCandidate *found = first_ranked(candidates);
    if (!found || found->level != DT_LEVEL_SUSPECT || dt_run_unfinished(judgement->names, judgement->by_names))
        return;
    const DtCandidate first = *found;
    guint equal = 0;
    for (guint i = 0; i < candidates->len; i++) {
        const DtCandidate *candidate = &g_array_index(candidates, DtCandidate, i);
        equal += is_ranked(candidate) && departs_like(judgement, first.trace, candidate->trace) ? 1 : 0;
    }
    for (guint i = 0; i < candidates->len; i++) {
        DtCandidate *candidate = &g_array_index(candidates, DtCandidate, i);
        if (!is_ranked(candidate) || !departs_like(judgement, first.trace, candidate->trace))
            continue;
        candidate->level = DT_LEVEL_SUSPECT;
        candidate->score = first.score;
        candidate->confidence = first.confidence / equal;
    }
    g_array_sort_with_data(candidates, compare_candidates, judgement->by_names);
}

static gconstpointer unit_of(const DtCorpus *corpus, guint trace)
{
    const DtObservedTrace *observed = dt_corpus_at(corpus, corpus->normals, trace);
    gboolean by_process = dt_run_process_count(corpus->faulty_run) > 1;
    if (observed)
        return by_process ? (gconstpointer)observed->trace->process : (gconstpointer)observed->trace;
    return g_ptr_array_index(corpus->labels, trace);
}

guint dt_candidates_like_first(const DtJudgement *judgement, const GArray *candidates)
{
    const DtCandidate *first = NULL;
    g_autoptr(GHashTable) units = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < candidates->len; i++) {
        const DtCandidate *candidate = &g_array_index(candidates, DtCandidate, i);
        if (candidate->level != DT_LEVEL_SUSPECT)
            continue;
        if (!first)
            first = candidate;
        gboolean alike = first->confidence - candidate->confidence <= LEAST_SCORE ||
                         dt_departure_equal(judgement->names->functions, &judgement->departures[first->trace],
                                            &judgement->departures[candidate->trace]);
        if (alike)
            g_hash_table_add(units, (gpointer)unit_of(judgement->names, candidate->trace));
    }
    return g_hash_table_size(units);
}

gboolean dt_candidates_are_sure(const DtJudgement *judgement, const GArray *candidates)
{
    const DtCandidate *first = first_ranked(candidates);
    return first && first->level == DT_LEVEL_SUSPECT && is_sure(judgement, first->trace);
}

guint dt_candidates_accused(const GArray *candidates)
{
    guint accused = 0;
    for (guint i = 0; i < candidates->len; i++) {
        const DtCandidate *candidate = &g_array_index(candidates, DtCandidate, i);
        accused += is_ranked(candidate) && candidate->level == DT_LEVEL_SUSPECT ? 1 : 0;
    }
    return accused;
}
