/*
 * The verdict: suspects by descending score, and the sentence that sums it up.
 */
#include "verdict/verdict.h"

#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "text/text.h"
#include "verdict/candidates.h"
#include "verdict/common_part.h"
#include "verdict/data/data_verdict.h"
#include "verdict/gate/cautions.h"
#include "verdict/gate/proof.h"
#include "verdict/gate/reach.h"
#include "verdict/reading.h"
#include "verdict/successors.h"
#include "verdict/summary.h"
#include "verdict/suspects.h"
#include "verdict/times/time_verdict.h"
#include "verdict/totals.h"
#include "waitfor/facts.h"

G_DEFINE_QUARK(dt_verdict_error, dt_verdict_error)

const char *dt_level_name(DtLevel level)
{
    static const char *const names[] = {"none", "weak", "suspect"};
    return names[level];
}

const char *dt_scope_name(DtScope scope)
{
    static const char *const names[] = {"none", "unknown", "one", "several", "all"};
    return names[scope];
}

DtCommon dt_common_copy(const DtCommon *common)
{
    return (DtCommon){g_strdup(common->function), g_strdup(common->call),   g_strdup(common->source),
                      g_strdup(common->normal),   g_strdup(common->faulty), common->traces};
}

void dt_common_clear(DtCommon *common)
{
    g_free(common->function);
    g_free(common->call);
    g_free(common->source);
    g_free(common->normal);
    g_free(common->faulty);
    *common = (DtCommon){0};
}

void dt_verdict_free(DtVerdict *verdict)
{
    if (!verdict)
        return;
    g_clear_pointer(&verdict->suspects, g_ptr_array_unref);
    g_free(verdict->verdict);
    dt_common_clear(&verdict->common);
    dt_data_verdict_unref(verdict->data);
    dt_time_verdict_unref(verdict->times);
    g_clear_pointer(&verdict->waits, dt_wait_for_free);
    g_free(verdict);
}

/* ---- all together ------------------------------------------------------------------------------- */

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

/* ---- reading ---------------------------------------------------------------------------------------- */

struct DtVerdictReading {
    DtVerdictRuns runs;
    guint jobs;
    guint16 *kinds;
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

/* Both views of the runs; arguments NULL: not read. */
typedef struct {
    DtObservations *names, *arguments;
} Observed;

static void observed_clear(Observed *observed)
{
    g_clear_pointer(&observed->names, dt_observations_free);
    g_clear_pointer(&observed->arguments, dt_observations_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Observed, observed_clear)

static gboolean take_observed(const DtVerdictReading *reading, Observed *observed, GError **error)
{
    observed->names = dt_observing_take(reading->names, error);
    if (observed->names && reading->arguments)
        observed->arguments = dt_observing_take(reading->arguments, error);
    return observed->names && (observed->arguments || !reading->arguments);
}

static DtCorpus *corpus_of(DtObservations **observations, const DtReach *reach, const DtRun *faulty,
                           const DtDifferingData *data)
{
    if (!*observations)
        return NULL;
    DtCorpus *corpus = dt_corpus_new(reach->normals, faulty, g_steal_pointer(observations));
    corpus->reach = reach;
    corpus->data = data;
    return corpus;
}

/* NULL with `error` set if the runs cannot be compared. */
static DtJudgement *judge_observed(const DtVerdictReading *reading, Observed *observed, const DtReach *reach,
                                   const DtWaitFor *waits, const DtDifferingData *data, GError **error)
{
    const DtRun *faulty = reading->runs.faulty;
    DtCorpus *names = corpus_of(&observed->names, reach, faulty, data);
    DtCorpus *arguments = corpus_of(&observed->arguments, reach, faulty, data);
    names->normals_vary = dt_corpus_varies(names) || (arguments && dt_corpus_varies(arguments));
    if (arguments)
        arguments->normals_vary = names->normals_vary;
    g_autoptr(DtJudgement) judgement = dt_judgement_new(names, arguments, waits, reading->jobs);
    return check_common_traces(judgement->names, judgement->by_names, error) ? g_steal_pointer(&judgement) : NULL;
}

/* Who is accused by what: of one comparison. */
typedef struct {
    const DtJudgement *judgement; /* that the candidates are of */
    const DtJudgement *other;     /* tells how traces depart that do not depart in that one; NULL: none */
    GArray *candidates;
    const DtCommonChange *common; /* NULL: none */
    gboolean whole;               /* the whole program changed */
    DtCommonChange total;         /* of all traces together; departure.kind NONE: none */
} Finding;

/* Of a difference in auxiliary calls, however large. */
static const double MOST_OF_AUXILIARY = 0.45;
/* Of a trace of a program that changed as a whole. */
static const double MOST_OF_ALL = 0.3;
/* Of what may be noise. */
static const double MOST_OF_NOISE = 0.45;
/* Of a suspect who may be noise, but whose run did not end. */
static const double OF_NOISE = 0.75;
enum { FEWEST_NOISY = 3 };

/* `part` has what is left of `judgement`. */
static Finding accuse_rest(const DtJudgement *judgement, const DtCommonPart *part)
{
    Finding finding = {.judgement = part->rest ? part->rest : judgement};
    finding.candidates = dt_candidates_new(finding.judgement, part->consequent);
    if (part->common->len > 0)
        finding.common = &g_array_index(part->common, DtCommonChange, 0);
    return finding;
}

/* Nobody is accused: the evidence is told as it is. */
static Finding accuse_weakly(const DtJudgement *judgement, const DtCommonPart *const *parts, guint count,
                             const DtCommonChange *common)
{
    for (guint i = 0; i < count; i++) {
        Finding finding = accuse_rest(judgement, parts[i]);
        finding.common = common;
        finding.whole = common != NULL;
        if (finding.candidates->len > 0) {
            dt_candidates_weaken(finding.candidates, common ? MOST_OF_ALL : 1);
            return finding;
        }
        g_array_unref(finding.candidates);
    }
    Finding finding = {judgement, NULL, dt_candidates_new(judgement, NULL), common, common != NULL, {{0}, 0, 0, 0}};
    dt_candidates_weaken(finding.candidates, common ? MOST_OF_ALL : MOST_OF_AUXILIARY);
    return finding;
}

/* Nothing tells noise from a fault: there is one normal run, and most traces differ from it. */
static gboolean may_be_noise(const DtJudgement *judgement)
{
    guint compared = 0, differ = 0;
    if (judgement->names->normals != 1)
        return FALSE;
    for (guint trace = 0; trace < judgement->names->traces; trace++) {
        compared += judgement->by_names[trace].comparable ? 1 : 0;
        differ += judgement->departures[trace].kind != DT_DEPARTURE_NONE;
    }
    return differ >= FEWEST_NOISY && 2 * differ > compared;
}

/* Where luck decides who does what, all traces together tell what has changed. One that has it changes it by few. */
static void look_at_totals(const DtJudgement *judgement, Finding *finding)
{
    if (!dt_total_change_find(judgement, &finding->total))
        return;
    finding->whole = fabs(finding->total.departure.times - finding->total.departure.usual) >= finding->total.units;
    if (finding->whole)
        dt_candidates_weaken(finding->candidates, MOST_OF_ALL);
}

/* Luck need not be taken off to tell who did what nobody does normally. */
static gboolean is_sure(const DtJudgement *judgement, const DtCommonPart *part)
{
    Finding finding = accuse_rest(judgement, part);
    gboolean sure = dt_candidates_are_sure(finding.judgement, finding.candidates);
    g_array_unref(finding.candidates);
    return sure;
}

/* First by what is certain, then with what may be luck, at last by auxiliary calls. Of a run that did not end, what is
 * lucky in an ended one tells how it came about. */
static Finding accuse(const DtJudgement *judgement, const DtCommonPart *certain, const DtCommonPart *lucky)
{
    const DtCommonPart *parts[] = {certain, lucky};
    const DtCommonChange *common = certain->common->len > 0 ? &g_array_index(certain->common, DtCommonChange, 0) : NULL;
    gboolean unfinished = dt_run_unfinished(judgement->names, judgement->by_names);
    const gboolean lucky_first = unfinished || is_sure(judgement, lucky);
    for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
        const DtCommonPart *part = parts[lucky_first ? 1 - i : i];
        if (part == lucky && common && !lucky_first)
            continue;
        Finding finding = accuse_rest(judgement, part);
        finding.other = part == lucky ? certain->rest : lucky->rest;
        if (dt_candidates_accused(finding.candidates) > 0) {
            const DtJudgement *const told[] = {certain->rest, lucky->rest};
            dt_candidates_put_causes_first(finding.judgement, finding.candidates, judgement, told, G_N_ELEMENTS(told));
            dt_candidates_put_senders_first(finding.judgement, finding.candidates);
            if (!may_be_noise(finding.judgement))
                dt_candidates_level(finding.judgement, finding.candidates);
            else if (!unfinished)
                dt_candidates_weaken(finding.candidates, MOST_OF_NOISE);
            else
                dt_candidates_temper(finding.candidates, OF_NOISE);
            return finding;
        }
        g_array_unref(finding.candidates);
    }
    Finding finding = accuse_weakly(judgement, parts, lucky->rest ? G_N_ELEMENTS(parts) : 1, common);
    if (!common && !unfinished)
        look_at_totals(lucky->rest ? lucky->rest : judgement, &finding);
    return finding;
}

/* Where nobody is accused, a proof is: what all have in common never outranks it. Of another program it tells nothing.
 */
static void look_at_proofs(Finding *finding, double weight)
{
    static const double least = 0.5;
    if (weight < least || dt_candidates_accused(finding->candidates) > 0)
        return;
    dt_candidates_prove(finding->judgement, finding->candidates);
    if (dt_candidates_accused(finding->candidates) > 0)
        finding->whole = FALSE;
}

/* Processes or, of one process, threads that are suspects as the first one is: alike, or as much. */
static DtScope scope_of(const Finding *finding)
{
    if (finding->whole)
        return DT_SCOPE_ALL;
    if (finding->candidates->len == 0)
        return DT_SCOPE_NONE;
    guint count = dt_candidates_like_first(finding->judgement, finding->candidates);
    return count == 0 ? DT_SCOPE_UNKNOWN : count == 1 ? DT_SCOPE_ONE : DT_SCOPE_SEVERAL;
}

static char *tell_common(const Finding *finding, const DtSuspectSources *sources, DtCommon *common)
{
    const gboolean total = finding->total.departure.kind != DT_DEPARTURE_NONE;
    const DtCommonChange *change = total ? &finding->total : finding->common;
    const DtCorpus *corpus = finding->judgement->names;
    const DtObservedTrace *example = change ? dt_corpus_at(corpus, corpus->normals, change->example) : NULL;
    if (!example)
        return NULL;
    const DtDeparture *departure = &change->departure;
    common->source = dt_departure_line(sources, departure, example->trace);
    const DtFunction *call = dt_functions_get(corpus->functions, dt_functions_base(corpus->functions, departure->call));
    if (departure->caller != 0)
        common->function = dt_short_name(dt_functions_get(corpus->functions, departure->caller)->shown);
    common->call = dt_short_name(call->shown);
    common->traces = change->traces;
    dt_departure_sides(corpus->functions, departure, example->trace->process, &common->faulty, &common->normal);
    return dt_departure_text(corpus->functions, departure, common->source, NULL);
}

static DtVerdict *verdict_of(const Finding *finding, const DtJudgement *whole, const DtCautions *cautions,
                             const DtRun *normal, DtPositions *positions)
{
    g_autoptr(DtSourceLines) lines = dt_source_lines_new();
    const DtSuspectSources sources = {finding->judgement, finding->other, whole, normal, positions, lines};
    DtVerdict *verdict = g_new0(DtVerdict, 1);
    verdict->scope = scope_of(finding);
    g_autofree char *common = tell_common(finding, &sources, &verdict->common);
    verdict->suspects = dt_suspects_new(&sources, finding->candidates);
    const DtDifferingData *data = whole->names->data;
    const gboolean equal = (!data || data->differing == 0) && dt_runs_are_equal(whole->names) &&
                           (!whole->arguments || dt_runs_are_equal(whole->arguments));
    verdict->data = dt_data_verdict_new(data);
    const DtSummary summary = {.corpus = finding->judgement->names,
                               .evidence = finding->judgement->by_names,
                               .suspects = verdict->suspects,
                               .scope = verdict->scope,
                               .common = common,
                               .cautions = cautions->text,
                               .equal = equal,
                               .with_arguments = whole->arguments != NULL,
                               .sharing = verdict->common.traces};
    verdict->verdict = dt_sum_up(&summary);
    return verdict;
}

/* What differs in calls comes first: a run that makes others takes another time, too. */
static gboolean is_judged_by_times(const DtVerdict *verdict, const DtJudgement *judgement)
{
    const GPtrArray *suspects = verdict->suspects;
    return verdict->scope != DT_SCOPE_ALL && !judgement->names->reach->limited &&
           !dt_run_unfinished(judgement->names, judgement->by_names) &&
           (suspects->len == 0 || ((const DtSuspect *)suspects->pdata[0])->level != DT_LEVEL_SUSPECT);
}

/* FALSE: they cannot be read. */
static gboolean look_at_times(const DtVerdictReading *reading, const DtJudgement *judgement, const DtCautions *cautions,
                              DtVerdict *verdict, GError **error)
{
    GError *failure = NULL;
    if (!is_judged_by_times(verdict, judgement))
        return TRUE;
    g_autoptr(DtSourceLines) lines = dt_source_lines_new();
    DtTimeVerdict *times = dt_time_verdict_new(&reading->runs, lines, reading->jobs, &failure);
    if (times)
        dt_verdict_add_times(verdict, times, reading->runs.faulty, reading->runs.normals->len, cautions->text,
                             cautions->weight);
    if (failure)
        g_propagate_error(error, failure);
    return !failure;
}

DtVerdict *dt_verdict_of_reading(DtVerdictReading *reading, const DtPositionView *views, GError **error)
{
    g_auto(Observed) observed = {0};
    g_autoptr(DtWaitFor) waits = reading->waits ? dt_facts_reading_take(reading->waits, error) : NULL;
    if (reading->waits && !waits)
        return NULL;
    if (!take_observed(reading, &observed, error))
        return NULL;
    g_autoptr(DtReach) reach = dt_reach_new(reading->runs.normals, reading->runs.faulty, observed.names, waits);
    if (observed.arguments)
        dt_reach_apply(reach, observed.arguments);
    const GPtrArray *normals = reach->normals;
    GError *failure = NULL;
    g_autoptr(DtDifferingData) data =
        reading->waits ? dt_differing_data_find(normals, reading->runs.faulty, &failure) : NULL;
    if (failure) {
        g_propagate_error(error, failure);
        return NULL;
    }
    g_autoptr(DtJudgement) judgement = judge_observed(reading, &observed, reach, waits, data, error);
    if (!judgement)
        return NULL;
    const DtRun *normal = normals->len > 0 ? g_ptr_array_index(reading->runs.normals, 0) : NULL;
    g_autoptr(DtPositions) positions = dt_positions_new(normal, reading->runs.faulty, views);
    g_autoptr(DtCommonPart) certain = normals->len > 0 ? dt_common_part_new(judgement, normals, TRUE) : NULL;
    g_autoptr(DtCommonPart) lucky = normals->len > 0 ? dt_common_part_new(judgement, normals, FALSE) : NULL;
    Finding finding = {.judgement = judgement};
    if (certain)
        finding = accuse(judgement, certain, lucky);
    else
        finding.candidates = dt_candidates_new(judgement, NULL);
    g_auto(DtCautions) cautions = dt_cautions_find(judgement->names, normals);
    dt_candidates_temper(finding.candidates, cautions.weight);
    look_at_proofs(&finding, cautions.weight);
    DtVerdict *verdict = verdict_of(&finding, judgement, &cautions, normal, positions);
    g_array_unref(finding.candidates);
    verdict->failed = dt_run_failed(judgement);
    verdict->waits = g_steal_pointer(&waits); /* the judgement has no use for it any more */
    if (!look_at_times(reading, judgement, &cautions, verdict, error))
        g_clear_pointer(&verdict, dt_verdict_free);
    return verdict;
}
