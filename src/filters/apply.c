/* Applying filters to a trace: keep, pass on, batch by batch. */
#include "filters/filter_set.h"
#include "filters/taps.h"

/* A tap at work. */
typedef struct {
    DtFilterTap tap;
    const guint64 *bits;
    guint32 last;
    gboolean returns, scoped;
    DtFilterScope scope;
    gsize length;
    guint32 *kept; /* of the batch at hand; NULL: a filter that keeps no function at all costs nothing */
} Strainer;

struct DtTaps {
    Strainer *strainers;
    guint count;
    DtCallStack *stack; /* where it matters who calls, event by event; NULL: nowhere */
};

static inline gboolean keeps(const Strainer *strainer, guint32 function)
{
    return function <= strainer->last && (strainer->bits[function / 64] >> (function % 64) & 1) != 0;
}

static void keep_entries(Strainer *strainer, const DtCallBatch *batch)
{
    const guint32 *events = dt_call_batch_events(batch, strainer->tap.projection).events;
    gsize length = 0;
    for (gsize i = 0; i < batch->count; i++) {
        /* Returns are function 0, which is in no set. Not a branch: what comes next is hard to foretell. */
        strainer->kept[length] = events[i];
        length += keeps(strainer, events[i]) ? 1 : 0;
    }
    strainer->length = length;
}

static guint32 projected(const Strainer *strainer, const DtCallBatch *batch, guint32 callee)
{
    return strainer->tap.projection == DT_NAMES_WITH_ARGUMENTS ? callee : batch->bases[callee];
}

static void keep(Strainer *strainer, const DtCallBatch *batch, gsize index)
{
    guint32 callee = projected(strainer, batch, batch->callees[index]);
    if (batch->events[index] != DT_EVENT_RETURN)
        strainer->kept[strainer->length++] = callee;
    else if (strainer->returns)
        strainer->kept[strainer->length++] = callee | DT_SYMBOL_RETURN;
}

static void keep_entries_and_returns(Strainer *strainer, const DtCallBatch *batch)
{
    for (gsize i = 0; i < batch->count; i++) {
        if (keeps(strainer, batch->callees[i]))
            keep(strainer, batch, i);
    }
}

static void keep_in_scope(DtTaps *taps, const DtCallBatch *batch)
{
    for (gsize i = 0; i < batch->count; i++) {
        guint32 event = batch->events[i], callee = dt_call_stack_apply(taps->stack, event);
        for (guint t = 0; t < taps->count; t++) {
            Strainer *strainer = &taps->strainers[t];
            if (strainer->scoped && dt_filter_scope_keeps(&strainer->scope, taps->stack, event, callee))
                keep(strainer, batch, i);
        }
    }
}

/* Whole calls come again: what is kept of them is the same each time, whatever the scope. */
static void give(const Strainer *strainer, guint64 times)
{
    const DtFilterTap *tap = &strainer->tap;
    if (strainer->length == 0)
        return;
    tap->sink(strainer->kept, strainer->length, tap->user_data);
    if (times > 1 && tap->repeat)
        tap->repeat(strainer->length, times - 1, tap->user_data);
    for (guint64 i = 1; i < times && !tap->repeat; i++)
        tap->sink(strainer->kept, strainer->length, tap->user_data);
}

void dt_taps_follow(DtTaps *taps, const DtCallBatch *batch)
{
    if (taps->stack)
        keep_in_scope(taps, batch);
    for (guint t = 0; t < taps->count; t++) {
        Strainer *strainer = &taps->strainers[t];
        if (!strainer->kept)
            continue;
        if (!strainer->scoped && strainer->returns)
            keep_entries_and_returns(strainer, batch);
        else if (!strainer->scoped)
            keep_entries(strainer, batch);
        give(strainer, batch->times);
        strainer->length = 0;
    }
}

DtTaps *dt_taps_new(const DtFilterTap *taps, guint count)
{
    DtTaps *all = g_new0(DtTaps, 1);
    all->strainers = g_new0(Strainer, count);
    all->count = count;
    for (guint i = 0; i < count; i++) {
        Strainer *strainer = &all->strainers[i];
        strainer->tap = taps[i];
        if (dt_filter_set_count(taps[i].set) == 0)
            continue;
        strainer->kept = g_new(guint32, DT_READER_BATCH_EVENTS);
        strainer->bits = dt_filter_set_bits(taps[i].set, &strainer->last);
        strainer->returns = taps[i].returns || !dt_filter_set_drops_returns(taps[i].set);
        strainer->scoped = dt_filter_set_is_scoped(taps[i].set);
        strainer->scope = (DtFilterScope){taps[i].set, 0};
        if (strainer->scoped && !all->stack)
            all->stack = dt_call_stack_new();
    }
    return all;
}

static void give_open_calls(const DtFilterTap *tap, const guint32 *frames, guint depth, const DtFunctions *functions)
{
    dt_filter_set_open_calls(tap->set, frames, depth, tap->open);
    for (guint i = 0; tap->projection == DT_NAMES_ALONE && i < tap->open->len; i++) {
        guint32 *call = &g_array_index(tap->open, guint32, i);
        *call = dt_functions_base(functions, *call);
    }
}

void dt_taps_finish(DtTaps *taps, const guint32 *frames, guint depth, const DtFunctions *functions)
{
    for (guint t = 0; t < taps->count; t++) {
        if (taps->strainers[t].tap.open)
            give_open_calls(&taps->strainers[t].tap, frames, depth, functions);
        g_free(taps->strainers[t].kept);
    }
    g_free(taps->strainers);
    dt_call_stack_free(taps->stack);
    g_free(taps);
}

gboolean dt_filter_run_taps(const DtFilterTap *taps, guint count, const DtRun *run, const DtTrace *trace,
                            char **problem, GError **error)
{
    const DtFunctions *functions = dt_run_functions(run);
    g_autofree guint32 *bases = dt_functions_bases(functions);
    g_autoptr(DtCallReader) reader = dt_call_reader_new(bases);
    if (!dt_call_reader_start(reader, run, trace, error))
        return FALSE;
    DtTaps *all = dt_taps_new(taps, count);
    DtCallBatch batch;
    while (dt_call_reader_next(reader, &batch))
        dt_taps_follow(all, &batch);
    const DtCallStack *stack = dt_call_reader_stack(reader);
    dt_taps_finish(all, dt_call_stack_frames(stack), dt_call_stack_depth(stack), functions);
    if (problem)
        *problem = g_strdup(dt_call_reader_problem(reader));
    return TRUE;
}

gboolean dt_filter_run(const DtFilterSet *set, const DtRun *run, const DtTrace *trace, DtSymbolSink sink,
                       gpointer user_data, GArray *open, char **problem, GError **error)
{
    const DtFilterTap tap = {.set = set, .sink = sink, .user_data = user_data, .open = open};
    return dt_filter_run_taps(&tap, 1, run, trace, problem, error);
}
