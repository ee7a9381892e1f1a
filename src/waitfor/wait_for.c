/* The graph, the blame and the words put together. */
#include "waitfor/waitfor.h"

#include "waitfor/blame.h"

static void waiter_free(gpointer data)
{
    DtWaiter *waiter = data;
    g_free(waiter->what);
    g_free(waiter->reason);
    g_array_unref(waiter->waits_for);
    g_free(waiter);
}

void dt_wait_for_free(DtWaitFor *waits)
{
    if (!waits)
        return;
    g_ptr_array_unref(waits->waiters);
    g_ptr_array_unref(waits->cycles);
    g_free(waits->summary);
    g_free(waits);
}

/* ---- words -------------------------------------------------------------------------------- */

static char *transfer_text(const DtTransfer *transfer)
{
    g_autofree char *tag =
        transfer->tag == DT_TAG_ANY ? g_strdup("") : g_strdup_printf(" with tag %" G_GINT64_FORMAT, transfer->tag);
    if (transfer->peer == DT_PEER_ANY)
        return g_strdup_printf("a message from anybody%s", tag);
    if (transfer->peer == DT_PEER_UNKNOWN)
        return g_strdup_printf("a message%s", tag);
    return g_strdup_printf(transfer->send ? "rank %d to receive a message%s" : "a message from rank %d%s",
                           transfer->peer, tag);
}

static char *what_text(const DtEdges *edges, const DtFacts *facts)
{
    const DtOpenCall *open = &facts->open;
    const GArray *members;
    switch (facts->ended ? DT_OPEN_NONE : open->kind) {
    case DT_OPEN_TRANSFER:
        return transfer_text(&open->transfers[0]);
    case DT_OPEN_COLLECTIVE:
        members = g_hash_table_lookup((GHashTable *)edges->members, &open->communicator);
        return g_strdup_printf("its collective call number %" G_GUINT64_FORMAT " on a communicator of %u ranks",
                               dt_collective_count(facts, open->communicator), members ? members->len : 0);
    case DT_OPEN_LOCK:
        return g_strdup_printf("lock %" G_GINT64_FORMAT, open->lock);
    case DT_OPEN_REQUESTS:
        return g_strdup("requests");
    case DT_OPEN_OTHER:
    case DT_OPEN_NONE:
        break;
    }
    return NULL;
}

static char *sum_up(const DtWaitFor *waits)
{
    const DtWaiter *worst = NULL;
    guint waiting = 0, ended = 0, equal = 0;
    for (guint i = 0; i < waits->waiters->len; i++) {
        const DtWaiter *waiter = g_ptr_array_index(waits->waiters, i);
        ended += waiter->mode == DT_WAIT_ENDED;
        waiting += waiter->mode == DT_WAIT_FOR_ALL || waiter->mode == DT_WAIT_FOR_ANY;
        if (!worst || waiter->blame > worst->blame)
            worst = waiter;
    }
    for (guint i = 0; i < waits->waiters->len; i++)
        equal += ((const DtWaiter *)g_ptr_array_index(waits->waiters, i))->blame >= worst->blame;
    if (waiting == 0)
        return g_strdup(ended == waits->waiters->len ? "nobody waits: every trace has ended"
                                                     : "nobody waits: no trace is in a call that waits");
    if (!worst->reason)
        return g_strdup_printf("%u wait, but it is not known for whom", waiting);
    if (equal > 1)
        return g_strdup_printf("%u wait; %u are equally to blame, the first is %s: %s", waiting, equal,
                               worst->trace->label, worst->reason);
    return g_strdup_printf("%u wait; to blame is %s: %s", waiting, worst->trace->label, worst->reason);
}

/* ---- results ---------------------------------------------------------------------------------- */

static gint compare_guints(gconstpointer a, gconstpointer b)
{
    guint first = *(const guint *)a, second = *(const guint *)b;
    return first < second ? -1 : first > second;
}

static void add_target(GArray *targets, guint node, guint from)
{
    if (node != from && (targets->len == 0 || g_array_index(targets, guint, targets->len - 1) != node))
        g_array_append_val(targets, node);
}

/* Traces that a trace waits for: directly, and through nodes in between. */
static GArray *targets_of(const DtEdges *edges, guint node)
{
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(guint));
    const GArray *direct = edges->graph->targets[node];
    for (guint i = 0; i < direct->len; i++) {
        guint target = g_array_index(direct, guint, i);
        if (target < edges->facts->len)
            g_array_append_val(all, target);
        else
            g_array_append_vals(all, edges->graph->targets[target]->data, edges->graph->targets[target]->len);
    }
    g_array_sort(all, compare_guints);
    GArray *targets = g_array_new(FALSE, FALSE, sizeof(guint));
    gboolean waits_for_itself = direct->len == 1 && g_array_index(direct, guint, 0) == node;
    for (guint i = 0; i < all->len; i++)
        add_target(targets, g_array_index(all, guint, i), waits_for_itself ? G_MAXUINT : node);
    return targets;
}

static gint compare_cycles(gconstpointer a, gconstpointer b)
{
    const GArray *first = *(GArray *const *)a, *second = *(GArray *const *)b;
    return first->len < second->len ? -1 : first->len > second->len;
}

static GPtrArray *find_cycles(const DtEdges *edges, const guint *components, guint component_count)
{
    GPtrArray *cycles = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    g_autofree gboolean *deadlocked = dt_deadlocked_nodes(edges, components, component_count);
    g_autofree GArray **by_component = g_new0(GArray *, component_count + 1);
    for (guint node = 0; node < edges->facts->len; node++) {
        if (!deadlocked[node])
            continue;
        GArray **cycle = &by_component[components[node]];
        if (!*cycle) {
            *cycle = g_array_new(FALSE, FALSE, sizeof(guint));
            g_ptr_array_add(cycles, *cycle);
        }
        g_array_append_val(*cycle, node);
    }
    g_ptr_array_sort(cycles, compare_cycles);
    return cycles;
}

DtWaitFor *dt_wait_for_of_facts(const GPtrArray *facts, const DtMembers *members)
{
    g_autoptr(DtEdges) edges = dt_edges_new(facts, members);
    guint component_count;
    g_autofree guint *components = dt_wait_graph_components(edges->graph, &component_count);
    DtBlame *blame = dt_blame_new(edges, components, component_count);
    DtWaitFor *waits = g_new0(DtWaitFor, 1);
    waits->waiters = g_ptr_array_new_with_free_func(waiter_free);
    for (guint node = 0; node < facts->len; node++) {
        const DtFacts *own = g_ptr_array_index(facts, node);
        DtWaiter *waiter = g_new0(DtWaiter, 1);
        waiter->trace = own->trace;
        waiter->mode = edges->modes[node];
        waiter->call = own->ended || own->open.kind == DT_OPEN_NONE ? NULL : own->open.call;
        waiter->what = what_text(edges, own);
        waiter->waits_for = targets_of(edges, node);
        waiter->blame = blame[node].weight;
        waiter->reason = g_steal_pointer(&blame[node].reason);
        g_ptr_array_add(waits->waiters, waiter);
    }
    waits->cycles = find_cycles(edges, components, component_count);
    waits->summary = sum_up(waits);
    dt_blame_free(blame, facts->len);
    return waits;
}
