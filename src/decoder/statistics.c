/* Calls per function and per caller-callee pair. */
#include <string.h>

#include "decoder/decoder.h"

enum { FIRST_SLOTS = 256 };

/* Pairs in an open-addressing table: one look-up for every call of a trace. A
   slot without calls is free. */
struct DtStatistics {
    DtCallEdge *slots;
    gsize slot_count; /* a power of two */
    gsize used;
    guint64 *calls; /* by function id */
    guint32 functions;
};

DtStatistics *dt_statistics_new(void)
{
    DtStatistics *statistics = g_new0(DtStatistics, 1);
    statistics->slot_count = FIRST_SLOTS;
    statistics->slots = g_new0(DtCallEdge, FIRST_SLOTS);
    statistics->functions = 1;
    statistics->calls = g_new0(guint64, 1);
    return statistics;
}

void dt_statistics_free(DtStatistics *statistics)
{
    if (!statistics)
        return;
    g_free(statistics->slots);
    g_free(statistics->calls);
    g_free(statistics);
}

static DtCallEdge *find_slot(const DtStatistics *statistics, guint32 caller, guint32 callee)
{
    guint64 key = (guint64)caller << 32 | callee;
    gsize mask = statistics->slot_count - 1;
    gsize at = (gsize)(key * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) >> 32) & mask;
    while (statistics->slots[at].calls > 0 &&
           (statistics->slots[at].caller != caller || statistics->slots[at].callee != callee))
        at = (at + 1) & mask;
    return &statistics->slots[at];
}

static void grow(DtStatistics *statistics)
{
    g_autofree DtCallEdge *old = statistics->slots;
    gsize old_count = statistics->slot_count;
    statistics->slot_count *= 2;
    statistics->slots = g_new0(DtCallEdge, statistics->slot_count);
    for (gsize i = 0; i < old_count; i++) {
        if (old[i].calls > 0)
            *find_slot(statistics, old[i].caller, old[i].callee) = old[i];
    }
}

static void count_calls(DtStatistics *statistics, guint32 caller, guint32 callee, guint64 calls)
{
    DtCallEdge *slot = find_slot(statistics, caller, callee);
    gboolean known = slot->calls > 0;
    statistics->calls[callee] += calls;
    slot->calls += calls;
    if (known)
        return;
    slot->caller = caller;
    slot->callee = callee;
    if (2 * ++statistics->used > statistics->slot_count)
        grow(statistics);
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
    for (gsize i = 0; i < others->slot_count; i++) {
        const DtCallEdge *edge = &others->slots[i];
        if (edge->calls > 0)
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
    GArray *edges = g_array_new(FALSE, FALSE, sizeof(DtCallEdge));
    for (gsize i = 0; i < statistics->slot_count; i++) {
        if (statistics->slots[i].calls > 0)
            g_array_append_val(edges, statistics->slots[i]);
    }
    g_array_sort(edges, compare_edges);
    return edges;
}
