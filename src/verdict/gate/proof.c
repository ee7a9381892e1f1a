#include "verdict/gate/proof.h"

/* Of a run whose traces end as they do normally the graph says nothing. */
static gboolean *find_deadlocked(const DtJudgement *judgement)
{
    const guint traces = judgement->names->traces;
    gboolean *marked = g_new0(gboolean, (gsize)traces + 1);
    g_autoptr(GHashTable) members = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; judgement->waits && i < judgement->waits->cycles->len; i++) {
        const GArray *cycle = judgement->waits->cycles->pdata[i];
        for (guint k = 0; k < cycle->len; k++) {
            const DtWaiter *waiter = judgement->waits->waiters->pdata[g_array_index(cycle, guint, k)];
            g_hash_table_add(members, (gpointer)waiter->trace->label);
        }
    }
    for (guint trace = 0; trace < traces; trace++)
        marked[trace] = judgement->by_names[trace].ending.open &&
                        g_hash_table_contains(members, g_ptr_array_index(judgement->names->labels, trace));
    return marked;
}

/* What MPI ends because of an error may be the fault of another rank. */
static gboolean *find_dead(const DtJudgement *judgement)
{
    const guint traces = judgement->names->traces;
    gboolean *marked = g_new0(gboolean, (gsize)traces + 1);
    for (guint trace = 0; trace < traces; trace++) {
        const DtTraceEnding *ending = &judgement->by_names[trace].ending;
        marked[trace] = ending->died && (ending->process_crashed || ending->ends_in);
    }
    return marked;
}

/* Processes or, where there is only one, threads. */
static gboolean are_few(const DtJudgement *judgement, const gboolean *marked)
{
    const DtCorpus *corpus = judgement->names;
    const gboolean by_process = dt_run_process_count(corpus->faulty_run) > 1;
    g_autoptr(GHashTable) all = g_hash_table_new(NULL, NULL), some = g_hash_table_new(NULL, NULL);
    for (guint trace = 0; trace < corpus->traces; trace++) {
        const DtObservedTrace *observed = dt_corpus_at(corpus, corpus->normals, trace);
        if (!observed)
            continue;
        gpointer unit = by_process ? (gpointer)observed->trace->process : (gpointer)observed->trace;
        g_hash_table_add(all, unit);
        if (marked[trace])
            g_hash_table_add(some, unit);
    }
    const guint count = g_hash_table_size(some);
    return count == 1 || 2 * count <= g_hash_table_size(all);
}

gboolean *dt_proofs_new(const DtJudgement *judgement)
{
    g_autofree gboolean *dead = find_dead(judgement), *deadlocked = find_deadlocked(judgement);
    const gboolean few_died = are_few(judgement, dead), few_are_deadlocked = are_few(judgement, deadlocked);
    gboolean *proved = g_new0(gboolean, (gsize)judgement->names->traces + 1);
    for (guint trace = 0; trace < judgement->names->traces; trace++)
        proved[trace] = (few_died && dead[trace]) || (few_are_deadlocked && deadlocked[trace]);
    return proved;
}

/* It was ended from outside, and nobody in it got on any more. */
static gboolean has_hung(const DtJudgement *judgement)
{
    const DtManifest *manifest = dt_run_manifest(judgement->names->faulty_run);
    gboolean any = FALSE;
    for (guint trace = 0; trace < judgement->names->traces; trace++) {
        const DtTraceEnding *ending = &judgement->by_names[trace].ending;
        if (ending->open && ending->moves)
            return FALSE;
        any = any || ending->open;
    }
    return any && (manifest->timed_out || manifest->stuck);
}

gboolean dt_run_failed(const DtJudgement *judgement)
{
    g_autofree gboolean *deadlocked = find_deadlocked(judgement);
    for (guint trace = 0; trace < judgement->names->traces; trace++) {
        const DtTraceEnding *ending = &judgement->by_names[trace].ending;
        if (ending->died || ending->failed || deadlocked[trace])
            return TRUE;
    }
    return has_hung(judgement);
}
