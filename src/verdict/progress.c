/*
 * Progress: who is behind the others when a run hangs, whose count of library
 * calls is out of line with its class, which process did more or less than usual.
 */
#include <math.h>

#include "verdict/evidence.h"

static const double SAME_PROGRESS = 1e-12;
static const double MAJORITY_SHARE = 0.6;

static gboolean is_open(const DtEvidence *evidence)
{
    return evidence->present && evidence->comparable && evidence->ending.open;
}

static void measure_progress(const DtCorpus *corpus, DtEvidence *evidence)
{
    for (guint trace = 0; trace < corpus->traces; ++trace) {
        if (!evidence[trace].comparable)
            continue;
        double usual = dt_corpus_mean_clock(corpus, corpus->normals, trace);
        evidence[trace].progress = usual > 0 ? dt_corpus_clock(corpus, corpus->normals, trace) / usual : 1;
    }
}

static void judge_least_progress(const DtCorpus *corpus, DtEvidence *evidence)
{
    g_autofree double *sorted = g_new(double, (gsize)corpus->traces + 1);
    guint count = 0;
    for (guint trace = 0; trace < corpus->traces; ++trace) {
        if (is_open(&evidence[trace]))
            sorted[count++] = evidence[trace].progress;
    }
    dt_sort(sorted, count);
    if (count == 0 || sorted[count - 1] - sorted[0] <= SAME_PROGRESS)
        return;
    const double least = sorted[0], most = sorted[count - 1];
    for (guint trace = 0; trace < corpus->traces; ++trace) {
        if (!is_open(&evidence[trace]))
            continue;
        guint same = dt_count_near(sorted, count, evidence[trace].progress, SAME_PROGRESS);
        double behind = (most - evidence[trace].progress) / (most - least);
        evidence[trace].feature[DT_FEATURE_PROGRESS] = behind * behind / sqrt(same);
    }
}

/* ---- the majority of a class -------------------------------------------------------------- */

static guint64 library_calls(const DtCorpus *corpus, guint trace)
{
    return dt_sequence_length(&dt_corpus_at(corpus, corpus->normals, trace)->calls->library);
}

/* The number of library calls that most of the group made, of several the first one's; returns how many made it. */
static guint find_usual_calls(const DtCorpus *corpus, const GArray *group, guint64 *usual)
{
    g_autoptr(DtGramMap) numbers = dt_gram_map_new();
    guint64 having = 0;
    for (guint i = 0; i < group->len; ++i)
        dt_gram_map_get(numbers, library_calls(corpus, g_array_index(group, guint, i)))->count++;
    for (guint i = 0; i < numbers->grams->len; ++i) {
        const DtGram *number = dt_gram_map_at(numbers, i);
        if (number->count > having) {
            having = number->count;
            *usual = number->key;
        }
    }
    return (guint)having;
}

/* If most of the group made the same number of library calls, the others share the blame. */
static void judge_group(const DtCorpus *corpus, DtEvidence *evidence, const GArray *group)
{
    guint64 usual = 0;
    guint having = find_usual_calls(corpus, group, &usual);
    if (having < MAJORITY_SHARE * group->len || having == group->len)
        return;
    for (guint i = 0; i < group->len; ++i) {
        guint trace = g_array_index(group, guint, i);
        if (library_calls(corpus, trace) != usual) {
            evidence[trace].usual_calls = (double)usual;
            evidence[trace].feature[DT_FEATURE_MAJORITY] = 1.0 / (group->len - having);
        }
    }
}

static GArray *open_traces(const DtCorpus *corpus, const DtEvidence *evidence, const guint *traces, guint count,
                           gboolean main_only)
{
    GArray *group = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < count; ++i) {
        if (!is_open(&evidence[traces[i]]))
            continue;
        const DtTrace *own = dt_corpus_at(corpus, corpus->normals, traces[i])->trace;
        if (!main_only || dt_thread_kind(own) == DT_THREAD_KIND_MAIN)
            g_array_append_val(group, traces[i]);
    }
    return group;
}

static gint compare_traces(gconstpointer a, gconstpointer b)
{
    guint first = *(const guint *)a, second = *(const guint *)b;
    return first < second ? -1 : first > second;
}

static void judge_majority(const DtCorpus *corpus, DtEvidence *evidence)
{
    enum { LARGE_CLASS = 4, SMALLEST_GROUP = 3 };
    gboolean large = FALSE;
    for (guint c = 0; c < corpus->class_count; ++c) {
        guint size;
        const guint *members = dt_corpus_class(corpus, c, &size);
        g_autoptr(GArray) group = open_traces(corpus, evidence, members, size, FALSE);
        if (group->len >= LARGE_CLASS) {
            large = TRUE;
            judge_group(corpus, evidence, group);
        }
    }
    if (large)
        return;
    gboolean one_process = dt_run_process_count(corpus->faulty_run) == 1;
    g_autoptr(GArray) group = open_traces(corpus, evidence, corpus->by_class, corpus->traces, !one_process);
    g_array_sort(group, compare_traces);
    if (group->len >= SMALLEST_GROUP)
        judge_group(corpus, evidence, group);
}

/* ---- whole processes ---------------------------------------------------------------------------- */

static double mean_entries(const DtCorpus *corpus, guint trace)
{
    g_autofree const DtObservedTrace **references = g_new(const DtObservedTrace *, dt_corpus_max_references(corpus));
    guint count = dt_corpus_references(corpus, corpus->normals, trace, references);
    double sum = 0;
    for (guint i = 0; i < count; ++i)
        sum += (double)dt_sequence_length(&references[i]->calls->entries);
    return count > 0 ? sum / count : 0;
}

/* By process, the mean over its threads of entries / normal entries; -1 if it has no comparable thread; g_free(). */
static double *process_ratios(const DtCorpus *corpus, const DtEvidence *evidence)
{
    guint processes = dt_run_process_count(corpus->faulty_run);
    g_autofree guint *threads = g_new0(guint, (gsize)processes + 1);
    double *ratios = g_new0(double, (gsize)processes + 1);
    for (guint trace = 0; trace < corpus->traces; ++trace) {
        const DtObservedTrace *observed = dt_corpus_at(corpus, corpus->normals, trace);
        double usual = evidence[trace].comparable ? mean_entries(corpus, trace) : 0;
        if (usual <= 0)
            continue;
        ratios[observed->trace->process->index] += (double)dt_sequence_length(&observed->calls->entries) / usual;
        threads[observed->trace->process->index]++;
    }
    for (guint p = 0; p < processes; ++p)
        ratios[p] = threads[p] > 0 ? ratios[p] / threads[p] : -1;
    return ratios;
}

static void spread_to_threads(const DtCorpus *corpus, DtEvidence *evidence, const double *ratios, const double *values)
{
    for (guint trace = 0; trace < corpus->traces; ++trace) {
        if (!evidence[trace].comparable)
            continue;
        guint process = dt_corpus_at(corpus, corpus->normals, trace)->trace->process->index;
        evidence[trace].process_ratio = ratios[process];
        evidence[trace].feature[DT_FEATURE_PROCESS] = values[process];
    }
}

static void judge_processes(const DtCorpus *corpus, DtEvidence *evidence)
{
    enum { FEWEST_PROCESSES = 4 };
    guint processes = dt_run_process_count(corpus->faulty_run), count = 0, high = 0;
    g_autofree double *ratios = process_ratios(corpus, evidence);
    g_autofree double *values = g_new0(double, processes + 1);
    g_autofree double *sorted = g_new0(double, processes + 1);
    for (guint p = 0; p < processes; ++p) {
        if (ratios[p] >= 0)
            sorted[count++] = ratios[p];
    }
    if (count < FEWEST_PROCESSES)
        return;
    double median = dt_median(sorted, count), largest = 0;
    for (guint i = 0; i < count; ++i)
        sorted[i] = fabs(sorted[i] - median);
    double spread = dt_median(sorted, count);
    for (guint p = 0; p < processes; ++p) {
        values[p] = ratios[p] < 0 ? 0 : MAX(0, fabs(ratios[p] - median) - 3 * spread - 0.02);
        largest = MAX(largest, values[p]);
    }
    for (guint p = 0; p < processes; ++p)
        high += values[p] > largest / 2;
    for (guint p = 0; p < processes; ++p)
        values[p] = high > 0 ? values[p] / (largest + 0.05) / high : 0;
    spread_to_threads(corpus, evidence, ratios, values);
}

/* Without normal runs: traces that finished early while the run did not. */
static void judge_early_finish(const DtCorpus *corpus, DtEvidence *evidence)
{
    static const double NEARLY_ALL = 0.9;
    guint count = 0;
    for (guint pass = 0; pass < 2; ++pass) {
        for (guint trace = 0; trace < corpus->traces; ++trace) {
            if (!evidence[trace].comparable || !evidence[trace].ending.finished ||
                evidence[trace].progress >= NEARLY_ALL)
                continue;
            if (pass == 0)
                ++count;
            else
                evidence[trace].feature[DT_FEATURE_EARLY_FINISH] = (1 - evidence[trace].progress) / count;
        }
    }
}

void dt_judge_progress(const DtCorpus *corpus, DtEvidence *evidence)
{
    measure_progress(corpus, evidence);
    if (corpus->normals > 0)
        judge_processes(corpus, evidence);
    if (!dt_run_unfinished(corpus, evidence))
        return;
    judge_least_progress(corpus, evidence);
    judge_majority(corpus, evidence);
    judge_early_finish(corpus, evidence);
}
