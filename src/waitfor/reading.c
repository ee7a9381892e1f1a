/* Reads the traces of a run for the wait-for graph, in a pass that others read from, too. */
#include "waitfor/counts.h"

/* ---- in the pass ------------------------------------------------------------------------------ */

/* What a thread of the pass has. */
typedef struct {
    const DtFactsReading *reading;
    DtCounting *counting;
} Share;

static gpointer start_share(gpointer consumer)
{
    Share *share = g_new0(Share, 1);
    share->reading = consumer;
    share->counting = dt_counting_new(share->reading->roles);
    return share;
}

static void stop_share(gpointer thread)
{
    dt_counting_free(((Share *)thread)->counting);
    g_free(thread);
}

static gboolean begin_trace(gpointer thread, const DtDistinctTrace *trace)
{
    const Share *share = thread;
    DtCounts *counts = share->reading->counts[trace->number];
    if (counts)
        dt_counting_begin(share->counting, counts);
    return counts != NULL;
}

static void follow_trace(gpointer thread, const DtCallBatch *batch)
{
    dt_counting_follow(((Share *)thread)->counting, batch);
}

static void end_trace(gpointer thread, const DtDistinctTrace *trace)
{
    dt_counting_end(((Share *)thread)->counting, (const guint32 *)(gconstpointer)trace->open->data, trace->open->len);
}

/* ---- all traces ------------------------------------------------------------------------------- */

DtFactsReading *dt_facts_reading_new(DtPass *pass, guint run_number)
{
    const DtRun *run = dt_pass_run(pass, run_number);
    DtFactsReading *reading = g_new0(DtFactsReading, 1);
    reading->pass = pass;
    reading->run = run_number;
    reading->roles = dt_call_roles_new(dt_run_functions(run));
    reading->counts = g_new0(DtCounts *, (gsize)dt_pass_count(pass) + 1);
    for (guint t = 0; t < dt_run_trace_count(run); t++) {
        guint number = dt_pass_find(pass, run_number, t)->number;
        if (!dt_run_trace(run, t)->library && !reading->counts[number])
            reading->counts[number] = dt_counts_new();
    }
    dt_pass_add(pass, &(DtEventConsumer){start_share, begin_trace, follow_trace, end_trace, stop_share, reading});
    return reading;
}

void dt_facts_reading_free(DtFactsReading *reading)
{
    if (!reading)
        return;
    for (guint i = 0; i < dt_pass_count(reading->pass); i++)
        dt_counts_free(reading->counts[i]);
    g_free(reading->counts);
    dt_call_roles_free(reading->roles);
    g_free(reading);
}

DtWaitFor *dt_facts_reading_take(const DtFactsReading *reading, GError **error)
{
    const DtRun *run = dt_pass_run(reading->pass, reading->run);
    g_autofree const DtCounts **counts = g_new0(const DtCounts *, (gsize)dt_run_trace_count(run) + 1);
    for (guint t = 0; t < dt_run_trace_count(run); t++) {
        const DtDistinctTrace *distinct = dt_pass_find(reading->pass, reading->run, t);
        if (dt_run_trace(run, t)->library)
            continue;
        counts[t] = reading->counts[distinct->number];
        if (distinct->failure) {
            g_propagate_error(error, g_error_copy(distinct->failure));
            return NULL;
        }
    }
    g_autoptr(DtMeaning) meaning = dt_meaning_new(run, reading->roles, counts, NULL, error);
    return meaning ? dt_wait_for_of_facts(meaning->facts, meaning->members, reading->roles->functions) : NULL;
}

DtWaitFor *dt_wait_for_new(const DtRun *run, guint jobs, GError **error)
{
    g_autoptr(DtPass) pass = dt_pass_new(NULL, &run, 1, jobs);
    g_autoptr(DtFactsReading) reading = dt_facts_reading_new(pass, 0);
    dt_pass_read(pass, NULL, NULL);
    return dt_facts_reading_take(reading, error);
}
