#include "live/closure.h"

#include <string.h>

typedef struct {
    const DtWaitFor *waits;
    const DtClosureNode *nodes;
    gboolean *released;
    guint released_count;
    GHashTable *speaking; /* DtProcess that has a thread which may make calls of MPI, and is released */
} Closure;

static const DtWaiter *waiter_at(const Closure *closure, guint node)
{
    return closure->waits->waiters->pdata[node];
}

static void release(Closure *closure, guint node)
{
    const DtTrace *trace = waiter_at(closure, node)->trace;
    closure->released[node] = TRUE;
    closure->released_count++;
    if (closure->nodes[node].uses_mpi || trace->thread == 0)
        g_hash_table_add(closure->speaking, (gpointer)trace->process);
}

static gboolean can_come(const Closure *closure, const DtWaiter *waiter, guint target)
{
    gboolean in_mpi = waiter->call && strncmp(waiter->call, "MPI_", 4) == 0;
    return in_mpi ? g_hash_table_contains(closure->speaking, waiter_at(closure, target)->trace->process)
                  : closure->released[target];
}

static gboolean gets_on(const Closure *closure, guint node)
{
    const DtWaiter *waiter = waiter_at(closure, node);
    guint come = 0;
    if (closure->nodes[node].is_unclear)
        return closure->released_count > 0;
    if (waiter->may_end)
        return TRUE;
    for (guint i = 0; waiter->needs && i < waiter->needs->len; i++)
        if (!can_come(closure, waiter, g_array_index(waiter->needs, guint, i)))
            return FALSE;
    if (waiter->needs)
        return TRUE;
    for (guint i = 0; i < waiter->waits_for->len; i++)
        come += can_come(closure, waiter, g_array_index(waiter->waits_for, guint, i)) ? 1 : 0;
    const gboolean is_one_enough = waiter->mode == DT_WAIT_FOR_ANY || waiter->by_some;
    return is_one_enough ? come > 0 || waiter->waits_for->len == 0 : come == waiter->waits_for->len;
}

static gboolean waits(const Closure *closure, guint node)
{
    DtWaitMode mode = waiter_at(closure, node)->mode;
    return (mode == DT_WAIT_FOR_ALL || mode == DT_WAIT_FOR_ANY) && !closure->nodes[node].is_idle;
}

gboolean *dt_closure_find(const DtWaitFor *graph, const DtClosureNode *nodes)
{
    const guint count = graph->waiters->len;
    g_autoptr(GHashTable) speaking = g_hash_table_new(NULL, NULL);
    g_autofree gboolean *released = g_new0(gboolean, (gsize)count + 1);
    Closure closure = {graph, nodes, released, 0, speaking};
    for (guint node = 0; node < count; node++)
        if (nodes[node].is_free)
            release(&closure, node);
    for (gboolean changed = TRUE; changed;) {
        changed = FALSE;
        for (guint node = 0; node < count; node++) {
            if (released[node] || !waits(&closure, node) || !gets_on(&closure, node))
                continue;
            release(&closure, node);
            changed = TRUE;
        }
    }
    gboolean *found = g_new0(gboolean, (gsize)count + 1);
    for (guint node = 0; node < count; node++)
        found[node] = waits(&closure, node) && !released[node];
    return found;
}
