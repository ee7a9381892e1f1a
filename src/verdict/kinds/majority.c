/*
 * Majority: whose count of library calls is out of line with its class, in a run
 * that hangs.
 */
#include "verdict/evidence.h"

static const double MAJORITY_SHARE = 0.6;

static guint64 library_calls(const DtCorpus *corpus, guint trace)
{
    return dt_sequence_length(&dt_corpus_at(corpus, corpus->normals, trace)->calls->library);
}

/* The number of library calls that most of the group made, of several the first one's; returns how many made it. */
static guint find_usual_calls(const DtCorpus *corpus, const GArray *group, guint64 *usual)
{
    g_autoptr(DtGramMap) numbers = dt_gram_map_new();
    guint64 having = 0;
    for (guint i = 0; i < group->len; i++)
        dt_gram_map_get(numbers, library_calls(corpus, g_array_index(group, guint, i)))->count++;
    for (guint i = 0; i < numbers->grams->len; i++) {
        const DtGram *number = dt_gram_map_at(numbers, i);
        if (number->count > having) {
            having = number->count;
            *usual = number->key;
        }
    }
    return (guint)having;
}

/* If most of the group made the same number of library calls, the others share the blame. */
static void judge_group(const DtCorpus *corpus, const GArray *group, DtFinding *findings)
{
    guint64 usual = 0;
    guint having = find_usual_calls(corpus, group, &usual);
    if (having < MAJORITY_SHARE * group->len || having == group->len)
        return;
    for (guint i = 0; i < group->len; i++) {
        guint trace = g_array_index(group, guint, i);
        guint64 calls = library_calls(corpus, trace);
        if (calls != usual)
            findings[trace] =
                (DtFinding){.value = 1.0 / (group->len - having), .own = (double)calls, .usual = (double)usual};
    }
}

static GArray *open_traces(const DtCorpus *corpus, const DtEvidence *evidence, const guint *traces, guint count,
                           gboolean main_only)
{
    GArray *group = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < count; i++) {
        if (!dt_is_open(&evidence[traces[i]]))
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

static void judge_majority(const DtCase *own, DtFinding *findings)
{
    enum { LARGE_CLASS = 4, SMALLEST_GROUP = 3 };
    const DtCorpus *corpus = own->corpus;
    gboolean large = FALSE;
    for (guint c = 0; own->unfinished && c < corpus->class_count; c++) {
        guint size;
        const guint *members = dt_corpus_class(corpus, c, &size);
        g_autoptr(GArray) group = open_traces(corpus, own->evidence, members, size, FALSE);
        if (group->len >= LARGE_CLASS) {
            large = TRUE;
            judge_group(corpus, group, findings);
        }
    }
    if (large || !own->unfinished)
        return;
    gboolean one_process = dt_run_process_count(corpus->faulty_run) == 1;
    g_autoptr(GArray) group = open_traces(corpus, own->evidence, corpus->by_class, corpus->traces, !one_process);
    g_array_sort(group, compare_traces);
    if (group->len >= SMALLEST_GROUP)
        judge_group(corpus, group, findings);
}

static char *tell_majority(const DtCase *own, guint trace)
{
    const DtFinding *finding = &own->evidence[trace].findings[DT_EVIDENCE_MAJORITY];
    return g_strdup_printf("%.0f library calls where most of its kind made %.0f", finding->own, finding->usual);
}

const DtEvidenceKind dt_kind_majority = {
    .name = "majority", .weight = 1, .weight_alone = 1, .judge = judge_majority, .tell = tell_majority};
