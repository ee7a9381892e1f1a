/* Applying filters to a trace: decode, keep, pass on, batch by batch. */
#include "filters/filter_set.h"

/* A tap at work. */
typedef struct {
    const DtFilterTap *tap;
    const guint64 *bits;
    guint32 last;
    gboolean returns, scoped;
    DtFilterScope scope;
    gsize length;
    guint32 *kept; /* of the batch at hand */
} Strainer;

typedef struct {
    DtEventBatch of;
    guint32 *functions; /* entered or returned from, if somebody needs calls and returns paired; 0: unknown */
} Batch;

static inline gboolean keeps(const Strainer *strainer, guint32 function)
{
    return function <= strainer->last && (strainer->bits[function / 64] >> (function % 64) & 1) != 0;
}

static void keep_entries(Strainer *strainer, const Batch *batch)
{
    gsize length = 0;
    for (gsize i = 0; i < batch->of.count; i++) {
        /* Returns are function 0, which is in no set. Not a branch: what comes next is hard to foretell. */
        strainer->kept[length] = batch->of.events[i];
        length += keeps(strainer, batch->of.events[i]) ? 1 : 0;
    }
    strainer->length = length;
}

static void keep_entries_and_returns(Strainer *strainer, const Batch *batch)
{
    gsize length = 0;
    for (gsize i = 0; i < batch->of.count; i++) {
        guint32 function = batch->functions[i];
        if (keeps(strainer, function))
            strainer->kept[length++] = batch->of.events[i] == DT_EVENT_RETURN ? function | DT_SYMBOL_RETURN : function;
    }
    strainer->length = length;
}

/* Where it matters who calls: event by event, while the stack is there. */
static void keep_in_scope(Strainer *strainer, const DtCallStack *stack, guint32 event, guint32 function)
{
    if (!dt_filter_scope_keeps(&strainer->scope, stack, event, function))
        return;
    if (event != DT_EVENT_RETURN)
        strainer->kept[strainer->length++] = function;
    else if (strainer->returns)
        strainer->kept[strainer->length++] = function | DT_SYMBOL_RETURN;
}

static void follow_stack(DtCallStack *stack, Batch *batch, Strainer *strainers, guint count, gboolean scoped)
{
    for (gsize i = 0; i < batch->of.count; i++) {
        batch->functions[i] = dt_call_stack_apply(stack, batch->of.events[i]);
        for (guint t = 0; scoped && t < count; t++) {
            if (strainers[t].scoped)
                keep_in_scope(&strainers[t], stack, batch->of.events[i], batch->functions[i]);
        }
    }
}

/* Whole calls come again: what is kept of them is the same each time, whatever the scope. */
static void give(const Strainer *strainer, guint64 times)
{
    const DtFilterTap *tap = strainer->tap;
    if (strainer->length == 0)
        return;
    tap->sink(strainer->kept, strainer->length, tap->user_data);
    if (times > 1 && tap->repeat != NULL)
        tap->repeat(strainer->length, times - 1, tap->user_data);
    for (guint64 i = 1; i < times && tap->repeat == NULL; i++)
        tap->sink(strainer->kept, strainer->length, tap->user_data);
}

static void pass_on(Strainer *strainers, guint count, const Batch *batch)
{
    for (guint t = 0; t < count; t++) {
        Strainer *strainer = &strainers[t];
        if (!strainer->scoped && !strainer->returns)
            keep_entries(strainer, batch);
        else if (!strainer->scoped)
            keep_entries_and_returns(strainer, batch);
        give(strainer, batch->of.times);
        strainer->length = 0;
    }
}

/* Filters that keep no function at all cost nothing. */
static guint prepare(const DtFilterTap *taps, guint count, Strainer *strainers, gboolean *stack, gboolean *scoped)
{
    guint working = 0;
    for (guint i = 0; i < count; i++) {
        if (dt_filter_set_count(taps[i].set) == 0)
            continue;
        Strainer *strainer = &strainers[working++];
        strainer->tap = &taps[i];
        strainer->kept = g_new(guint32, DT_READER_BATCH_EVENTS);
        strainer->bits = dt_filter_set_bits(taps[i].set, &strainer->last);
        strainer->returns = taps[i].returns || !dt_filter_set_drops_returns(taps[i].set);
        strainer->scoped = dt_filter_set_is_scoped(taps[i].set);
        strainer->scope = (DtFilterScope){taps[i].set, 0};
        *stack = *stack || strainer->returns || strainer->scoped || taps[i].open != NULL;
        *scoped = *scoped || strainer->scoped;
    }
    return working;
}

gboolean dt_filter_run_taps(const DtFilterTap *taps, guint count, const DtRun *run, const DtTrace *trace,
                            char **problem, GError **error)
{
    g_autoptr(DtReader) reader = dt_reader_open(run, trace, error);
    if (reader == NULL)
        return FALSE;
    g_autofree Strainer *strainers = g_new0(Strainer, count);
    gboolean needs_stack = FALSE, scoped = FALSE;
    guint working = prepare(taps, count, strainers, &needs_stack, &scoped);
    g_autoptr(DtCallStack) stack = needs_stack ? dt_call_stack_new() : NULL;
    g_autofree guint32 *functions = needs_stack ? g_new(guint32, DT_READER_BATCH_EVENTS) : NULL;
    Batch batch = {.functions = functions};
    while (dt_reader_next_batch(reader, &batch.of)) {
        if (stack != NULL)
            follow_stack(stack, &batch, strainers, working, scoped);
        pass_on(strainers, working, &batch);
    }
    for (guint i = 0; i < working; i++)
        g_free(strainers[i].kept);
    for (guint i = 0; i < count; i++) {
        if (taps[i].open != NULL && stack != NULL)
            dt_filter_set_open_calls(taps[i].set, stack, taps[i].open);
    }
    if (problem != NULL)
        *problem = g_strdup(dt_reader_problem(reader));
    return TRUE;
}

gboolean dt_filter_run(const DtFilterSet *set, const DtRun *run, const DtTrace *trace, DtSymbolSink sink,
                       gpointer user_data, GArray *open, char **problem, GError **error)
{
    const DtFilterTap tap = {.set = set, .sink = sink, .user_data = user_data, .open = open};
    return dt_filter_run_taps(&tap, 1, run, trace, problem, error);
}
