/*
 * From last open calls to edges. Where many wait for many (a collective, a
 * receive from anybody, a condition variable) a node in between keeps the graph
 * linear in traces and members.
 */
#include "waitfor/edges.h"

#include <string.h>

#include "waitfor/calls.h"

guint dt_edges_node_of(const DtEdges *edges, gint rank)
{
    gpointer node = g_hash_table_lookup(edges->rank_nodes, GINT_TO_POINTER(rank + 1));
    return node ? GPOINTER_TO_UINT(node) - 1 : G_MAXUINT;
}

/* ---- messages ---------------------------------------------------------------------------- */

gboolean dt_same_tag(gint64 a, gint64 b)
{
    return a == b || a == DT_TAG_ANY || b == DT_TAG_ANY || a == DT_TAG_UNKNOWN || b == DT_TAG_UNKNOWN;
}

static const GArray *threads_of_rank(const DtEdges *edges, gint rank)
{
    return g_hash_table_lookup(edges->rank_threads, GINT_TO_POINTER(rank + 1));
}

/* Of a process's transfers, how many are in a direction, with a peer (or anybody), on a communicator, with a tag. */
static gint64 count_transfers(const DtEdges *edges, gint rank, const DtTransfer *like, gboolean send, gint peer)
{
    const GArray *threads = threads_of_rank(edges, rank);
    gint64 calls = 0;
    for (guint t = 0; threads && t < threads->len; t++) {
        const GArray *transfers = dt_edges_facts(edges, g_array_index(threads, guint, t))->transfers;
        for (guint i = 0; i < transfers->len; i++) {
            const DtTransfer *transfer = &g_array_index(transfers, DtTransfer, i);
            if (transfer->send == send && transfer->communicator == like->communicator &&
                (transfer->peer == peer || transfer->peer == DT_PEER_ANY || peer == DT_PEER_ANY) &&
                dt_same_tag(transfer->tag, like->tag))
                calls += (gint64)transfer->calls;
        }
    }
    return calls;
}

gint64 dt_edges_surplus(const DtEdges *edges, const DtTransfer *transfer, gint rank)
{
    gint from = transfer->send ? rank : transfer->peer, to = transfer->send ? transfer->peer : rank;
    return count_transfers(edges, from, transfer, TRUE, to) - count_transfers(edges, to, transfer, FALSE, from);
}

static gboolean is_partial(const DtEdges *edges, gint rank)
{
    const GArray *threads = threads_of_rank(edges, rank);
    for (guint t = 0; threads && t < threads->len; t++)
        if (dt_edges_facts(edges, g_array_index(threads, guint, t))->is_partial)
            return TRUE;
    return !threads;
}

static gboolean is_of_now(const DtEdges *edges, gint rank)
{
    const GArray *threads = threads_of_rank(edges, rank);
    return threads && dt_edges_facts(edges, g_array_index(threads, guint, 0))->is_of_now;
}

/* Receives from anybody, also those whose sender varies. */
static gboolean asks_anybody(const DtEdges *edges, gint rank, const DtTransfer *like)
{
    const GArray *threads = threads_of_rank(edges, rank);
    for (guint t = 0; threads && t < threads->len; t++) {
        const GArray *transfers = dt_edges_facts(edges, g_array_index(threads, guint, t))->transfers;
        for (guint i = 0; i < transfers->len; i++) {
            const DtTransfer *transfer = &g_array_index(transfers, DtTransfer, i);
            if (!transfer->send && transfer->peer < 0 && transfer->communicator == like->communicator &&
                dt_same_tag(transfer->tag, like->tag))
                return TRUE;
        }
    }
    return FALSE;
}

static const GArray *members_of(const DtEdges *edges, guint64 communicator)
{
    return g_hash_table_lookup((GHashTable *)edges->members, &communicator);
}

/* All messages to `rank` that a receive may take, less all receives that may take them. */
static gint64 surplus_of_all(const DtEdges *edges, const DtTransfer *like, gint rank)
{
    const GArray *members = members_of(edges, like->communicator);
    gint64 sends = 0;
    for (guint i = 0; members && i < members->len; i++) {
        gint member = g_array_index(members, gint, i);
        if (is_partial(edges, member))
            return G_MAXINT64;
        sends += count_transfers(edges, member, like, TRUE, rank);
    }
    return members ? sends - count_transfers(edges, rank, like, FALSE, DT_PEER_ANY) : G_MAXINT64;
}

/* Of a process of which only the open call is known: TRUE if the other end of its message is in the call that it waits
 * for.
 */
static gboolean is_met(const DtEdges *edges, gint rank, const DtTransfer *transfer)
{
    const GArray *threads = threads_of_rank(edges, transfer->peer);
    for (guint t = 0; threads && t < threads->len; t++) {
        const DtBlockingCall *open = &dt_edges_facts(edges, g_array_index(threads, guint, t))->open;
        for (guint i = 0; open->kind == DT_OPEN_TRANSFER && !open->probes && i < open->transfer_count; i++) {
            const DtTransfer *other = &open->transfers[i];
            if (other->send != transfer->send && other->communicator == transfer->communicator &&
                (other->peer == rank || (other->peer == DT_PEER_ANY && !other->send)) &&
                dt_same_tag(other->tag, transfer->tag))
                return TRUE;
        }
    }
    return FALSE;
}

/* TRUE if the message that the open call sends has been asked for, or the one that it asks for was sent: it waits for
 * nothing that is still to be done. */
static gboolean has_counterpart(const DtEdges *edges, gint rank, const DtBlockingCall *open, const DtTransfer *transfer)
{
    if (transfer->peer < 0 || transfer->tag == DT_TAG_UNKNOWN || open->probes)
        return FALSE;
    if (is_of_now(edges, transfer->peer))
        return is_met(edges, rank, transfer);
    if (is_partial(edges, rank) || is_partial(edges, transfer->peer))
        return FALSE;
    const gint receiver = transfer->send ? transfer->peer : rank;
    if (asks_anybody(edges, receiver, transfer))
        return transfer->send && surplus_of_all(edges, transfer, receiver) <= 0;
    gint64 surplus = dt_edges_surplus(edges, transfer, rank);
    return transfer->send ? surplus <= 0 : surplus >= 0;
}

/* ---- nodes in between ----------------------------------------------------------------------- */

/* The node of what is waited for together; *is_new: its edges are still to be added. */
static guint shared_node(DtEdges *edges, char *key, gboolean *is_new)
{
    gpointer known = g_hash_table_lookup(edges->shared, key);
    *is_new = !known;
    if (known) {
        g_free(key);
        return GPOINTER_TO_UINT(known);
    }
    guint node = dt_wait_graph_add_node(edges->graph);
    g_hash_table_insert(edges->shared, key, GUINT_TO_POINTER(node));
    return node;
}

/* A rank of the job without a trace may be about to do what is waited for: its node is in no cycle. */
static void wait_for_rank(DtEdges *edges, guint node, gint rank)
{
    guint target = dt_edges_node_of(edges, rank);
    gboolean is_new;
    if (target == G_MAXUINT && rank >= 0 && (guint)rank < edges->ranks)
        target = shared_node(edges, g_strdup("unseen"), &is_new);
    if (target != G_MAXUINT)
        dt_wait_graph_add_edge(edges->graph, node, target);
}

static void add_members(DtEdges *edges, guint node, const GArray *members)
{
    for (guint i = 0; members && i < members->len; i++)
        wait_for_rank(edges, node, g_array_index(members, gint, i));
}

static void wait_for_anybody(DtEdges *edges, guint node, guint64 communicator)
{
    gboolean is_new;
    guint anybody = shared_node(edges, g_strdup_printf("any %" G_GINT64_MODIFIER "x", communicator), &is_new);
    if (is_new)
        add_members(edges, anybody, members_of(edges, communicator));
    dt_wait_graph_add_edge(edges->graph, node, anybody);
    edges->modes[node] = DT_WAIT_FOR_ANY;
}

/* For whom is not known, as the communicator or the requests are not: that some other rank does something is the least
 * that it takes. */
static void wait_for_whomever(DtEdges *edges, guint node)
{
    edges->guessed[node] = TRUE;
    if (dt_edges_facts(edges, node)->is_of_now)
        wait_for_anybody(edges, node, DT_COMMUNICATOR_OF_NOW);
}

/* What a member has done of a collective call. */
typedef enum {
    PART_MISSING, /* it has not come, or came to another call */
    PART_OTHER,   /* it came with another number of bytes, which may stop the others, or not */
    PART_DONE     /* also with another operation: that stops nobody */
} Part;

/* The thread of a rank that makes its collective calls on a communicator, or stands for the rank; *several: others make
 * such calls, too, and in which order is not known. */
static guint caller_of(const DtEdges *edges, gint rank, guint64 communicator, gboolean *several)
{
    const GArray *threads = threads_of_rank(edges, rank);
    guint found = G_MAXUINT;
    for (guint t = 0; threads && t < threads->len; t++) {
        const guint thread = g_array_index(threads, guint, t);
        if (dt_collective_count(dt_edges_facts(edges, thread), communicator) == 0)
            continue;
        *several = *several || found != G_MAXUINT;
        found = found == G_MAXUINT ? thread : found;
    }
    return found != G_MAXUINT ? found : dt_edges_node_of(edges, rank);
}

/* A member that died in the call will not leave it either. */
static Part part_of(const DtFacts *facts, guint64 communicator, guint64 position, const DtCollectiveCall *call)
{
    guint64 count = dt_collective_count(facts, communicator);
    if (count <= position)
        return PART_MISSING;
    DtCollectiveCall own = dt_collective_at(facts, communicator, position);
    gboolean died_in_it = facts->died && count == position + 1 && facts->open.kind == DT_OPEN_COLLECTIVE &&
                          facts->open.communicator == communicator;
    if (!dt_collective_calls_meet(&own, call) || died_in_it)
        return PART_MISSING;
    own.operation = call->operation;
    return dt_collective_calls_agree(&own, call) ? PART_DONE : PART_OTHER;
}

/* Edges to those who have not come to the call, or came to another one. */
static void add_missing_members(DtEdges *edges, guint call, const DtBlockingCall *open, guint64 position)
{
    const GArray *members = members_of(edges, open->communicator);
    gboolean have_met = members != NULL, several = FALSE;
    for (guint i = 0; members && i < members->len; i++) {
        const gint rank = g_array_index(members, gint, i);
        const guint member = caller_of(edges, rank, open->communicator, &several);
        const Part part = member != G_MAXUINT
                              ? part_of(dt_edges_facts(edges, member), open->communicator, position, &open->collective)
                              : PART_MISSING;
        have_met = have_met && part != PART_MISSING;
        if (member == G_MAXUINT)
            wait_for_rank(edges, call, rank);
        else if (part != PART_DONE)
            dt_wait_graph_add_edge(edges->graph, call, member);
    }
    if (have_met || several)
        g_hash_table_add(edges->met, GUINT_TO_POINTER(call));
}

static void need(DtRelease *release, guint node)
{
    if (!release->needs)
        release->needs = g_array_new(FALSE, FALSE, sizeof(guint));
    g_array_append_val(release->needs, node);
}

/* Between two groups it is in the other one. */
static gint root_of(const DtEdges *edges, const DtBlockingCall *open)
{
    const DtCommunicator *between = open->between;
    const GArray *members = members_of(edges, open->communicator);
    const gint root = open->collective.root;
    if (between)
        return root >= 0 && root < between->remote_size ? between->members[between->size + root] : -1;
    return members && root >= 0 && root < (gint)members->len ? g_array_index(members, gint, root) : -1;
}

/* TRUE of all members, but between two groups of those of the other one: nobody waits for the own group by itself. */
static gboolean may_be_needed(const DtBlockingCall *open, gint rank)
{
    const DtCommunicator *between = open->between;
    gboolean found = !between;
    for (gint i = 0; between && i < between->remote_size; i++)
        found |= between->members[between->size + i] == rank;
    return found;
}

/* What it takes that the node leaves a collective call: all who are missing, or the root, or some who are missing. */
static DtRelease release_of(const DtEdges *edges, guint node, const DtBlockingCall *open, guint call)
{
    const gboolean has_name = open->call || edges->functions;
    const DtMembersAwaited awaited =
        has_name ? dt_members_awaited(open->call ? open->call
                                                 : dt_functions_get(edges->functions, open->collective.function)->name)
                 : DT_MEMBERS_SOME;
    const GArray *missing = edges->graph->targets[call];
    const gint root = root_of(edges, open), rank = dt_edges_facts(edges, node)->trace->process->rank;
    const gboolean is_for_all = awaited == DT_MEMBERS_ALL || (awaited == DT_MEMBERS_ALL_BY_ROOT && root == rank);
    DtRelease release = {.may_end = g_hash_table_contains(edges->met, GUINT_TO_POINTER(call)),
                         .by_some = !is_for_all || open->between};
    for (guint i = 0; i < missing->len; i++) {
        const guint target = g_array_index(missing, guint, i);
        if (target >= edges->facts->len)
            continue; /* stands for ranks without a trace */
        const gint other = dt_edges_facts(edges, target)->trace->process->rank;
        const gboolean is_root = awaited == DT_MEMBERS_ROOT && root >= 0 && other == root && root != rank;
        if ((is_for_all && may_be_needed(open, other)) || is_root)
            need(&release, target);
    }
    return release;
}

/* Those who have not come to the call, or came to another one. */
static DtRelease wait_for_collective(DtEdges *edges, guint node, const DtBlockingCall *open)
{
    const DtCollectiveCall *own = &open->collective;
    guint64 position = dt_collective_count(dt_edges_facts(edges, node), open->communicator) - 1;
    gboolean is_new;
    guint call = shared_node(edges,
                             g_strdup_printf("%" G_GINT64_MODIFIER "x %" G_GUINT64_FORMAT " %u %d %" G_GINT64_FORMAT,
                                             open->communicator, position, own->function, own->root, own->bytes),
                             &is_new);
    if (is_new)
        add_missing_members(edges, call, open, position);
    dt_wait_graph_add_edge(edges->graph, node, call);
    return release_of(edges, node, open, call);
}

static void wait_for_open_collective(DtEdges *edges, guint node, const DtBlockingCall *open)
{
    edges->releases[node] = wait_for_collective(edges, node, open);
    const guint call = g_array_index(edges->graph->targets[node], guint, 0);
    const DtFacts *facts = dt_edges_facts(edges, node);
    /* All are in it: MPI has to end it. */
    if (!facts->stands && (edges->releases[node].may_end || facts->is_of_now) && edges->graph->targets[call]->len == 0)
        edges->modes[node] = DT_WAIT_RUNS;
}

/* TRUE if some thread of it came to MPI_Finalize, and its process is not dead. */
static gboolean finalizes(const DtEdges *edges, gint rank)
{
    const GArray *threads = threads_of_rank(edges, rank);
    gboolean any = FALSE;
    for (guint t = 0; threads && t < threads->len; t++) {
        const DtFacts *facts = dt_edges_facts(edges, g_array_index(threads, guint, t));
        if (facts->died)
            return FALSE;
        any |= facts->finalizes;
    }
    return any;
}

/* TRUE if no rank of the node's world is missing. */
static gboolean sees_all_ranks(const DtEdges *edges, guint node)
{
    const gint expected = dt_edges_facts(edges, node)->trace->process->world_size;
    return expected > 0 && (gint)g_hash_table_size(edges->rank_nodes) >= expected;
}

/* MPI_Finalize: those of the world who have not come to it. */
static void wait_for_world(DtEdges *edges, guint node)
{
    gboolean is_new;
    guint world = shared_node(edges, g_strdup("finalize"), &is_new);
    GHashTableIter iterator;
    gpointer key, value;
    g_hash_table_iter_init(&iterator, edges->rank_nodes);
    for (guint rank = 0; is_new && rank < edges->ranks; rank++)
        if (dt_edges_node_of(edges, (gint)rank) == G_MAXUINT)
            wait_for_rank(edges, world, (gint)rank);
    while (is_new && g_hash_table_iter_next(&iterator, &key, &value)) {
        if (!finalizes(edges, GPOINTER_TO_INT(key) - 1))
            dt_wait_graph_add_edge(edges->graph, world, GPOINTER_TO_UINT(value) - 1);
    }
    dt_wait_graph_add_edge(edges->graph, node, world);
    if (edges->graph->targets[world]->len == 0 && sees_all_ranks(edges, node))
        edges->modes[node] = DT_WAIT_RUNS;
}

/* ---- within a process -------------------------------------------------------------------------- */

static gboolean holds(const DtFacts *facts, gint64 lock)
{
    for (guint i = 0; i < facts->locks->len; i++) {
        const DtLockUse *use = &g_array_index(facts->locks, DtLockUse, i);
        if (use->lock == lock)
            return use->held > 0;
    }
    return FALSE;
}

/* The threads of a process stand next to each other: the first of those of a node's. */
static guint first_thread(const DtEdges *edges, guint node)
{
    const DtProcess *process = dt_edges_facts(edges, node)->trace->process;
    while (node > 0 && dt_edges_facts(edges, node - 1)->trace->process == process)
        --node;
    return node;
}

static gboolean is_thread_of(const DtEdges *edges, guint node, const DtProcess *process)
{
    return node < edges->facts->len && dt_edges_facts(edges, node)->trace->process == process;
}

static void wait_for_lock(DtEdges *edges, guint node, gint64 lock)
{
    const DtProcess *process = dt_edges_facts(edges, node)->trace->process;
    for (guint other = first_thread(edges, node); is_thread_of(edges, other, process); other++) {
        if (holds(dt_edges_facts(edges, other), lock))
            dt_wait_graph_add_edge(edges->graph, node, other);
    }
}

static void wait_for_thread(DtEdges *edges, guint node, const DtTrace *joined)
{
    const DtProcess *process = dt_edges_facts(edges, node)->trace->process;
    for (guint other = first_thread(edges, node); is_thread_of(edges, other, process); other++) {
        if (dt_edges_facts(edges, other)->trace == joined)
            dt_wait_graph_add_edge(edges->graph, node, other);
    }
}

/* Threads of the process that are likely to be able to end the wait, and have not ended. FALSE: none is known. */
static gboolean wait_for_wakers(DtEdges *edges, guint node)
{
    const DtFacts *own = dt_edges_facts(edges, node);
    const DtProcess *process = own->trace->process;
    gboolean any = FALSE;
    for (guint other = first_thread(edges, node); own->wakers->len > 0 && is_thread_of(edges, other, process);
         other++) {
        const DtFacts *facts = dt_edges_facts(edges, other);
        for (guint i = 0; other != node && !facts->ended && i < own->wakers->len; i++) {
            if (g_array_index(own->wakers, guint, i) != facts->trace->thread)
                continue;
            dt_wait_graph_add_edge(edges->graph, node, other);
            any = TRUE;
            break;
        }
    }
    return any;
}

/* Of joins, barriers and condition variables the trace does not say who could end the wait: any thread of the process.
 * What MPI waits for is elsewhere, and not known: files, MPI_Mrecv. */
static void wait_for_threads(DtEdges *edges, guint node)
{
    const DtFacts *own = dt_edges_facts(edges, node);
    const DtProcess *process = own->trace->process;
    gboolean is_new;
    edges->modes[node] = DT_WAIT_FOR_ANY;
    if (g_str_has_prefix(own->open.call, "MPI_")) {
        wait_for_whomever(edges, node);
        return;
    }
    if (wait_for_wakers(edges, node))
        return;
    edges->guessed[node] = own->is_of_now;
    guint threads = shared_node(edges, g_strdup_printf("threads %u", process->index), &is_new);
    for (guint other = first_thread(edges, node); is_new && is_thread_of(edges, other, process); other++) {
        if (!dt_edges_facts(edges, other)->ended)
            dt_wait_graph_add_edge(edges->graph, threads, other);
    }
    dt_wait_graph_add_edge(edges->graph, node, threads);
}

/* ---- all --------------------------------------------------------------------------------------- */

static void wait_for_transfer(DtEdges *edges, guint node, const DtTransfer *transfer)
{
    if (edges->awaited[node].count++ == 0)
        edges->awaited[node].first = *transfer;
    if (transfer->peer == DT_PEER_ANY)
        wait_for_anybody(edges, node, transfer->communicator);
    else if (transfer->peer == DT_PEER_UNKNOWN)
        wait_for_whomever(edges, node);
    else
        wait_for_rank(edges, node, transfer->peer);
}

/* Of a call whose messages all have their counterparts nothing is still to be done. */
static void wait_for_transfers(DtEdges *edges, guint node, const DtBlockingCall *open)
{
    const gint rank = dt_edges_facts(edges, node)->trace->process->rank;
    for (guint i = 0; i < open->transfer_count; i++) {
        const DtTransfer *transfer = &open->transfers[i];
        guint peer = dt_edges_node_of(edges, transfer->peer);
        gboolean dead = peer != G_MAXUINT && dt_edges_facts(edges, peer)->died;
        if (!dead && has_counterpart(edges, rank, open, transfer))
            continue;
        wait_for_transfer(edges, node, transfer);
        /* What MPI_Sendrecv sends may have left before anybody asked for it. */
        if (!transfer->send && peer != G_MAXUINT)
            need(&edges->releases[node], peer);
    }
    if (edges->awaited[node].count == 0 && open->transfer_count > 0)
        edges->modes[node] = DT_WAIT_RUNS;
}

/* Of the last collective call on a communicator, if its end is a request: those who have not come to it. FALSE: they
 * all have. */
static gboolean wait_for_started_collectives(DtEdges *edges, guint node)
{
    const DtFacts *own = dt_edges_facts(edges, node);
    gboolean waits = FALSE;
    for (guint i = 0; edges->functions && i < own->collectives->len; i++) {
        const DtCollectives *used = &g_array_index(own->collectives, DtCollectives, i);
        if (used->count == 0)
            continue;
        DtBlockingCall started = {.communicator = used->communicator,
                                  .collective = dt_collective_at(own, used->communicator, used->count - 1)};
        if (!dt_is_started(dt_functions_get(edges->functions, started.collective.function)->name))
            continue;
        DtRelease release = wait_for_collective(edges, node, &started);
        waits = waits || !release.may_end;
        g_clear_pointer(&release.needs, g_array_unref);
    }
    return waits;
}

/* TRUE if it is known of all messages of the trace whether they have met their other ends. */
static gboolean knows_messages(const DtEdges *edges, guint node)
{
    const DtFacts *own = dt_edges_facts(edges, node);
    gboolean knows = !is_partial(edges, own->trace->process->rank);
    for (guint i = 0; knows && i < own->transfers->len; i++) {
        const DtTransfer *transfer = &g_array_index(own->transfers, DtTransfer, i);
        knows = transfer->peer >= 0 && transfer->tag != DT_TAG_UNKNOWN && !is_partial(edges, transfer->peer);
    }
    return knows;
}

/* Which requests a call waits for is not said by its arguments: those whose messages have no counterpart. Some of them
 * may be enough: others are not named, or MPI has sent them before anybody asked for them. */
static void wait_for_requests(DtEdges *edges, guint node, const DtBlockingCall *open)
{
    const DtFacts *own = dt_edges_facts(edges, node);
    if (own->is_of_now) { /* of any kind, with anybody: that some other member does something is the least that it takes
                           */
        edges->guessed[node] = TRUE;
        wait_for_anybody(edges, node, own->open.communicator);
        return;
    }
    gboolean waits = FALSE;
    for (guint i = 0; i < own->transfers->len; i++) {
        const DtTransfer *transfer = &g_array_index(own->transfers, DtTransfer, i);
        gint64 surplus = transfer->peer >= 0 ? dt_edges_surplus(edges, transfer, own->trace->process->rank) : 0;
        const gboolean is_open = transfer->send ? surplus > 0 : surplus < 0;
        if (is_open)
            wait_for_transfer(edges, node, transfer);
        else if (transfer->peer == DT_PEER_ANY && open->any)
            wait_for_anybody(edges, node, transfer->communicator);
        waits = waits || is_open;
    }
    for (guint i = 0; i < open->transfer_count; i++) /* probed for between the questions for requests */
        wait_for_transfer(edges, node, &open->transfers[i]);
    waits = wait_for_started_collectives(edges, node) || waits || open->transfer_count > 0;
    edges->modes[node] = open->any ? DT_WAIT_FOR_ANY : DT_WAIT_FOR_ALL;
    edges->releases[node] = (DtRelease){.may_end = !waits && knows_messages(edges, node), .by_some = TRUE};
    if (edges->releases[node].may_end)
        edges->modes[node] = DT_WAIT_RUNS;
}

static void add_waits(DtEdges *edges, guint node)
{
    const DtFacts *facts = dt_edges_facts(edges, node);
    const DtBlockingCall *open = &facts->open;
    const gboolean over = facts->ended || facts->died;
    if (facts->is_unknown) {
        edges->modes[node] = DT_WAIT_UNKNOWN;
        return;
    }
    edges->modes[node] = over                                         ? DT_WAIT_ENDED
                         : facts->moved || open->kind == DT_OPEN_NONE ? DT_WAIT_RUNS
                                                                      : DT_WAIT_FOR_ALL;
    switch (over || facts->moved ? DT_OPEN_NONE : open->kind) {
    case DT_OPEN_TRANSFER:
        wait_for_transfers(edges, node, open);
        break;
    case DT_OPEN_FINALIZE:
        wait_for_world(edges, node);
        break;
    case DT_OPEN_REQUESTS:
        wait_for_requests(edges, node, open);
        break;
    case DT_OPEN_COLLECTIVE:
        wait_for_open_collective(edges, node, open);
        break;
    case DT_OPEN_LOCK:
        wait_for_lock(edges, node, open->lock);
        break;
    case DT_OPEN_JOIN:
        wait_for_thread(edges, node, open->joined);
        break;
    case DT_OPEN_OTHER:
        wait_for_threads(edges, node);
        break;
    case DT_OPEN_NONE:
        break;
    }
}

static guint mpi_activity(const DtFacts *facts)
{
    return facts->transfers->len + facts->collectives->len;
}

static void add_thread_of_rank(DtEdges *edges, gint rank, guint node)
{
    GArray *threads = g_hash_table_lookup(edges->rank_threads, GINT_TO_POINTER(rank + 1));
    if (!threads) {
        threads = g_array_new(FALSE, FALSE, sizeof(guint));
        g_hash_table_insert(edges->rank_threads, GINT_TO_POINTER(rank + 1), threads);
    }
    g_array_append_val(threads, node);
}

/* Messages and collectives are a process's: its thread that makes most kinds of them stands for it. */
static void find_rank_nodes(DtEdges *edges)
{
    for (guint node = 0; node < edges->facts->len; node++) {
        const DtFacts *facts = dt_edges_facts(edges, node);
        gint rank = facts->trace->process->rank;
        edges->ranks = MAX(edges->ranks, (guint)MAX(facts->trace->process->world_size, rank + 1));
        if (rank < 0 || strchr(facts->trace->process->label, '+'))
            continue;
        guint known = dt_edges_node_of(edges, rank);
        add_thread_of_rank(edges, rank, node);
        if (known == G_MAXUINT || mpi_activity(facts) > mpi_activity(dt_edges_facts(edges, known)))
            g_hash_table_insert(edges->rank_nodes, GINT_TO_POINTER(rank + 1), GUINT_TO_POINTER(node + 1));
    }
}

/* Who waits for several requests of one other waits for it once. */
static void count_waiting(DtEdges *edges)
{
    g_autofree guint *waiting_there = g_new0(guint, edges->graph->nodes + 1);
    g_autofree guint *counted = g_new0(guint, edges->graph->nodes + 1); /* 1 + who was counted there last */
    for (guint node = 0; node < edges->facts->len; node++) {
        const GArray *targets = edges->graph->targets[node];
        for (guint i = 0; i < targets->len; i++) {
            const guint target = g_array_index(targets, guint, i);
            waiting_there[target] += counted[target] == node + 1 ? 0 : 1;
            counted[target] = node + 1;
        }
    }
    for (guint node = edges->facts->len; node < edges->graph->nodes; node++) {
        const GArray *targets = edges->graph->targets[node];
        for (guint i = 0; i < targets->len; i++)
            waiting_there[g_array_index(targets, guint, i)] += waiting_there[node];
    }
    memcpy(edges->waiting, waiting_there, edges->facts->len * sizeof(guint));
}

DtEdges *dt_edges_new(const GPtrArray *facts, const DtMembers *members, const DtFunctions *functions)
{
    DtEdges *edges = g_new0(DtEdges, 1);
    edges->facts = facts;
    edges->members = members;
    edges->functions = functions;
    edges->rank_nodes = g_hash_table_new(NULL, NULL);
    edges->rank_threads = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    edges->shared = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    edges->graph = dt_wait_graph_new(facts->len);
    edges->waiting = g_new0(guint, facts->len + 1);
    edges->modes = g_new0(DtWaitMode, facts->len + 1);
    edges->awaited = g_new0(DtAwaited, facts->len + 1);
    edges->met = g_hash_table_new(NULL, NULL);
    edges->releases = g_new0(DtRelease, facts->len + 1);
    edges->guessed = g_new0(gboolean, facts->len + 1);
    find_rank_nodes(edges);
    for (guint node = 0; node < facts->len; node++)
        add_waits(edges, node);
    count_waiting(edges);
    return edges;
}

void dt_edges_free(DtEdges *edges)
{
    if (!edges)
        return;
    g_hash_table_unref(edges->rank_nodes);
    g_hash_table_unref(edges->rank_threads);
    g_hash_table_unref(edges->shared);
    dt_wait_graph_free(edges->graph);
    g_free(edges->waiting);
    g_free(edges->modes);
    g_free(edges->awaited);
    g_hash_table_unref(edges->met);
    for (guint node = 0; node < edges->facts->len; node++)
        g_clear_pointer(&edges->releases[node].needs, g_array_unref);
    g_free(edges->releases);
    g_free(edges->guessed);
    g_free(edges);
}
