/* Applying a filter to a trace: decode, keep, pass on, batch by batch. */
#include "filters/filter_set.h"

enum { BATCH = 4096 };

/* The kept ones of a batch of events, as items; `stack` NULL if nobody needs calls and returns paired. */
static gsize keep_events(const DtFilterSet *set, DtCallStack *stack, const guint32 *events, gsize count, guint32 *kept)
{
    gboolean returns = !dt_filter_set_drops_returns(set);
    gsize length = 0;
    for (gsize i = 0; i < count; i++) {
        guint32 event = events[i];
        guint32 function = stack != NULL ? dt_call_stack_apply(stack, event) : event;
        /* Function 0, of a return without a call or unknown, is in no set. */
        if (event != DT_EVENT_RETURN && dt_filter_set_keeps(set, event))
            kept[length++] = event;
        else if (event == DT_EVENT_RETURN && returns && dt_filter_set_keeps(set, function))
            kept[length++] = function | DT_SYMBOL_RETURN;
    }
    return length;
}

/* The same where it matters who calls. */
static gsize keep_in_scope(DtFilterScope *scope, DtCallStack *stack, const guint32 *events, gsize count, guint32 *kept)
{
    gboolean returns = !dt_filter_set_drops_returns(scope->set);
    gsize length = 0;
    for (gsize i = 0; i < count; i++) {
        guint32 function = dt_call_stack_apply(stack, events[i]);
        if (!dt_filter_scope_keeps(scope, stack, events[i], function))
            continue;
        if (events[i] != DT_EVENT_RETURN)
            kept[length++] = function;
        else if (returns)
            kept[length++] = function | DT_SYMBOL_RETURN;
    }
    return length;
}

gboolean dt_filter_run(const DtFilterSet *set, const DtRun *run, const DtTrace *trace, DtSymbolSink sink,
                       gpointer user_data, GArray *open, char **problem, GError **error)
{
    g_autoptr(DtReader) reader = dt_reader_open(run, trace, error);
    if (reader == NULL)
        return FALSE;
    g_autoptr(DtCallStack) stack = NULL;
    gboolean scoped = dt_filter_set_is_scoped(set);
    DtFilterScope scope = {set, 0};
    if (open != NULL || scoped || !dt_filter_set_drops_returns(set))
        stack = dt_call_stack_new();
    g_autofree guint32 *events = g_new(guint32, BATCH);
    g_autofree guint32 *kept = g_new(guint32, BATCH);
    gsize count;
    while ((count = dt_reader_next(reader, events, BATCH)) > 0) {
        gsize length =
            scoped ? keep_in_scope(&scope, stack, events, count, kept) : keep_events(set, stack, events, count, kept);
        if (length > 0)
            sink(kept, length, user_data);
    }
    if (open != NULL)
        dt_filter_set_open_calls(set, stack, open);
    if (problem != NULL)
        *problem = g_strdup(dt_reader_problem(reader));
    return TRUE;
}
