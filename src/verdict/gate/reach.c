#include "verdict/gate/reach.h"

#include "decoder/status.h"
#include "verdict/observed/reduction.h"

gboolean dt_was_cut_off(const DtRun *run)
{
    guint moving = 0, processes = 0;
    if (!dt_run_manifest(run)->timed_out)
        return FALSE;
    g_autofree gboolean *moved = dt_moved_traces(run);
    for (guint t = 0; t < dt_run_trace_count(run); t++) {
        const DtTrace *trace = dt_run_trace(run, t);
        processes += !trace->library && trace->thread == 0 ? 1 : 0;
        moving += !trace->library && trace->thread == 0 && moved[t] ? 1 : 0;
    }
    return 2 * moving > processes;
}

/* ---- which traces had not come to their ends -------------------------------------------------------- */

static DtProcessStatus *statuses_of(const DtRun *run, const GPtrArray *traces)
{
    g_autofree const GArray **open = g_new0(const GArray *, (gsize)dt_run_trace_count(run) + 1);
    g_autofree gboolean *moved = dt_moved_traces(run);
    for (guint t = 0; t < traces->len; t++) {
        const DtObservedTrace *observed = traces->pdata[t];
        open[observed->trace->index] = observed->calls->open;
    }
    return dt_process_statuses(run, open, moved);
}

/* The labels of those that wait for each other (set of strings). */
static GHashTable *deadlocked_labels(const DtWaitFor *waits)
{
    GHashTable *labels = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; waits && i < waits->cycles->len; i++) {
        const GArray *cycle = waits->cycles->pdata[i];
        for (guint k = 0; k < cycle->len; k++)
            g_hash_table_add(
                labels, (gpointer)((DtWaiter *)waits->waiters->pdata[g_array_index(cycle, guint, k)])->trace->label);
    }
    return labels;
}

/* Marks those that the time limit ended. */
static void mark_cut_off(const DtRun *run, const GPtrArray *traces, const DtWaitFor *waits)
{
    DtProcessStatus *statuses = statuses_of(run, traces);
    g_autoptr(GHashTable) deadlocked = deadlocked_labels(waits);
    for (guint t = 0; t < traces->len; t++) {
        DtObservedTrace *observed = traces->pdata[t];
        const DtStatus status = statuses[observed->trace->process->index].status;
        observed->cut_off = !observed->trace->returned && (status == DT_STATUS_RUNNING || status == DT_STATUS_STUCK) &&
                            !g_hash_table_contains(deadlocked, observed->trace->label);
    }
    dt_process_statuses_free(statuses, run);
}

/* ---- how far they came ------------------------------------------------------------------------------- */

static guint64 length_of(const DtObservedTrace *observed)
{
    return dt_sequence_length(&observed->calls->entries);
}

static void limit(GHashTable *entries, const char *label, guint64 length)
{
    const guint64 *known = g_hash_table_lookup(entries, label);
    if (!known || length < *known)
        g_hash_table_insert(entries, (gpointer)label, g_memdup2(&length, sizeof length));
}

/* By a run that was cut off: its traces, and those that it had not come to. */
static void limit_by_run(DtReach *reach, const DtObservations *observations, guint run)
{
    const GPtrArray *own = observations->runs->pdata[run];
    g_autoptr(GHashTable) labels = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint t = 0; t < own->len; t++) {
        const DtObservedTrace *observed = own->pdata[t];
        g_hash_table_add(labels, (gpointer)observed->trace->label);
        if (observed->cut_off)
            limit(reach->entries, observed->trace->label, length_of(observed));
    }
    for (guint other = 0; other < observations->runs->len; other++) {
        const GPtrArray *traces = observations->runs->pdata[other];
        for (guint t = 0; t < traces->len; t++) {
            const char *label = ((const DtObservedTrace *)traces->pdata[t])->trace->label;
            if (!g_hash_table_contains(labels, label))
                limit(reach->entries, label, 0);
        }
    }
}

static gint ranks_of(const DtRun *run)
{
    gint ranks = -1;
    for (guint i = 0; i < dt_run_process_count(run); i++)
        ranks = MAX(ranks, dt_run_process(run, i)->world_size);
    return ranks;
}

/* With other numbers of ranks a label means nothing. */
static gboolean labels_tell(const DtReach *reach, const DtRun *faulty)
{
    for (guint i = 0; i < reach->normals->len; i++)
        if (ranks_of(reach->normals->pdata[i]) != ranks_of(faulty))
            return FALSE;
    return reach->normals->len > 0;
}

static void add_up(DtReach *reach, const GPtrArray *traces)
{
    guint64 compared = 0, all = 0;
    for (guint t = 0; t < traces->len; t++) {
        const DtObservedTrace *observed = traces->pdata[t];
        const guint64 *entries = g_hash_table_lookup(reach->entries, observed->trace->label);
        all += length_of(observed);
        compared += entries ? MIN(*entries, length_of(observed)) : length_of(observed);
    }
    if (all < reach->most)
        return;
    reach->most = all;
    reach->compared = compared;
}

/* ---- all together ------------------------------------------------------------------------------------- */

static void find_cut_off(DtReach *reach, const GPtrArray *normals)
{
    reach->given = normals->len;
    reach->is_left_out = g_new0(gboolean, (gsize)normals->len + 1);
    for (guint i = 0; i < normals->len; i++) {
        reach->is_left_out[i] = dt_was_cut_off(normals->pdata[i]);
        reach->cut_off += reach->is_left_out[i] ? 1 : 0;
    }
    const gboolean none_is_whole = reach->cut_off == normals->len;
    for (guint i = 0; i < normals->len; i++) {
        reach->is_left_out[i] = reach->is_left_out[i] && !none_is_whole;
        if (!reach->is_left_out[i])
            g_ptr_array_add(reach->normals, normals->pdata[i]);
    }
}

static void find_limits(DtReach *reach, const GPtrArray *normals, const DtObservations *observations,
                        const DtWaitFor *waits)
{
    const gboolean normals_are = reach->cut_off == normals->len;
    for (guint run = 0; run <= normals->len; run++) {
        const gboolean is_faulty = run == normals->len;
        if (!(is_faulty ? reach->faulty : normals_are))
            continue;
        const GPtrArray *traces = observations->runs->pdata[run];
        if (traces->len > 0)
            mark_cut_off(((const DtObservedTrace *)traces->pdata[0])->run, traces, is_faulty ? waits : NULL);
        limit_by_run(reach, observations, run);
    }
    for (guint run = 0; run <= normals->len; run++)
        if (run == normals->len || !reach->is_left_out[run])
            add_up(reach, observations->runs->pdata[run]);
    reach->limited = g_hash_table_size(reach->entries) > 0;
}

DtReach *dt_reach_new(const GPtrArray *normals, const DtRun *faulty, const DtObservations *observations,
                      const DtWaitFor *waits)
{
    DtReach *reach = g_new0(DtReach, 1);
    reach->normals = g_ptr_array_new();
    reach->entries = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
    reach->faulty = dt_was_cut_off(faulty);
    find_cut_off(reach, normals);
    if (labels_tell(reach, faulty))
        find_limits(reach, normals, observations, waits);
    return reach;
}

void dt_reach_free(DtReach *reach)
{
    if (!reach)
        return;
    g_ptr_array_unref(reach->normals);
    g_free(reach->is_left_out);
    g_hash_table_unref(reach->entries);
    g_free(reach);
}

void dt_reach_apply(const DtReach *reach, DtObservations *observations)
{
    for (guint run = reach->given; run-- > 0;)
        if (reach->is_left_out[run])
            g_ptr_array_remove_index(observations->runs, run);
    if (reach->limited)
        dt_observations_shorten(observations, reach->entries);
}
