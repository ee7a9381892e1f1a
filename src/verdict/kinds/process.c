/*
 * Process: which process did more or less than usual, by all of its threads.
 */
#include <math.h>

#include "base/numbers.h"
#include "verdict/evidence.h"

static double mean_entries(const DtCorpus *corpus, guint trace)
{
    g_autofree const DtObservedTrace **references = g_new(const DtObservedTrace *, dt_corpus_max_references(corpus));
    guint count = dt_corpus_references(corpus, corpus->normals, trace, references);
    double sum = 0;
    for (guint i = 0; i < count; i++)
        sum += (double)dt_sequence_length(&references[i]->calls->entries);
    return count > 0 ? sum / count : 0;
}

/* By process, the mean over its threads of entries / normal entries; -1 if it has no comparable thread; g_free(). */
static double *process_ratios(const DtCorpus *corpus, const DtEvidence *evidence)
{
    guint processes = dt_run_process_count(corpus->faulty_run);
    g_autofree guint *threads = g_new0(guint, (gsize)processes + 1);
    double *ratios = g_new0(double, (gsize)processes + 1);
    for (guint trace = 0; trace < corpus->traces; trace++) {
        const DtObservedTrace *observed = dt_corpus_at(corpus, corpus->normals, trace);
        double usual = evidence[trace].comparable ? mean_entries(corpus, trace) : 0;
        if (usual <= 0)
            continue;
        ratios[observed->trace->process->index] += (double)dt_sequence_length(&observed->calls->entries) / usual;
        threads[observed->trace->process->index]++;
    }
    for (guint p = 0; p < processes; p++)
        ratios[p] = threads[p] > 0 ? ratios[p] / threads[p] : -1;
    return ratios;
}

static void spread_to_threads(const DtCase *own, const double *ratios, const double *values, DtFinding *findings)
{
    for (guint trace = 0; trace < own->corpus->traces; trace++) {
        if (!own->evidence[trace].comparable)
            continue;
        guint process = dt_corpus_at(own->corpus, own->corpus->normals, trace)->trace->process->index;
        findings[trace] = (DtFinding){.value = values[process], .own = ratios[process]};
    }
}

static void judge_process(const DtCase *own, DtFinding *findings)
{
    enum { FEWEST_PROCESSES = 4 };
    guint processes = dt_run_process_count(own->corpus->faulty_run), count = 0, high = 0;
    if (own->corpus->normals == 0)
        return;
    g_autofree double *ratios = process_ratios(own->corpus, own->evidence);
    g_autofree double *values = g_new0(double, processes + 1);
    g_autofree double *sorted = g_new0(double, processes + 1);
    for (guint p = 0; p < processes; p++) {
        if (ratios[p] >= 0)
            sorted[count++] = ratios[p];
    }
    if (count < FEWEST_PROCESSES)
        return;
    double median = dt_median(sorted, count), largest = 0;
    for (guint i = 0; i < count; i++)
        sorted[i] = fabs(sorted[i] - median);
    double spread = dt_median(sorted, count);
    for (guint p = 0; p < processes; p++) {
        values[p] = ratios[p] < 0 ? 0 : MAX(0, fabs(ratios[p] - median) - 3 * spread - 0.02);
        largest = MAX(largest, values[p]);
    }
    for (guint p = 0; p < processes; p++)
        high += values[p] > largest / 2;
    for (guint p = 0; p < processes; p++)
        values[p] = high > 0 ? values[p] / (largest + 0.05) / high : 0;
    spread_to_threads(own, ratios, values, findings);
}

static char *tell_process(const DtCase *own, guint trace)
{
    return g_strdup_printf("its process made %.0f %% of normal",
                           100 * own->evidence[trace].findings[DT_EVIDENCE_PROCESS].own);
}

const DtEvidenceKind dt_kind_process = {.name = "process", .weight = 1, .judge = judge_process, .tell = tell_process};
