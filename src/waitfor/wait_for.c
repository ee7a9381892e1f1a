/* The graph, the blame and the words put together. */
#include "waitfor/waitfor.h"

#include "waitfor/blame.h"

static void waiter_free(gpointer data)
{
    DtWaiter *waiter = data;
    g_free(waiter->what);
    g_free(waiter->end);
    g_free(waiter->reason);
    g_array_unref(waiter->waits_for);
    g_clear_pointer(&waiter->needs, g_array_unref);
    g_free(waiter);
}

void dt_wait_for_free(DtWaitFor *waits)
{
    if (!waits)
        return;
    g_ptr_array_unref(waits->waiters);
    g_ptr_array_unref(waits->cycles);
    g_free(waits->summary);
    g_free(waits->awaited);
    g_free(waits);
}

/* ---- words -------------------------------------------------------------------------------- */

static char *transfer_text(const DtTransfer *transfer)
{
    const gboolean has_tag = transfer->tag != DT_TAG_ANY && transfer->tag != DT_TAG_UNKNOWN;
    g_autofree char *tag = has_tag ? g_strdup_printf(" with tag %" G_GINT64_FORMAT, transfer->tag) : g_strdup("");
    if (transfer->peer == DT_PEER_ANY)
        return g_strdup_printf("a message from anybody%s", tag);
    if (transfer->peer == DT_PEER_UNKNOWN)
        return g_strdup_printf(transfer->send ? "somebody to receive a message%s" : "a message%s", tag);
    return g_strdup_printf(transfer->send ? "rank %d to receive a message%s" : "a message from rank %d%s",
                           transfer->peer, tag);
}

/* What MPI_Wait and its kin wait for. */
static char *requests_text(const DtAwaited *awaited, gboolean any)
{
    if (awaited->count == 0)
        return g_strdup(any ? "one of its requests" : "its requests");
    g_autofree char *first = transfer_text(&awaited->first);
    if (awaited->count == 1)
        return g_steal_pointer(&first);
    return g_strdup_printf("%s %s %u other%s", first, any ? "or one of" : "and", awaited->count - 1,
                           awaited->count == 2 ? "" : "s");
}

static char *collective_text(const DtEdges *edges, const DtFacts *facts)
{
    const DtBlockingCall *open = &facts->open;
    const GArray *members = g_hash_table_lookup((GHashTable *)edges->members, &open->communicator);
    if (facts->is_of_now)
        return g_strdup_printf("all to make this call on a communicator of %u ranks", members ? members->len : 0);
    return g_strdup_printf("its collective call number %" G_GUINT64_FORMAT " on a %s of %u ranks",
                           dt_collective_count(facts, open->communicator),
                           open->is_on_window ? "window" : "communicator", members ? members->len : 0);
}

/* Of a message that is not waited for: its other end is there. */
static char *counterpart_text(const DtTransfer *transfer)
{
    g_autofree char *message = transfer_text(transfer);
    return g_strdup_printf("%s, which it has %s", message, transfer->send ? "asked for" : "sent");
}

static char *what_text(const DtEdges *edges, guint node)
{
    const DtFacts *facts = dt_edges_facts(edges, node);
    const DtBlockingCall *open = &facts->open;
    const DtAwaited *awaited = &edges->awaited[node];
    if (edges->modes[node] == DT_WAIT_UNKNOWN)
        return g_strdup_printf("(%s)", facts->end);
    switch (edges->modes[node] == DT_WAIT_ENDED ? DT_OPEN_NONE : open->kind) {
    case DT_OPEN_TRANSFER:
        if (open->transfer_count == 0)
            return NULL;
        return awaited->count > 0 || facts->moved
                   ? transfer_text(awaited->count > 0 ? &awaited->first : &open->transfers[0])
                   : counterpart_text(&open->transfers[0]);
    case DT_OPEN_COLLECTIVE:
        return collective_text(edges, facts);
    case DT_OPEN_FINALIZE:
        return g_strdup("all to come to MPI_Finalize");
    case DT_OPEN_LOCK:
        return g_strdup_printf("lock %" G_GINT64_FORMAT, open->lock);
    case DT_OPEN_JOIN:
        return g_strdup_printf("the end of %s", open->joined->label);
    case DT_OPEN_REQUESTS:
        return requests_text(awaited, open->any);
    case DT_OPEN_OTHER:
        return facts->wakers->len > 0 ? g_strdup("somebody, likely one who ended such waits before") : NULL;
    case DT_OPEN_NONE:
        break;
    }
    return NULL;
}

/* How many traces are in which state, and who is to blame most. */
typedef struct {
    const DtWaiter *worst, *died;
    const DtWaiter *awaited_unknown; /* the first that somebody waits for and of which it is not known what it is in */
    guint waiting, ended, moved, worst_ones;
    guint has_all; /* are in a call that has all that it waits for */
    guint unknown;
    gboolean is_of_now;
} Sums;

static const DtWaiter *find_unknown(const GPtrArray *waiters, const GArray *among)
{
    for (guint i = 0; i < among->len; i++) {
        const DtWaiter *waiter = waiters->pdata[g_array_index(among, guint, i)];
        if (waiter->mode == DT_WAIT_UNKNOWN)
            return waiter;
    }
    return NULL;
}

static Sums add_up(const GPtrArray *waiters, const GPtrArray *facts)
{
    Sums sums = {0};
    for (guint i = 0; i < waiters->len; i++) {
        const DtWaiter *waiter = g_ptr_array_index(waiters, i);
        const DtFacts *own = g_ptr_array_index(facts, i);
        sums.ended += waiter->mode == DT_WAIT_ENDED;
        sums.waiting += waiter->mode == DT_WAIT_FOR_ALL || waiter->mode == DT_WAIT_FOR_ANY;
        sums.moved += own->moved ? 1 : 0;
        sums.unknown += waiter->mode == DT_WAIT_UNKNOWN ? 1 : 0;
        sums.is_of_now = sums.is_of_now || own->is_of_now;
        sums.has_all += waiter->mode == DT_WAIT_RUNS && own->open.kind != DT_OPEN_NONE && !own->moved ? 1 : 0;
        if (own->died && !sums.died)
            sums.died = waiter;
        if (!sums.worst || waiter->blame > sums.worst->blame)
            sums.worst = waiter;
    }
    for (guint i = 0; i < waiters->len && !sums.awaited_unknown; i++)
        sums.awaited_unknown = find_unknown(waiters, ((const DtWaiter *)waiters->pdata[i])->waits_for);
    for (guint i = 0; i < waiters->len; i++)
        sums.worst_ones += ((const DtWaiter *)g_ptr_array_index(waiters, i))->blame >= sums.worst->blame;
    return sums;
}

/* Of a job that runs. */
static char *tell_nobody_is_stuck(const Sums *sums)
{
    const char *seen = sums->unknown > 0 ? "nobody of those that are seen is stuck" : "nobody is stuck";
    if (sums->moved > 0)
        return g_strdup_printf("%s: %u trace%s moved between the looks, and nobody else waits", seen, sums->moved,
                               sums->moved == 1 ? "" : "s");
    return g_strdup_printf("%s: %s", seen,
                           sums->has_all > 0 ? "what is waited for has been done" : "no trace is in a call that waits");
}

static char *tell_nobody_waits(const Sums *sums, guint traces)
{
    if (sums->died && sums->died->end)
        return g_strdup_printf("nobody waits; %s %s", sums->died->trace->label, sums->died->end);
    if (sums->is_of_now && sums->ended + sums->unknown < traces)
        return tell_nobody_is_stuck(sums);
    if (sums->moved > 0)
        return g_strdup_printf("nobody waits: %u %s still running when the time limit ended the run", sums->moved,
                               sums->moved == 1 ? "trace was" : "traces were");
    return g_strdup(sums->ended == traces ? "nobody waits: every trace has ended"
                    : sums->has_all > 0   ? "nobody waits: what is waited for has been done"
                                          : "nobody waits: no trace is in a call that waits");
}

/* Where nothing is proved: who waits, and for whom it may be. */
static char *sum_up_possible(const Sums *sums)
{
    const char *s = sums->waiting == 1 ? "s" : "";
    if (!sums->worst->reason && sums->awaited_unknown)
        return g_strdup_printf("%u wait%s, also for %s: it %s", sums->waiting, s, sums->awaited_unknown->trace->label,
                               sums->awaited_unknown->end);
    if (!sums->worst->reason)
        return g_strdup_printf("%u wait%s, but it is not known for whom, nor whether they are stuck", sums->waiting, s);
    if (sums->worst->mode == DT_WAIT_RUNS)
        return g_strdup_printf("%u wait%s, held up by %s: %s", sums->waiting, s, sums->worst->trace->label,
                               sums->worst->reason);
    if (sums->worst_ones > 1)
        return g_strdup_printf(
            "%u wait%s; that they are stuck is not proved; %u may be equally to blame, the first is %s: %s",
            sums->waiting, s, sums->worst_ones, sums->worst->trace->label, sums->worst->reason);
    return g_strdup_printf("%u wait%s; that they are stuck is not proved; if they are, %s may be to blame: %s",
                           sums->waiting, s, sums->worst->trace->label, sums->worst->reason);
}

/* That they wait in vain is proved; who of a deadlock's members is the odd one is a guess. */
static char *sum_up_stuck(const Sums *sums)
{
    const DtWaiter *worst = sums->worst;
    const char *s = sums->waiting == 1 ? "s" : "";
    if (!worst->reason)
        return g_strdup_printf("%u wait%s, but it is not known for whom", sums->waiting, s);
    if (sums->worst_ones > 1)
        return g_strdup_printf("%u wait%s; %u may be equally to blame, the first is %s: %s", sums->waiting, s,
                               sums->worst_ones, worst->trace->label, worst->reason);
    return g_strdup_printf("%u wait%s; %sto blame is %s: %s", sums->waiting, s, worst == sums->died ? "" : "likely ",
                           worst->trace->label, worst->reason);
}

static char *sum_up_seen(const DtWaitFor *waits, const GPtrArray *facts)
{
    const Sums sums = add_up(waits->waiters, facts);
    if (sums.waiting == 0)
        return tell_nobody_waits(&sums, waits->waiters->len);
    g_autofree char *who = waits->certainty < DT_CERTAINTY_LIKELY ? sum_up_possible(&sums) : sum_up_stuck(&sums);
    if (sums.moved == 0 || sums.is_of_now)
        return g_steal_pointer(&who);
    return g_strdup_printf("the time limit ended the run while %u %s still running: %s", sums.moved,
                           sums.moved == 1 ? "trace was" : "traces were", who);
}

static char *sum_up(const DtWaitFor *waits, const GPtrArray *facts)
{
    char *seen = sum_up_seen(waits, facts);
    if (waits->ranks == waits->ranks_seen)
        return seen;
    char *all = g_strdup_printf("of %u ranks, %u are seen: %s", waits->ranks, waits->ranks_seen, seen);
    g_free(seen);
    return all;
}

static char *find_awaited(const DtWaitFor *waits, const GPtrArray *facts)
{
    const Sums sums = add_up(waits->waiters, facts);
    if (sums.waiting == 0 || !sums.worst->reason || sums.worst_ones > 1 || sums.worst->mode != DT_WAIT_RUNS)
        return NULL;
    return g_strdup_printf("%u wait%s, most of them for %s", sums.waiting, sums.waiting == 1 ? "s" : "",
                           sums.worst->trace->label);
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
    for (guint i = 0; i < all->len; i++) {
        const guint target = g_array_index(all, guint, i);
        if (target < edges->facts->len) /* not the node of ranks that are not seen */
            add_target(targets, target, waits_for_itself ? G_MAXUINT : node);
    }
    return targets;
}

static gboolean waits_for_any_of(const DtWaiter *waiter, const gboolean *marked)
{
    for (guint i = 0; i < waiter->waits_for->len; i++)
        if (marked[g_array_index(waiter->waits_for, guint, i)])
            return TRUE;
    return FALSE;
}

/* Those that wait for somebody who is marked; FALSE: all were marked already. */
static gboolean mark_waiting(const DtWaitFor *waits, gboolean *marked)
{
    gboolean found = FALSE;
    for (guint i = 0; i < waits->waiters->len; i++) {
        if (marked[i] || !waits_for_any_of(waits->waiters->pdata[i], marked))
            continue;
        marked[i] = found = TRUE;
    }
    return found;
}

static void mark_cycles(const DtWaitFor *waits, gboolean *marked, gboolean value)
{
    for (guint c = 0; c < waits->cycles->len; c++) {
        const GArray *cycle = waits->cycles->pdata[c];
        for (guint i = 0; i < cycle->len; i++)
            marked[g_array_index(cycle, guint, i)] = value;
    }
}

gboolean *dt_wait_for_behind_cycles(const DtWaitFor *waits)
{
    gboolean *marked = g_new0(gboolean, (gsize)waits->waiters->len + 1);
    mark_cycles(waits, marked, TRUE);
    while (mark_waiting(waits, marked))
        continue;
    mark_cycles(waits, marked, FALSE);
    return marked;
}

static gint compare_cycles(gconstpointer a, gconstpointer b)
{
    const GArray *first = *(GArray *const *)a, *second = *(GArray *const *)b;
    return first->len < second->len ? -1 : first->len > second->len;
}

static gboolean *guessed_components(const DtEdges *edges, const guint *components, guint component_count)
{
    gboolean *guessed = g_new0(gboolean, component_count + 1);
    for (guint node = 0; node < edges->facts->len; node++)
        guessed[components[node]] |= edges->guessed[node];
    return guessed;
}

/* For whom some wait is a guess: they are no cycle. */
static GPtrArray *find_cycles(const DtEdges *edges, const guint *components, guint component_count)
{
    GPtrArray *cycles = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    g_autofree gboolean *deadlocked = dt_deadlocked_nodes(edges, components, component_count);
    g_autofree gboolean *guessed = guessed_components(edges, components, component_count);
    g_autofree GArray **by_component = g_new0(GArray *, component_count + 1);
    for (guint node = 0; node < edges->facts->len; node++) {
        if (!deadlocked[node] || dt_edges_facts(edges, node)->cut_short || guessed[components[node]])
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

/* What was sent to a process that runs is not known: a large message takes its time. */
static gboolean may_get_message(const DtFacts *facts)
{
    return facts->is_of_now && (facts->open.kind == DT_OPEN_TRANSFER || facts->open.kind == DT_OPEN_REQUESTS);
}

/* Proved is what a component says of which all is known, and that somebody is dead. Who runs may go on. */
static DtCertainty find_certainty(const DtEdges *edges, const DtBlame *blame, const guint *components,
                                  guint component_count)
{
    g_autofree gboolean *unproved = dt_unproved_components(edges, components, component_count);
    DtCertainty certainty = DT_CERTAINTY_NONE;
    gboolean any_message = FALSE;
    for (guint node = 0; node < edges->facts->len; node++) {
        const DtFacts *facts = dt_edges_facts(edges, node);
        if (blame[node].weight <= 0)
            continue;
        if (edges->modes[node] == DT_WAIT_RUNS || (unproved[components[node]] && !facts->died))
            return DT_CERTAINTY_POSSIBLE;
        certainty = DT_CERTAINTY_PROVED;
        any_message = any_message || may_get_message(facts);
    }
    if (any_message)
        return DT_CERTAINTY_LIKELY;
    return certainty;
}

static void count_ranks(const DtEdges *edges, DtWaitFor *waits)
{
    GHashTableIter iterator;
    gpointer value;
    waits->ranks = edges->ranks;
    g_hash_table_iter_init(&iterator, edges->rank_nodes);
    while (g_hash_table_iter_next(&iterator, NULL, &value))
        waits->ranks_seen += dt_edges_facts(edges, GPOINTER_TO_UINT(value) - 1)->is_unknown ? 0 : 1;
}

static gboolean lack_arguments(const GPtrArray *facts)
{
    gboolean lacks = FALSE;
    for (guint i = 0; i < facts->len; i++) {
        const DtFacts *own = g_ptr_array_index(facts, i);
        if (own->symbols->len > 0)
            return FALSE;
        lacks |= own->lacks_arguments;
    }
    return lacks;
}

/* Whose call has all that it waits for was cut off before it returned; it is not stuck. */
static DtStatus status_of(const DtEdges *edges, guint node)
{
    const DtFacts *facts = dt_edges_facts(edges, node);
    const gboolean has_all = edges->modes[node] == DT_WAIT_RUNS && facts->open.kind != DT_OPEN_NONE;
    return has_all && facts->status == DT_STATUS_STUCK ? DT_STATUS_RUNNING : facts->status;
}

DtWaitFor *dt_wait_for_of_facts(const GPtrArray *facts, const DtMembers *members, const DtFunctions *functions)
{
    g_autoptr(DtEdges) edges = dt_edges_new(facts, members, functions);
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
        waiter->status = status_of(edges, node);
        waiter->end = g_strdup(own->end);
        waiter->call = own->open.kind == DT_OPEN_NONE || (own->ended && !own->died) ? NULL : own->open.call;
        waiter->what = what_text(edges, node);
        waiter->waits_for = targets_of(edges, node);
        waiter->may_end = edges->releases[node].may_end;
        waiter->by_some = edges->releases[node].by_some;
        waiter->needs = g_steal_pointer(&edges->releases[node].needs);
        waiter->blame = blame[node].weight;
        waiter->reason = g_steal_pointer(&blame[node].reason);
        g_ptr_array_add(waits->waiters, waiter);
    }
    waits->lacks_arguments = lack_arguments(facts);
    waits->cycles = find_cycles(edges, components, component_count);
    waits->certainty = find_certainty(edges, blame, components, component_count);
    count_ranks(edges, waits);
    waits->summary = sum_up(waits, facts);
    waits->awaited = find_awaited(waits, facts);
    dt_blame_free(blame, facts->len);
    return waits;
}
