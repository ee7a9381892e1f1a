/*
 * End state: which traces finished as they do normally, which wait, which ended
 * their process or died, and which stopped outside any waiting call.
 */
#include "decoder/status.h"
#include "verdict/evidence.h"

static guint kind_of(const DtCorpus *corpus, guint32 function)
{
    return corpus->kinds[function];
}

static guint32 open_call(const DtObservedTrace *observed, guint index)
{
    return g_array_index(observed->calls->open, guint32, index);
}

/* Length of the common outermost part of the two final stacks. */
static guint common_frames(const DtObservedTrace *a, const DtObservedTrace *b)
{
    guint shorter = MIN(a->calls->open->len, b->calls->open->len), common = 0;
    while (common < shorter && open_call(a, common) == open_call(b, common))
        ++common;
    return common;
}

static gboolean same_stack(const DtObservedTrace *a, const DtObservedTrace *b)
{
    return a->calls->open->len == b->calls->open->len && common_frames(a, b) == a->calls->open->len;
}

/* The last symbol of a trace; FALSE if it has none. */
static gboolean last_symbol(const DtObservedTrace *observed, guint32 *symbol)
{
    const DtSequence *entries = &observed->calls->entries;
    guint64 length = dt_sequence_length(entries);
    if (length > 0)
        *symbol = dt_sequence_at(entries, length - 1);
    return length > 0;
}

/* Both end with a call that they make only once, such as MPI_Finalize. */
static gboolean same_last_act(const DtObservedTrace *a, const DtObservedTrace *b)
{
    guint32 last, other;
    return last_symbol(a, &last) && last_symbol(b, &other) && last == other &&
           dt_gram_map_find(a->calls->grams, dt_gram_single(last))->count == 1;
}

static gboolean died_of_own_signal(const DtProcess *process)
{
    return process->end == DT_END_SIGNAL && dt_is_own_signal(process->status);
}

static gboolean ends_as(const DtObservedTrace *observed, const DtObservedTrace *normal)
{
    if (!same_stack(observed, normal))
        return FALSE;
    if (observed->trace->returned || observed->trace->process->end == normal->trace->process->end)
        return TRUE;
    if (died_of_own_signal(observed->trace->process))
        return FALSE;
    gboolean worker_at_rest = dt_thread_kind(observed->trace) != DT_THREAD_KIND_MAIN && observed->calls->open->len > 0;
    return worker_at_rest || dt_sequence_equal(&observed->calls->entries, &normal->calls->entries) ||
           same_last_act(observed, normal);
}

static gboolean ends_well_alone(const DtCorpus *corpus, const DtObservedTrace *observed)
{
    const DtProcess *process = observed->trace->process;
    gboolean is_complete = !process->called_mpi_init || process->called_mpi_finalize;
    if (observed->trace->returned || (process->end == DT_END_EXITED && process->status == 0 && is_complete))
        return TRUE;
    if (observed->calls->open->len > 0 || died_of_own_signal(process))
        return FALSE;
    const char *last =
        observed->calls->last_entry ? dt_functions_get(corpus->functions, observed->calls->last_entry)->name : "";
    return process->end == DT_END_RUNNING || g_str_equal(last, "MPI_Finalize");
}

static gboolean ends_well(const DtCorpus *corpus, const DtObservedTrace *observed, const DtObservedTrace **normals,
                          guint count)
{
    /* The recording, or the run, ended before the trace did. */
    if (observed->calls->problem || observed->trace->process->stopped || observed->cut_off)
        return TRUE;
    if (corpus->normals == 0 || count == 0)
        return ends_well_alone(corpus, observed);
    gboolean ends_are_known = TRUE;
    for (guint i = 0; i < count; i++) {
        if (!normals[i]->cut_off && ends_as(observed, normals[i]))
            return TRUE;
        ends_are_known = ends_are_known && !normals[i]->cut_off;
    }
    return !ends_are_known && ends_well_alone(corpus, observed);
}

/* The blocking call that the trace ends in; one that runs a region itself only waits when nothing is open inside. */
static guint32 find_wait(const DtCorpus *corpus, const DtObservedTrace *observed)
{
    for (guint i = observed->calls->open->len; i > 0; --i) {
        guint kind = kind_of(corpus, open_call(observed, i - 1));
        gboolean innermost = i == observed->calls->open->len;
        if ((kind & DT_KIND_BLOCKING) && (innermost || !(kind & DT_KIND_JOINING)))
            return open_call(observed, i - 1);
    }
    return 0;
}

/* The outermost call that ends the process, unless normal traces end in it too. */
static guint32 find_ending_call(const DtCorpus *corpus, const DtObservedTrace *observed,
                                const DtObservedTrace **normals, guint count)
{
    guint usual = 0;
    for (guint i = 0; corpus->normals > 0 && i < count; i++)
        usual = MAX(usual, common_frames(observed, normals[i]));
    for (guint i = usual; i < observed->calls->open->len; i++) {
        if (kind_of(corpus, open_call(observed, i)) & DT_KIND_ENDING)
            return open_call(observed, i);
    }
    return 0;
}

static gboolean all_normal_processes(const DtObservedTrace **normals, guint count, DtEnd end, gint status)
{
    for (guint i = 0; i < count; i++) {
        const DtProcess *process = normals[i]->trace->process;
        if (process->end != end || process->status != status)
            return FALSE;
    }
    return TRUE;
}

static DtTraceEnding find_ending(const DtCorpus *corpus, const DtObservedTrace *observed,
                                 const DtObservedTrace **normals, guint count)
{
    const DtProcess *process = observed->trace->process;
    guint compared = corpus->normals > 0 ? count : 0;
    guint depth = observed->calls->open->len;
    DtTraceEnding ending = {0};
    ending.finished = ends_well(corpus, observed, normals, count);
    ending.innermost = depth > 0 ? open_call(observed, depth - 1) : 0;
    ending.process_crashed = died_of_own_signal(process) &&
                             (compared == 0 || !all_normal_processes(normals, compared, process->end, process->status));
    ending.failed = dt_thread_kind(observed->trace) == DT_THREAD_KIND_MAIN && process->end == DT_END_EXITED &&
                    process->status != 0 && all_normal_processes(normals, compared, DT_END_EXITED, 0);
    ending.cut_off = observed->cut_off;
    if (ending.finished)
        return ending;
    ending.waits_in = find_wait(corpus, observed);
    ending.ends_in = find_ending_call(corpus, observed, normals, count);
    gboolean joins = depth > 0 && (kind_of(corpus, ending.innermost) & DT_KIND_JOINING);
    /* A thread of a pool with nothing open is at rest. */
    ending.open = !joins && (depth > 0 || dt_thread_kind(observed->trace) == DT_THREAD_KIND_MAIN);
    return ending;
}

static gboolean was_hit(const DtObservedTrace *observed)
{
    return observed->trace->fatal_signal != 0 && !observed->trace->fatal_sent;
}

/* The signal hit one thread; the others of its process went along. */
static void tell_hit_threads(const DtCorpus *corpus, DtEvidence *evidence)
{
    g_autofree gboolean *known = g_new0(gboolean, (gsize)dt_run_process_count(corpus->faulty_run) + 1);
    for (guint trace = 0; trace < corpus->traces; trace++) {
        const DtObservedTrace *observed = dt_corpus_at(corpus, corpus->normals, trace);
        if (observed && evidence[trace].ending.process_crashed && was_hit(observed))
            known[observed->trace->process->index] = TRUE;
    }
    for (guint trace = 0; trace < corpus->traces; trace++) {
        const DtObservedTrace *observed = dt_corpus_at(corpus, corpus->normals, trace);
        DtTraceEnding *ending = &evidence[trace].ending;
        if (!observed || !ending->process_crashed || !known[observed->trace->process->index])
            continue;
        ending->hit = was_hit(observed);
        ending->went_along = !ending->hit;
        ending->process_crashed = ending->hit;
    }
}

gboolean dt_ends_in_poll(const DtCorpus *corpus, guint trace)
{
    const DtObservedTrace *observed = dt_corpus_at(corpus, corpus->normals, trace);
    return observed->calls->last_entry && (kind_of(corpus, observed->calls->last_entry) & DT_KIND_POLLING);
}

/* What the threads of a process were at when it died. */
typedef struct {
    gboolean active; /* one of them did not wait */
    gboolean ended;  /* one of them ended the process: the others went with it */
} LastActs;

/* By process; g_free(). */
static LastActs *last_acts(const DtCorpus *corpus, const DtEvidence *evidence)
{
    LastActs *acts = g_new0(LastActs, (gsize)dt_run_process_count(corpus->faulty_run) + 1);
    for (guint trace = 0; trace < corpus->traces; trace++) {
        const DtObservedTrace *observed = dt_corpus_at(corpus, corpus->normals, trace);
        const DtTraceEnding *ending = &evidence[trace].ending;
        if (!observed)
            continue;
        LastActs *own = &acts[observed->trace->process->index];
        own->active = own->active || (ending->open && !ending->waits_in);
        own->ended = own->ended || ending->ends_in;
    }
    return acts;
}

static gboolean has_died(const DtTraceEnding *ending, const LastActs *process)
{
    if (ending->hit)
        return TRUE;
    if (!ending->open || ending->went_along)
        return FALSE;
    if (ending->ends_in || ending->left)
        return TRUE;
    return ending->process_crashed && !process->ended && (!ending->waits_in || !process->active);
}

static void find_dead(const DtCorpus *corpus, DtEvidence *evidence)
{
    g_autofree LastActs *acts = last_acts(corpus, evidence);
    for (guint trace = 0; trace < corpus->traces; trace++) {
        const DtObservedTrace *observed = dt_corpus_at(corpus, corpus->normals, trace);
        if (observed)
            evidence[trace].ending.died = has_died(&evidence[trace].ending, &acts[observed->trace->process->index]);
    }
}

/* What the process tells of its threads: who got on, and whose process left the others. */
static void add_processes(const DtCorpus *corpus, DtEvidence *evidence)
{
    const DtRun *run = corpus->faulty_run;
    g_autofree const GArray **open = g_new0(const GArray *, (gsize)dt_run_trace_count(run) + 1);
    g_autofree gboolean *moved = dt_moved_traces(run);
    for (guint trace = 0; trace < corpus->traces; trace++) {
        const DtObservedTrace *observed = dt_corpus_at(corpus, corpus->normals, trace);
        if (observed)
            open[observed->trace->index] = observed->calls->open;
    }
    DtProcessStatus *statuses = dt_process_statuses(run, open, moved);
    for (guint trace = 0; trace < corpus->traces; trace++) {
        const DtObservedTrace *observed = dt_corpus_at(corpus, corpus->normals, trace);
        DtTraceEnding *ending = &evidence[trace].ending;
        if (!observed || !ending->open)
            continue;
        const DtProcessStatus *process = &statuses[observed->trace->process->index];
        ending->moves = moved[observed->trace->index];
        ending->left = process->left_others && process->status != DT_STATUS_CRASHED &&
                       dt_thread_kind(observed->trace) == DT_THREAD_KIND_MAIN;
        ending->process = process->status;
        g_strlcpy(ending->end, process->text, sizeof ending->end);
    }
    dt_process_statuses_free(statuses, run);
}

void dt_find_endings(const DtCorpus *corpus, DtEvidence *evidence)
{
    g_autofree const DtObservedTrace **references = g_new(const DtObservedTrace *, dt_corpus_max_references(corpus));
    for (guint trace = 0; trace < corpus->traces; trace++) {
        const DtObservedTrace *observed = dt_corpus_at(corpus, corpus->normals, trace);
        if (!observed)
            continue;
        guint count = corpus->normals > 0 ? dt_corpus_normal_references(corpus, trace, references)
                                          : dt_corpus_references(corpus, 0, trace, references);
        evidence[trace].ending = find_ending(corpus, observed, references, count);
    }
    tell_hit_threads(corpus, evidence);
    add_processes(corpus, evidence);
    find_dead(corpus, evidence);
}

gboolean dt_run_unfinished(const DtCorpus *corpus, const DtEvidence *evidence)
{
    for (guint trace = 0; trace < corpus->traces; trace++) {
        if (evidence[trace].present && evidence[trace].ending.open)
            return TRUE;
    }
    return FALSE;
}

gboolean dt_somebody_died(const DtCase *own)
{
    for (guint trace = 0; trace < own->corpus->traces; trace++) {
        if (own->evidence[trace].ending.died)
            return TRUE;
    }
    return FALSE;
}
