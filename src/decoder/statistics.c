/* Calls per function and per caller-callee pair. */
#include <string.h>

#include "base/hash_index.h"
#include "decoder/decoder.h"

struct DtStatistics {
    GArray *edges;       /* (element-type DtCallEdge) */
    DtHashIndex by_pair; /* of edges: one look-up for every call of a trace */
    guint64 *calls;      /* by function id */
    guint32 functions;
};

DtStatistics *dt_statistics_new(void)
{
    DtStatistics *statistics = g_new0(DtStatistics, 1);
    statistics->edges = g_array_new(FALSE, FALSE, sizeof(DtCallEdge));
    statistics->functions = 1;
    statistics->calls = g_new0(guint64, 1);
    return statistics;
}

void dt_statistics_free(DtStatistics *statistics)
{
    if (!statistics)
        return;
    g_array_unref(statistics->edges);
    dt_hash_index_clear(&statistics->by_pair);
    g_free(statistics->calls);
    g_free(statistics);
}

static gboolean is_edge(gconstpointer edges, guint32 number, gconstpointer key)
{
    const DtCallEdge *edge = &g_array_index((const GArray *)edges, DtCallEdge, number), *pair = key;
    return edge->caller == pair->caller && edge->callee == pair->callee;
}

static void count_calls(DtStatistics *statistics, guint32 caller, guint32 callee, guint64 calls)
{
    const DtCallEdge edge = {caller, callee, calls};
    const guint64 hash = dt_hash_integer((guint64)caller << 32 | callee);
    guint32 known = dt_hash_index_find(&statistics->by_pair, hash, is_edge, statistics->edges, &edge);
    statistics->calls[callee] += calls;
    if (known != DT_HASH_ABSENT) {
        g_array_index(statistics->edges, DtCallEdge, known).calls += calls;
        return;
    }
    dt_hash_index_add(&statistics->by_pair, hash, statistics->edges->len);
    g_array_append_val(statistics->edges, edge);
}

static void make_room(DtStatistics *statistics, guint32 functions)
{
    if (functions <= statistics->functions)
        return;
    statistics->calls = g_renew(guint64, statistics->calls, functions);
    memset(statistics->calls + statistics->functions, 0, (functions - statistics->functions) * sizeof(guint64));
    statistics->functions = functions;
}

/* Counts what the reader gives; returns its events. */
static guint64 count_events(DtStatistics *statistics, DtReader *reader)
{
    g_autoptr(DtCallStack) stack = dt_call_stack_new();
    DtEventBatch batch;
    guint open;
    guint64 events = 0;
    const guint32 *calls = dt_reader_open_calls(reader, &open);
    for (guint i = 0; i < open; i++)
        dt_call_stack_apply(stack, calls[i]);
    while (dt_reader_next_batch(reader, &batch)) {
        events += batch.count * batch.times;
        for (gsize i = 0; i < batch.count; i++) {
            guint depth = dt_call_stack_depth(stack);
            guint32 caller = depth > 0 ? dt_call_stack_frames(stack)[depth - 1] : 0;
            if (batch.events[i] != DT_EVENT_RETURN)
                count_calls(statistics, caller, batch.events[i], batch.times);
            dt_call_stack_apply(stack, batch.events[i]);
        }
    }
    return events;
}

static void merge(DtStatistics *statistics, const DtStatistics *others)
{
    for (guint i = 0; i < others->edges->len; i++) {
        const DtCallEdge *edge = &g_array_index(others->edges, DtCallEdge, i);
        count_calls(statistics, edge->caller, edge->callee, edge->calls);
    }
}

static guint64 count_parts(DtStatistics *statistics, const DtReader *reader, guint parts, guint threads)
{
    guint64 events = 0;
#pragma omp parallel num_threads((int)threads) reduction(+ : events)
    {
        g_autoptr(DtStatistics) own = dt_statistics_new();
        make_room(own, statistics->functions);
#pragma omp for schedule(dynamic)
        for (guint part = 0; part < parts; part++) {
            g_autoptr(DtReader) opened = dt_reader_open_part(reader, part);
            events += count_events(own, opened);
        }
#pragma omp critical(statistics_merge)
        merge(statistics, own);
    }
    return events;
}

gboolean dt_statistics_add(DtStatistics *statistics, const DtRun *run, const DtTrace *trace, guint threads,
                           guint64 *events, GError **error)
{
    g_autoptr(DtReader) reader = dt_reader_open(run, trace, DT_NAMES_ALONE, error);
    if (!reader)
        return FALSE;
    guint parts = dt_reader_part_count(reader), workers = MIN(threads, parts);
    make_room(statistics, dt_functions_count(dt_run_functions(run)) + 1);
    *events = workers > 1 ? count_parts(statistics, reader, parts, workers) : count_events(statistics, reader);
    return TRUE;
}

guint64 dt_statistics_calls(const DtStatistics *statistics, guint32 function)
{
    return function < statistics->functions ? statistics->calls[function] : 0;
}

static gint compare_edges(gconstpointer first, gconstpointer second)
{
    const DtCallEdge *one = first, *two = second;
    if (one->calls != two->calls)
        return one->calls > two->calls ? -1 : 1;
    if (one->caller != two->caller)
        return one->caller < two->caller ? -1 : 1;
    return (one->callee > two->callee) - (one->callee < two->callee);
}

GArray *dt_statistics_edges(const DtStatistics *statistics)
{
    GArray *edges = g_array_copy(statistics->edges);
    g_array_sort(edges, compare_edges);
    return edges;
}
