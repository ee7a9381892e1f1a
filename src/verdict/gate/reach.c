#include "verdict/gate/reach.h"

#include "decoder/status.h"
#include "verdict/observed/reduction.h"

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

/* The labels of those that the time limit ended (set of strings). */
static GHashTable *find_ended(const DtRun *run, const GPtrArray *traces, const DtWaitFor *waits)
{
    DtProcessStatus *statuses = statuses_of(run, traces);
    g_autoptr(GHashTable) deadlocked = deadlocked_labels(waits);
    GHashTable *ended = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint t = 0; t < traces->len; t++) {
        const DtTrace *trace = ((const DtObservedTrace *)traces->pdata[t])->trace;
        const DtStatus status = statuses[trace->process->index].status;
        if (!trace->returned && (status == DT_STATUS_RUNNING || status == DT_STATUS_STUCK) &&
            !g_hash_table_contains(deadlocked, trace->label))
            g_hash_table_add(ended, (gpointer)trace->label);
    }
    dt_process_statuses_free(statuses, run);
    return ended;
}

static GHashTable *labels_of(const GPtrArray *traces)
{
    GHashTable *labels = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint t = 0; t < traces->len; t++)
        g_hash_table_add(labels, (gpointer)((const DtObservedTrace *)traces->pdata[t])->trace->label);
    return labels;
}

static void find_absent(DtReach *reach, const DtObservations *observations, guint run)
{
    g_autoptr(GHashTable) own = labels_of(observations->runs->pdata[run]);
    for (guint other = 0; other < observations->runs->len; other++) {
        const GPtrArray *traces = observations->runs->pdata[other];
        for (guint t = 0; t < traces->len; t++) {
            const char *label = ((const DtObservedTrace *)traces->pdata[t])->trace->label;
            if (!g_hash_table_contains(own, label))
                g_hash_table_add(reach->absent, (gpointer)label);
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

/* ---- which runs ------------------------------------------------------------------------------------- */

static void find_cut_off(DtReach *reach, const GPtrArray *normals)
{
    reach->given = normals->len;
    reach->is_left_out = g_new0(gboolean, (gsize)normals->len + 1);
    for (guint i = 0; i < normals->len; i++) {
        reach->is_left_out[i] = dt_run_was_cut_off(normals->pdata[i]);
        reach->cut_off += reach->is_left_out[i] ? 1 : 0;
    }
    const gboolean none_is_whole = reach->cut_off == normals->len;
    for (guint i = 0; i < normals->len; i++) {
        reach->is_left_out[i] = reach->is_left_out[i] && !none_is_whole;
        if (!reach->is_left_out[i])
            g_ptr_array_add(reach->normals, normals->pdata[i]);
    }
}

static void find_limits(DtReach *reach, const GPtrArray *normals, const DtRun *faulty,
                        const DtObservations *observations, const DtWaitFor *waits)
{
    const gboolean by_normals = reach->cut_off == normals->len;
    for (guint run = 0; run <= normals->len; run++) {
        const gboolean is_faulty = run == normals->len;
        if (!(is_faulty ? reach->faulty : by_normals))
            continue;
        reach->ended[run] = find_ended(is_faulty ? faulty : normals->pdata[run], observations->runs->pdata[run],
                                       is_faulty ? waits : NULL);
        find_absent(reach, observations, run);
        reach->limited = TRUE;
    }
}

/* ---- how far ------------------------------------------------------------------------------------------ */

/* Of each run; g_free(). */
static guint64 *count_entries(const DtObservations *observations)
{
    guint64 *counts = g_new0(guint64, (gsize)observations->runs->len + 1);
    for (guint run = 0; run < observations->runs->len; run++) {
        const GPtrArray *traces = observations->runs->pdata[run];
        for (guint t = 0; t < traces->len; t++)
            counts[run] += dt_sequence_length(&((const DtObservedTrace *)traces->pdata[t])->calls->entries);
    }
    return counts;
}

static void leave_runs_out(const DtReach *reach, DtObservations *observations)
{
    for (guint run = reach->given; run-- > 0;)
        if (reach->is_left_out[run])
            g_ptr_array_remove_index(observations->runs, run);
}

static void mark_traces(const DtReach *reach, DtObservations *observations)
{
    for (guint run = 0; run < observations->runs->len; run++) {
        GPtrArray *traces = observations->runs->pdata[run];
        GHashTable *ended = reach->ended[run];
        for (guint t = traces->len; t-- > 0;) {
            DtObservedTrace *observed = traces->pdata[t];
            observed->cut_off = ended && g_hash_table_contains(ended, observed->trace->label);
            if (g_hash_table_contains(reach->absent, observed->trace->label))
                g_ptr_array_remove_index(traces, t);
        }
    }
}

void dt_reach_apply(const DtReach *reach, DtObservations *observations)
{
    if (reach->limited)
        mark_traces(reach, observations);
    leave_runs_out(reach, observations);
    dt_observations_shorten(observations);
}

DtReach *dt_reach_new(const GPtrArray *normals, const DtRun *faulty, DtObservations *observations,
                      const DtWaitFor *waits)
{
    DtReach *reach = g_new0(DtReach, 1);
    reach->normals = g_ptr_array_new();
    reach->ended = g_new0(GHashTable *, (gsize)normals->len + 1);
    reach->absent = g_hash_table_new(g_str_hash, g_str_equal);
    reach->faulty = dt_run_was_cut_off(faulty);
    find_cut_off(reach, normals);
    if (labels_tell(reach, faulty))
        find_limits(reach, normals, faulty, observations, waits);
    g_autofree guint64 *all = count_entries(observations);
    dt_reach_apply(reach, observations);
    g_autofree guint64 *compared = count_entries(observations);
    for (guint run = 0, kept = 0; run <= reach->given; run++) {
        if (run < reach->given && reach->is_left_out[run])
            continue;
        if (all[run] >= reach->most) {
            reach->most = all[run];
            reach->compared = compared[kept];
        }
        kept++;
    }
    return reach;
}

void dt_reach_free(DtReach *reach)
{
    if (!reach)
        return;
    g_ptr_array_unref(reach->normals);
    g_free(reach->is_left_out);
    for (guint run = 0; run <= reach->given; run++)
        g_clear_pointer(&reach->ended[run], g_hash_table_unref);
    g_free(reach->ended);
    g_hash_table_unref(reach->absent);
    g_free(reach);
}
