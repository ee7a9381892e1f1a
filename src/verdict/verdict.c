/*
 * The verdict: suspects by descending score, and the sentence that sums it up.
 */
#include "verdict/verdict.h"

#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "store/symbols/source_lines.h"
#include "text/text.h"
#include "verdict/confidence.h"
#include "verdict/reading.h"
#include "verdict/successors.h"
#include "verdict/why.h"
#include "waitfor/facts.h"

G_DEFINE_QUARK(dt - rank - error - quark, dt_verdict_error)

/* Of the score S; docs/algorithms/verdict.md. */
static const double SUSPECT_SCORE = 1.5;
/* Where the normal runs do not agree with each other, noise alone reaches more than that. */
static const double NOISY_SUSPECT_SCORE = 4;
/* Of the best score: who has less is no suspect. */
static const double SUSPECT_SHARE = 0.8;
static const double LEAST_SCORE = 1e-9;
/* Of a trace that normal runs do not all have. */
static const double UNSTEADY_TRACE_SCORE = 0.25;

/* All evidence, by names and with arguments; traces have the same indices in both. */
typedef struct {
    DtCorpus *names, *arguments; /* arguments NULL: not recorded, or not asked for */
    DtEvidence *by_names, *by_arguments;
    DtWaitFor *waits; /* NULL without arguments */
    double *scores;   /* S of names and arguments together */
} Judgement;

/* A suspect while it is being ranked. */
typedef struct {
    guint trace;
    double score;      /* S, or infinite for a trace in one run only */
    double confidence; /* dt_confidence() */
    DtLevel level;
} Candidate;

const char *dt_level_name(DtLevel level)
{
    static const char *const names[] = {"none", "weak", "suspect"};
    return names[level];
}

static void suspect_free(gpointer data)
{
    DtSuspect *suspect = data;
    g_free(suspect->first_difference);
    g_free(suspect->source);
    g_free(suspect->why);
    g_free(suspect);
}

void dt_verdict_free(DtVerdict *verdict)
{
    if (!verdict)
        return;
    g_clear_pointer(&verdict->suspects, g_ptr_array_unref);
    g_free(verdict->verdict);
    g_free(verdict);
}

/* ---- candidates --------------------------------------------------------------------------- */

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

static double suspect_score(const DtCorpus *corpus, guint trace, gboolean unfinished)
{
    gboolean noisy = dt_corpus_is_noisy(corpus, trace);
    return noisy && !unfinished ? NOISY_SUSPECT_SCORE : SUSPECT_SCORE;
}

static Candidate judge_trace(const Judgement *judgement, GHashTable *processes, guint trace, gboolean unfinished)
{
    const DtCorpus *corpus = judgement->names;
    const DtEvidence *own = &judgement->by_names[trace];
    Candidate candidate = {.trace = trace, .score = judgement->scores[trace]};
    if (in_one_run_only(corpus, own, trace)) {
        gboolean steady =
            own->present || (own->normals_with == corpus->normals && !never_came(corpus, processes, trace, unfinished));
        candidate.score = steady ? INFINITY : UNSTEADY_TRACE_SCORE;
    }
    /* Traces of one run may well differ from each other: alone, only a run that did not end accuses. */
    gboolean can_accuse = corpus->normals > 0 || unfinished;
    if (candidate.score > LEAST_SCORE)
        candidate.level = candidate.score >= suspect_score(corpus, trace, unfinished) && can_accuse ? DT_LEVEL_SUSPECT
                                                                                                    : DT_LEVEL_WEAK;
    return candidate;
}

static gint compare_candidates(gconstpointer a, gconstpointer b, gpointer user_data)
{
    const Candidate *first = a, *second = b;
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

static gboolean is_ranked(const Candidate *candidate)
{
    return !isinf(candidate->score);
}

/* Confidence, and no suspicion of those that are far behind the first: victims of a fault have evidence, too. */
static void weigh_against_best(const Judgement *judgement, GArray *candidates, gboolean unfinished)
{
    const DtCorpus *corpus = judgement->names;
    g_autofree double *scores = g_new(double, (gsize)candidates->len + 1);
    guint ranked = 0;
    for (guint i = 0; i < candidates->len; i++) {
        const Candidate *candidate = &g_array_index(candidates, Candidate, i);
        if (is_ranked(candidate))
            scores[ranked++] = candidate->score;
    }
    dt_sort_numbers(scores, ranked);
    const double best = ranked > 0 ? scores[ranked - 1] : 0;
    for (guint i = 0; i < candidates->len; i++) {
        Candidate *candidate = &g_array_index(candidates, Candidate, i);
        DtStanding standing = {.score = candidate->score,
                               .best = best,
                               .noisy = !unfinished && dt_corpus_is_noisy(corpus, candidate->trace),
                               .ended_well = corpus->normals == 0 && !unfinished,
                               .equal = dt_count_near(scores, ranked, candidate->score, LEAST_SCORE)};
        if (best - candidate->score <= LEAST_SCORE)
            standing.score = standing.best;
        candidate->confidence = is_ranked(candidate) ? dt_confidence(&standing) : 1;
        if (is_ranked(candidate) && candidate->score < SUSPECT_SHARE * best)
            candidate->level = DT_LEVEL_WEAK;
    }
}

static GArray *find_candidates(const Judgement *judgement)
{
    const DtCorpus *corpus = judgement->names;
    DtEvidence *evidence = judgement->by_names;
    gboolean unfinished = dt_run_unfinished(corpus, evidence);
    GArray *candidates = g_array_new(FALSE, FALSE, sizeof(Candidate));
    g_autoptr(GHashTable) processes = processes_there(corpus);
    for (guint trace = 0; trace < corpus->traces; trace++) {
        Candidate candidate = judge_trace(judgement, processes, trace, unfinished);
        if (candidate.level != DT_LEVEL_NONE)
            g_array_append_val(candidates, candidate);
    }
    g_array_sort_with_data(candidates, compare_candidates, evidence);
    weigh_against_best(judgement, candidates, unfinished);
    return candidates;
}

/* The first call that departs from what comes normally, with arguments: names alone may not differ. */
static char *tell_arguments(const Judgement *judgement, guint trace)
{
    const DtDivergence *divergence = &judgement->by_arguments[trace].divergence[DT_SEQUENCE_ALL];
    if (!divergence->has_own || !divergence->has_expected || divergence->share <= 0)
        return NULL;
    return g_strdup_printf("%s instead of %s", dt_corpus_callee_name(judgement->arguments, divergence->own),
                           dt_corpus_callee_name(judgement->arguments, divergence->expected));
}

/* Whichever says more against the trace. */
static char *tell_why(const Judgement *judgement, guint trace, const char *difference, const char *end_position)
{
    const DtEvidence *names = &judgement->by_names[trace];
    if (judgement->arguments && judgement->by_arguments[trace].score > names->score)
        return dt_why(judgement->arguments, judgement->by_arguments, trace, difference, end_position);
    return dt_why(judgement->names, judgement->by_names, trace, difference, end_position);
}

/* The function that makes the call with which the trace departs; 0: it does not. */
static guint32 departs_in(const DtCorpus *corpus, const DtDivergence *divergence)
{
    return divergence->has_own && divergence->share > 0 ? dt_corpus_symbol(corpus, divergence->own)->caller : 0;
}

/* The innermost open call that is none of a library's. */
static guint32 ends_in(const DtCorpus *corpus, guint trace)
{
    const GArray *open = dt_corpus_at(corpus, corpus->normals, trace)->calls->open;
    for (guint i = open->len; i > 0; --i) {
        guint32 function = g_array_index(open, guint32, i - 1);
        if (!(corpus->kinds[function] & DT_KIND_LIBRARY))
            return function;
    }
    return 0;
}

/* Where to look: calls of libraries tell more than the others, such as those that read the command line. */
static guint32 function_to_look_at(const Judgement *judgement, guint trace)
{
    guint32 place = 0;
    for (guint kind = DT_SEQUENCES; kind > 0 && !place; --kind) {
        place = departs_in(judgement->names, &judgement->by_names[trace].divergence[kind - 1]);
        if (!place && judgement->arguments)
            place = departs_in(judgement->arguments, &judgement->by_arguments[trace].divergence[kind - 1]);
        if (!place)
            place = ends_in(judgement->names, trace);
    }
    return place;
}

static char *tell_source(const Judgement *judgement, guint trace, DtSourceLines *lines)
{
    const DtCorpus *corpus = judgement->names;
    const DtObservedTrace *observed = dt_corpus_at(corpus, corpus->normals, trace);
    guint32 function = observed ? function_to_look_at(judgement, trace) : 0;
    g_autofree char *line =
        function ? dt_source_lines_find(lines, corpus->faulty_run, observed->trace->process, function) : NULL;
    if (!line)
        return NULL;
    return g_strdup_printf("%s (%s)", dt_functions_get(corpus->functions, function)->shown, line);
}

static DtSuspect *suspect_new(const Judgement *judgement, const Candidate *candidate, DtPositions *positions,
                              DtSourceLines *lines)
{
    const DtCorpus *corpus = judgement->names;
    guint trace = candidate->trace;
    const DtObservedTrace *observed = dt_corpus_at(corpus, corpus->normals, trace);
    g_autofree char *end_position = NULL;
    g_autofree char *first_difference = NULL;
    if (observed)
        dt_positions_find(positions, observed->trace, &first_difference, &end_position);
    if (!first_difference && judgement->arguments && corpus->normals > 0)
        first_difference = tell_arguments(judgement, trace);
    DtSuspect *suspect = g_new0(DtSuspect, 1);
    suspect->label = g_ptr_array_index(corpus->labels, trace);
    suspect->trace = observed ? observed->trace : NULL;
    suspect->score = candidate->confidence;
    suspect->level = candidate->level;
    suspect->status = dt_status_of(corpus, judgement->by_names, trace);
    suspect->source = tell_source(judgement, trace, lines);
    g_autofree char *why = tell_why(judgement, trace, first_difference, end_position);
    suspect->why = suspect->source ? g_strdup_printf("%s; in %s", why, suspect->source) : g_steal_pointer(&why);
    suspect->first_difference = g_steal_pointer(&first_difference);
    return suspect;
}

/* ---- the sentence ----------------------------------------------------------------------------- */

/* "5.0", "5.0 and 6.0", "5.0, 6.0 and 14 more". */
static char *labels_text(const GPtrArray *suspects, guint first, guint count)
{
    const char *label = ((DtSuspect *)g_ptr_array_index(suspects, first))->label;
    if (count == 1)
        return g_strdup(label);
    const char *second = ((DtSuspect *)g_ptr_array_index(suspects, first + 1))->label;
    if (count == 2)
        return g_strdup_printf("%s and %s", label, second);
    return g_strdup_printf("%s, %s and %u more", label, second, count - 2);
}

static char *tell_suspect(const DtCorpus *corpus, const GPtrArray *suspects, guint first)
{
    const DtSuspect *top = g_ptr_array_index(suspects, first);
    const char *scope = corpus->normals == 0 ? ", judged by this run alone" : "";
    guint equal = 1;
    while (first + equal < suspects->len &&
           fabs(((DtSuspect *)g_ptr_array_index(suspects, first + equal))->score - top->score) <= LEAST_SCORE)
        ++equal;
    g_autofree char *labels = labels_text(suspects, first, equal);
    if (top->level == DT_LEVEL_WEAK)
        return g_strdup_printf("no clear suspect%s; weak evidence against %s: %s", scope, labels, top->why);
    if (equal > 1)
        return g_strdup_printf("%s are equally suspect%s; %s: %s", labels, scope, top->label, top->why);
    return g_strdup_printf("%s is the prime suspect%s: %s", labels, scope, top->why);
}

/* With one normal run, noise looks like a fault. */
static char *tell_noise(const DtCorpus *corpus, const DtEvidence *evidence)
{
    guint compared = 0, differ = 0;
    for (guint trace = 0; trace < corpus->traces; trace++) {
        compared += evidence[trace].comparable ? 1 : 0;
        differ += evidence[trace].divergence[DT_SEQUENCE_ALL].share > 0;
    }
    if (corpus->normals != 1 || compared < 2 || 2 * differ <= compared)
        return g_strdup("");
    return g_strdup_printf("; %u of %u traces differ from the only normal run: with 3 to 5 of them, noise could be "
                           "told from the fault",
                           differ, compared);
}

static char *tell_sizes(const DtCorpus *corpus)
{
    if (corpus->teams_differ)
        return g_strdup_printf(
            "; up to %u threads in a process against %u normally: each but the first was compared with "
            "those that start with the same function",
            corpus->team_sizes[1], corpus->team_sizes[0]);
    if (!dt_corpus_sizes_differ(corpus))
        return g_strdup("");
    return g_strdup_printf("; %u ranks against %u normally: each was compared with those that call the same functions",
                           corpus->world_sizes[1], corpus->world_sizes[0]);
}

static char *sum_up(const DtCorpus *corpus, const DtEvidence *evidence, const GPtrArray *suspects)
{
    g_autofree char *sizes = tell_sizes(corpus);
    if (suspects->len == 0 && corpus->normals > 0)
        return g_strconcat("no difference in functions and their order", sizes, NULL);
    if (suspects->len == 0)
        return g_strdup("no trace stands out among those of this run");
    guint only_normal = 0, only_faulty = 0;
    for (; only_normal < suspects->len; only_normal++) {
        const DtSuspect *suspect = g_ptr_array_index(suspects, only_normal);
        if (suspect->status != DT_STATUS_MISSING || suspect->level != DT_LEVEL_SUSPECT)
            break;
    }
    guint first = only_normal;
    while (first < suspects->len && ((DtSuspect *)g_ptr_array_index(suspects, first))->score >= 1)
        ++first, ++only_faulty;
    g_autoptr(GString) verdict = g_string_new(NULL);
    if (only_normal > 0) {
        g_autofree char *labels = labels_text(suspects, 0, only_normal);
        g_string_append_printf(verdict, "%s missing in the faulty run; ", labels);
    }
    if (only_faulty > 0) {
        g_autofree char *labels = labels_text(suspects, only_normal, only_faulty);
        g_string_append_printf(verdict, "%s in the faulty run only; ", labels);
    }
    g_autofree char *point =
        first < suspects->len ? tell_suspect(corpus, suspects, first) : g_strdup("no difference in the others");
    g_autofree char *meanwhile =
        dt_meanwhile(corpus, evidence, first < suspects->len ? g_ptr_array_index(suspects, first) : NULL);
    g_autofree char *noise = tell_noise(corpus, evidence);
    g_string_append_printf(verdict, "%s%s%s%s", point, meanwhile, noise, sizes);
    return g_string_free(g_steal_pointer(&verdict), FALSE);
}

/* ---- groups ------------------------------------------------------------------------------------- */

/* A suspect is of the group of the first one that says the same of itself. */
static void find_groups(const GPtrArray *suspects)
{
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < suspects->len; i++) {
        DtSuspect *suspect = g_ptr_array_index(suspects, i);
        const char *difference = suspect->first_difference ? suspect->first_difference : suspect->why;
        char *kind = g_strdup_printf("%s %s %s", dt_level_name(suspect->level), dt_status_name(suspect->status),
                                     difference ? difference : "");
        gpointer group = g_hash_table_lookup(known, kind);
        suspect->group = group ? GPOINTER_TO_UINT(group) - 1 : g_hash_table_size(known);
        if (group)
            g_free(kind);
        else
            g_hash_table_insert(known, kind, GUINT_TO_POINTER(suspect->group + 1));
    }
}

/* ---- all together ----------------------------------------------------------------------------------- */

static gboolean check_common_traces(const DtCorpus *corpus, const DtEvidence *evidence, GError **error)
{
    for (guint trace = 0; trace < corpus->traces; trace++) {
        if (evidence[trace].normals_with > 0 && evidence[trace].present)
            return TRUE;
    }
    if (corpus->normals == 0)
        return TRUE;
    dt_set_error(error, DT_VERDICT_ERROR, DT_VERDICT_ERROR_NO_COMMON_TRACES,
                 "%s: no trace in common with the normal runs: compare runs of the same program with as many processes",
                 dt_run_path(corpus->faulty_run));
    return FALSE;
}

static GPtrArray *suspects_of(const Judgement *judgement, const GArray *candidates, DtPositions *positions)
{
    g_autoptr(GPtrArray) suspects = g_ptr_array_new_with_free_func(suspect_free);
    g_autoptr(DtSourceLines) lines = dt_source_lines_new();
    for (guint i = 0; i < candidates->len; i++) {
        g_ptr_array_add(suspects, suspect_new(judgement, &g_array_index(candidates, Candidate, i), positions, lines));
    }
    find_groups(suspects);
    return g_steal_pointer(&suspects);
}

/* Half of the score each: arguments tell a wrong peer or tag, names are less noisy where work is handed out by luck. */
static void mix_scores(Judgement *judgement)
{
    for (guint trace = 0; trace < judgement->names->traces; trace++) {
        DtEvidence *names = &judgement->by_names[trace];
        const DtEvidence *arguments = &judgement->by_arguments[trace];
        judgement->scores[trace] = (names->score + arguments->score) / 2;
        if (arguments->has_onset && (!names->has_onset || arguments->onset < names->onset)) {
            names->has_onset = TRUE;
            names->onset = arguments->onset;
        }
    }
}

static void judgement_clear(Judgement *judgement)
{
    g_clear_pointer(&judgement->names, dt_corpus_free);
    g_clear_pointer(&judgement->arguments, dt_corpus_free);
    g_free(judgement->by_names);
    g_free(judgement->by_arguments);
    g_free(judgement->scores);
    g_clear_pointer(&judgement->waits, dt_wait_for_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Judgement, judgement_clear)

/* ---- reading ---------------------------------------------------------------------------------------- */

struct DtVerdictReading {
    DtVerdictRuns runs;
    guint jobs;
    guint8 *kinds;
    DtObserving *names, *arguments; /* arguments NULL: not recorded, or not asked for */
    DtFactsReading *waits;          /* likewise */
};

DtVerdictReading *dt_verdict_reading_new(DtPass *pass, const DtVerdictRuns *runs)
{
    const DtFunctions *functions = dt_run_functions(runs->faulty);
    DtVerdictReading *reading = g_new0(DtVerdictReading, 1);
    reading->runs = *runs;
    reading->jobs = dt_pass_jobs(pass);
    reading->kinds = dt_call_kinds(functions);
    reading->names = dt_observing_new(pass, runs->normals->len + 1, DT_NAMES_ALONE, reading->kinds);
    if (runs->names_alone || !dt_functions_have_signatures(functions))
        return reading;
    reading->arguments = dt_observing_new(pass, runs->normals->len + 1, DT_NAMES_WITH_ARGUMENTS, reading->kinds);
    reading->waits = dt_facts_reading_new(pass, runs->normals->len);
    return reading;
}

void dt_verdict_reading_free(DtVerdictReading *reading)
{
    if (!reading)
        return;
    dt_observing_free(reading->names);
    dt_observing_free(reading->arguments);
    dt_facts_reading_free(reading->waits);
    g_free(reading->kinds);
    g_free(reading);
}

static DtCorpus *corpus_of(const DtVerdictReading *reading, DtObserving *observing, GError **error)
{
    DtObservations *observations = dt_observing_take(observing, error);
    return observations ? dt_corpus_new(reading->runs.normals, reading->runs.faulty, observations) : NULL;
}

static gboolean judge_reading(const DtVerdictReading *reading, Judgement *judgement, GError **error)
{
    judgement->names = corpus_of(reading, reading->names, error);
    if (!judgement->names)
        return FALSE;
    if (reading->arguments && (!(judgement->arguments = corpus_of(reading, reading->arguments, error)) ||
                               !(judgement->waits = dt_facts_reading_take(reading->waits, error))))
        return FALSE;
    judgement->by_names = dt_evidence_new(judgement->names, judgement->waits, reading->jobs);
    judgement->scores = g_new0(double, judgement->names->traces + 1);
    for (guint trace = 0; trace < judgement->names->traces; trace++)
        judgement->scores[trace] = judgement->by_names[trace].score;
    if (reading->arguments) {
        judgement->by_arguments = dt_evidence_new(judgement->arguments, judgement->waits, reading->jobs);
        mix_scores(judgement);
    }
    return check_common_traces(judgement->names, judgement->by_names, error);
}

DtVerdict *dt_verdict_of_reading(DtVerdictReading *reading, const DtPositionView *views, GError **error)
{
    g_auto(Judgement) judgement = {0};
    if (!judge_reading(reading, &judgement, error))
        return NULL;
    g_autoptr(GArray) candidates = find_candidates(&judgement);
    const GPtrArray *normals = reading->runs.normals;
    const DtRun *normal = normals->len > 0 ? g_ptr_array_index(normals, 0) : NULL;
    g_autoptr(DtPositions) positions = dt_positions_new(normal, reading->runs.faulty, views);
    g_autoptr(GPtrArray) suspects = suspects_of(&judgement, candidates, positions);
    DtVerdict *verdict = g_new0(DtVerdict, 1);
    verdict->verdict = sum_up(judgement.names, judgement.by_names, suspects);
    verdict->suspects = g_steal_pointer(&suspects);
    return verdict;
}
