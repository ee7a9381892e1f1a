/*
 * Blame. If somebody that others wait for ended, or goes on without waiting, it
 * is he. Otherwise those who wait for each other share it, and what is odd about
 * one of them weighs: docs/algorithms/waitfor.md.
 */
#include "waitfor/blame.h"

#include <string.h>

static const double OTHER_CALL = 1;    /* another collective call than the others' at the same place */
static const double OTHER_TRAFFIC = 1; /* as far as the others, but with other numbers of messages */
static const double AHEAD = 0.5;       /* in a collective call that most are not at */
static const double BEHIND = 0.25;     /* not at it, and waiting in something else */
static const double MISMATCH = 0.5;    /* one end of a message that its other end expects otherwise */
static const double ONLY_ONE = 0.5;    /* the only one that makes a call with these arguments */
enum { FEWEST_FOR_MAJORITY = 3 };

static void add_blame(DtBlame *blame, double part, char *reason)
{
    blame->weight += part;
    if (part > blame->part) {
        g_free(blame->reason);
        blame->reason = reason;
        blame->part = part;
    } else {
        g_free(reason);
    }
}

void dt_blame_free(DtBlame *blame, guint count)
{
    for (guint i = 0; blame && i < count; i++)
        g_free(blame[i].reason);
    g_free(blame);
}

/* ---- majorities ---------------------------------------------------------------------------- */

/* Values of a group of nodes: which one most of them have, if most do. */
typedef struct {
    guint node;
    guint64 value;
} Member;

static gint compare_members(gconstpointer a, gconstpointer b)
{
    const Member *first = a, *second = b;
    if (first->value != second->value)
        return first->value < second->value ? -1 : 1;
    return first->node < second->node ? -1 : first->node > second->node;
}

static gboolean find_majority(GArray *group, guint64 *value)
{
    guint longest = 0, length = 0;
    g_array_sort(group, compare_members);
    for (guint i = 0; i < group->len; i++) {
        const Member *member = &g_array_index(group, Member, i);
        length = i > 0 && g_array_index(group, Member, i - 1).value == member->value ? length + 1 : 1;
        if (length > longest) {
            longest = length;
            *value = member->value;
        }
    }
    return group->len >= FEWEST_FOR_MAJORITY && 2 * longest > group->len && longest < group->len;
}

static void add_to_group(GHashTable *groups, guint64 key, Member member)
{
    GArray *group = g_hash_table_lookup(groups, &key);
    if (!group) {
        group = g_array_new(FALSE, FALSE, sizeof(Member));
        g_hash_table_insert(groups, g_memdup2(&key, sizeof key), group);
    }
    g_array_append_val(group, member);
}

static GHashTable *groups_new(void)
{
    return g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, (GDestroyNotify)g_array_unref);
}

/* ---- collectives --------------------------------------------------------------------------- */

static guint members_on(const DtEdges *edges, guint64 communicator)
{
    const GArray *members = g_hash_table_lookup((GHashTable *)edges->members, &communicator);
    return members ? members->len : 0;
}

static gboolean in_collective(const DtEdges *edges, guint node)
{
    DtOpenKind kind = dt_edges_facts(edges, node)->open.kind;
    return kind == DT_OPEN_COLLECTIVE || kind == DT_OPEN_FINALIZE;
}

/* By communicator, how many collective calls each of its users made. */
static GHashTable *count_collectives(const DtEdges *edges)
{
    GHashTable *groups = groups_new();
    for (guint node = 0; node < edges->facts->len; node++) {
        const DtFacts *facts = dt_edges_facts(edges, node);
        for (guint i = 0; i < facts->collectives->len; i++) {
            const DtCollectives *used = &g_array_index(facts->collectives, DtCollectives, i);
            add_to_group(groups, used->communicator, (Member){node, used->count});
        }
    }
    return groups;
}

/* Who is not where most of a communicator's members are. */
static void blame_positions(const DtEdges *edges, DtBlame *blame)
{
    g_autoptr(GHashTable) groups = count_collectives(edges);
    GHashTableIter iterator;
    gpointer key, value;
    g_hash_table_iter_init(&iterator, groups);
    while (g_hash_table_iter_next(&iterator, &key, &value)) {
        GArray *group = value;
        guint64 most = 0;
        if (!find_majority(group, &most))
            continue;
        guint ranks = members_on(edges, *(guint64 *)key);
        for (guint i = 0; i < group->len; i++) {
            const Member *member = &g_array_index(group, Member, i);
            if (member->value != most)
                add_blame(&blame[member->node], in_collective(edges, member->node) ? AHEAD : BEHIND,
                          g_strdup_printf("made %" G_GUINT64_FORMAT
                                          " collective calls on a communicator of %u ranks where "
                                          "most made %" G_GUINT64_FORMAT,
                                          member->value, ranks, most));
        }
    }
}

/* The name of the collective call on a communicator that any of the group is in. */
static const char *call_on(const DtEdges *edges, const GArray *group, guint64 communicator)
{
    for (guint i = 0; i < group->len; i++) {
        const DtBlockingCall *open = &dt_edges_facts(edges, g_array_index(group, Member, i).node)->open;
        if (open->kind == DT_OPEN_COLLECTIVE && open->communicator == communicator)
            return open->call;
    }
    return "a collective call";
}

/* The same where only the open calls are known: who is not in a collective call that most of a communicator are in, or
 * the other way round. */
static void blame_absent_now(const DtEdges *edges, guint64 communicator, const GArray *ranks, DtBlame *blame)
{
    g_autoptr(GArray) group = g_array_new(FALSE, FALSE, sizeof(Member));
    for (guint i = 0; i < ranks->len; i++) {
        guint node = dt_edges_node_of(edges, g_array_index(ranks, gint, i));
        if (node == G_MAXUINT || !dt_edges_facts(edges, node)->is_of_now)
            continue;
        Member member = {node, dt_collective_count(dt_edges_facts(edges, node), communicator) > 0 ? 1 : 0};
        g_array_append_val(group, member);
    }
    guint64 most = 0;
    if (!find_majority(group, &most))
        return;
    const char *call = call_on(edges, group, communicator);
    for (guint i = 0; i < group->len; i++) {
        const Member *member = &g_array_index(group, Member, i);
        if (member->value == most)
            continue;
        add_blame(&blame[member->node], most ? BEHIND : AHEAD,
                  g_strdup_printf(most ? "is not in %s, where most of the %u ranks of its communicator are"
                                       : "is in %s, where most of the %u ranks of its communicator are not",
                                  call, ranks->len));
    }
}

/* Who is in another call than most ranks are. */
static void blame_other_places(const DtEdges *edges, DtBlame *blame)
{
    g_autoptr(GArray) group = g_array_new(FALSE, FALSE, sizeof(Member));
    GHashTableIter iterator;
    gpointer value;
    guint64 most = 0;
    g_hash_table_iter_init(&iterator, edges->rank_nodes);
    while (g_hash_table_iter_next(&iterator, NULL, &value)) {
        guint node = GPOINTER_TO_UINT(value) - 1;
        const DtFacts *facts = dt_edges_facts(edges, node);
        Member member = {node, facts->open.call ? g_str_hash(facts->open.call) : 0};
        if (facts->is_of_now)
            g_array_append_val(group, member);
    }
    if (!find_majority(group, &most))
        return;
    const char *usual = NULL;
    for (guint i = 0; i < group->len; i++)
        if (g_array_index(group, Member, i).value == most)
            usual = dt_edges_facts(edges, g_array_index(group, Member, i).node)->open.call;
    for (guint i = 0; usual && i < group->len; i++) {
        const Member *member = &g_array_index(group, Member, i);
        const char *own = dt_edges_facts(edges, member->node)->open.call;
        if (member->value != most && own)
            add_blame(&blame[member->node], BEHIND,
                      g_strdup_printf("is in %s, where most of the %u ranks are in %s", own, group->len, usual));
    }
}

static void blame_absent(const DtEdges *edges, DtBlame *blame)
{
    GHashTableIter iterator;
    gpointer key, ranks;
    g_hash_table_iter_init(&iterator, (GHashTable *)edges->members);
    while (g_hash_table_iter_next(&iterator, &key, &ranks))
        blame_absent_now(edges, *(guint64 *)key, ranks, blame);
}

/* Who is not at MPI_Finalize, or the other way round, as most are. */
static void blame_finalizing(const DtEdges *edges, DtBlame *blame)
{
    g_autoptr(GArray) group = g_array_new(FALSE, FALSE, sizeof(Member));
    GHashTableIter iterator;
    gpointer value;
    g_hash_table_iter_init(&iterator, edges->rank_nodes);
    while (g_hash_table_iter_next(&iterator, NULL, &value)) {
        guint node = GPOINTER_TO_UINT(value) - 1;
        Member member = {node, dt_edges_facts(edges, node)->finalizes ? 1 : 0};
        g_array_append_val(group, member);
    }
    guint64 most = 0;
    if (!find_majority(group, &most))
        return;
    for (guint i = 0; i < group->len; i++) {
        const Member *member = &g_array_index(group, Member, i);
        if (member->value != most)
            add_blame(&blame[member->node], in_collective(edges, member->node) ? AHEAD : BEHIND,
                      g_strdup(most ? "never came to MPI_Finalize where most are"
                                    : "came to MPI_Finalize where most have not yet come"));
    }
}

/* Who made which call at a place where others wait. */
typedef struct {
    guint node;
    DtCollectiveCall call;
} Caller;

static GArray *find_callers(const DtEdges *edges, const GArray *users, guint64 communicator, guint64 position)
{
    GArray *callers = g_array_new(FALSE, FALSE, sizeof(Caller));
    for (guint i = 0; users && i < users->len; i++) {
        const Member *user = &g_array_index(users, Member, i);
        if (user->value <= position)
            continue;
        Caller caller = {user->node, dt_collective_at(dt_edges_facts(edges, user->node), communicator, position)};
        g_array_append_val(callers, caller);
    }
    return callers;
}

static guint count_like(const GArray *callers, const DtCollectiveCall *call)
{
    guint count = 0;
    for (guint i = 0; i < callers->len; i++)
        count += dt_collective_calls_agree(&g_array_index(callers, Caller, i).call, call) ? 1 : 0;
    return count;
}

/* The call that most made, or NULL; *differ: not all made the same. */
static const DtCollectiveCall *find_usual_call(const GArray *callers, gboolean *differ)
{
    const DtCollectiveCall *usual = NULL;
    *differ = FALSE;
    for (guint i = 0; i < callers->len && !usual; i++) {
        const DtCollectiveCall *call = &g_array_index(callers, Caller, i).call;
        guint like = count_like(callers, call);
        *differ = *differ || like < callers->len;
        if (callers->len >= FEWEST_FOR_MAJORITY && 2 * like > callers->len)
            usual = call;
    }
    return usual;
}

static void append_difference(GString *text, const DtCollectiveCall *call, const DtCollectiveCall *other)
{
    if (call->function != other->function)
        return;
    if (call->root != other->root && call->root != DT_NOT_TOLD)
        g_string_append_printf(text, " with root %d", call->root);
    if (call->operation != other->operation && call->operation != DT_NOT_TOLD) {
        const DtArgument operation = {.kind = DT_ARGUMENT_OPERATION, .value = call->operation};
        g_autofree char *name = dt_argument_text(&operation, NULL);
        g_string_append_printf(text, " with %s", name);
    }
    if (call->bytes != other->bytes && call->bytes != DT_NOT_TOLD)
        g_string_append_printf(text, " of %" G_GINT64_FORMAT " bytes", call->bytes);
}

/* "MPI_Bcast with root 0": what it is and how it differs from the other one. */
static char *call_text(const DtEdges *edges, const DtCollectiveCall *call, const DtCollectiveCall *other)
{
    GString *text =
        g_string_new(edges->functions ? dt_functions_get(edges->functions, call->function)->name : "another one");
    append_difference(text, call, other);
    return g_string_free(text, FALSE);
}

/* `whose`: "the others'", or "that of rank 1". */
static void blame_caller(const DtEdges *edges, guint64 communicator, guint64 position, const Caller *caller,
                         const DtCollectiveCall *other, const char *whose, DtBlame *blame)
{
    g_autofree char *own_text = call_text(edges, &caller->call, other),
                    *other_text = call_text(edges, other, &caller->call);
    if (dt_edges_facts(edges, caller->node)->is_of_now) {
        add_blame(&blame[caller->node], OTHER_CALL,
                  g_strdup_printf("its collective call on a communicator of %u ranks is %s, %s is %s",
                                  members_on(edges, communicator), own_text, whose, other_text));
        return;
    }
    add_blame(&blame[caller->node], OTHER_CALL,
              g_strdup_printf("its collective call number %" G_GUINT64_FORMAT " on a communicator of %u ranks is %s, "
                              "%s is %s",
                              position + 1, members_on(edges, communicator), own_text, whose, other_text));
}

static const Caller *find_other(const GArray *callers, const Caller *caller)
{
    for (guint i = 0; i < callers->len; i++) {
        const Caller *other = &g_array_index(callers, Caller, i);
        if (!dt_collective_calls_agree(&other->call, &caller->call))
            return other;
    }
    return NULL;
}

/* If most agree the others are the odd ones; if not, that they differ is a fact all the same. */
static void blame_callers(const DtEdges *edges, guint64 communicator, guint64 position, const GArray *callers,
                          DtBlame *blame)
{
    gboolean differ;
    const DtCollectiveCall *usual = find_usual_call(callers, &differ);
    for (guint i = 0; differ && i < callers->len; i++) {
        const Caller *caller = &g_array_index(callers, Caller, i);
        const Caller *other = usual ? NULL : find_other(callers, caller);
        if (usual && !dt_collective_calls_agree(&caller->call, usual)) {
            blame_caller(edges, communicator, position, caller, usual, "the others'", blame);
        } else if (other) {
            g_autofree char *whose =
                g_strdup_printf("that of rank %d", dt_edges_facts(edges, other->node)->trace->process->rank);
            blame_caller(edges, communicator, position, caller, &other->call, whose, blame);
        }
    }
}

static void blame_place(const DtEdges *edges, GHashTable *judged, const GArray *users, guint64 communicator,
                        guint64 position, DtBlame *blame)
{
    char *place = g_strdup_printf("%" G_GINT64_MODIFIER "x %" G_GUINT64_FORMAT, communicator, position);
    if (!g_hash_table_add(judged, place))
        return;
    g_autoptr(GArray) callers = find_callers(edges, users, communicator, position);
    blame_callers(edges, communicator, position, callers, blame);
}

/* Where members made different calls and left them: their ways part there. Below their number of calls if any did. */
static guint64 find_parting(const DtEdges *edges, const GArray *users, guint64 communicator)
{
    const Member *first = &g_array_index(users, Member, 0);
    guint64 parting = first->value;
    for (guint i = 1; i < users->len; i++) {
        const guint node = g_array_index(users, Member, i).node;
        parting = MIN(parting, dt_collectives_part(dt_edges_facts(edges, first->node), dt_edges_facts(edges, node),
                                                   communicator));
    }
    return parting;
}

/* At the places where somebody waits, and where the members' ways part. */
static void blame_other_calls(const DtEdges *edges, DtBlame *blame)
{
    g_autoptr(GHashTable) judged = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) groups = count_collectives(edges);
    GHashTableIter iterator;
    gpointer key, users;
    for (guint node = 0; node < edges->facts->len; node++) {
        const DtFacts *own = dt_edges_facts(edges, node);
        if (own->ended || own->open.kind != DT_OPEN_COLLECTIVE)
            continue;
        guint64 communicator = own->open.communicator;
        blame_place(edges, judged, g_hash_table_lookup(groups, &communicator), communicator,
                    dt_collective_count(own, communicator) - 1, blame);
    }
    g_hash_table_iter_init(&iterator, groups);
    while (g_hash_table_iter_next(&iterator, &key, &users))
        blame_place(edges, judged, users, *(guint64 *)key, find_parting(edges, users, *(guint64 *)key), blame);
}

/* ---- messages --------------------------------------------------------------------------------- */

static guint64 mix_into_hash(guint64 hash, guint64 value)
{
    hash = (hash ^ value) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static guint64 count_messages(const DtFacts *facts, gboolean send)
{
    guint64 calls = 0;
    for (guint i = 0; i < facts->transfers->len; i++) {
        const DtTransfer *transfer = &g_array_index(facts->transfers, DtTransfer, i);
        calls += transfer->send == send ? transfer->calls : 0;
    }
    return calls;
}

/* Of those who wait in the same collective call and call the same functions otherwise, who sent or received another
 * number of messages. */
static void blame_traffic(const DtEdges *edges, DtBlame *blame, gboolean send)
{
    g_autoptr(GHashTable) groups = groups_new();
    for (guint node = 0; node < edges->facts->len; node++) {
        const DtFacts *facts = dt_edges_facts(edges, node);
        if (facts->ended || facts->open.kind != DT_OPEN_COLLECTIVE)
            continue;
        guint64 key = mix_into_hash(mix_into_hash(facts->open.communicator, facts->open.collective.function),
                                    dt_collective_count(facts, facts->open.communicator));
        for (guint i = 0; i < facts->symbols->len; i++)
            key = mix_into_hash(key, g_array_index(facts->symbols, guint32, i));
        add_to_group(groups, key, (Member){node, count_messages(facts, send)});
    }
    GHashTableIter iterator;
    gpointer value;
    g_hash_table_iter_init(&iterator, groups);
    while (g_hash_table_iter_next(&iterator, NULL, &value)) {
        GArray *group = value;
        guint64 most = 0;
        if (!find_majority(group, &most))
            continue;
        for (guint i = 0; i < group->len; i++) {
            const Member *member = &g_array_index(group, Member, i);
            if (member->value != most)
                add_blame(&blame[member->node], OTHER_TRAFFIC,
                          g_strdup_printf("%s %" G_GUINT64_FORMAT
                                          " messages until %s where its like made %" G_GUINT64_FORMAT,
                                          send ? "sent" : "received", member->value,
                                          dt_edges_facts(edges, member->node)->open.call, most));
        }
    }
}

/* A message from the peer to `rank`, or to the peer, that has no counterpart, though it is not the one waited for: it
 * has another tag, or is on another communicator. */
static const DtTransfer *find_stray(const DtEdges *edges, const DtFacts *peer, gint rank, const DtTransfer *wanted)
{
    for (guint i = 0; i < peer->transfers->len; i++) {
        const DtTransfer *transfer = &g_array_index(peer->transfers, DtTransfer, i);
        gboolean is_wanted = transfer->communicator == wanted->communicator && dt_same_tag(transfer->tag, wanted->tag);
        if (transfer->peer != rank || transfer->send == wanted->send || is_wanted)
            continue;
        gint64 surplus = dt_edges_surplus(edges, transfer, peer->trace->process->rank);
        if (transfer->send ? surplus > 0 : surplus < 0)
            return transfer;
    }
    return NULL;
}

static char *tag_text(gint64 tag)
{
    if (tag == DT_TAG_UNKNOWN)
        return g_strdup("another tag");
    return tag == DT_TAG_ANY ? g_strdup("any tag") : g_strdup_printf("tag %" G_GINT64_FORMAT, tag);
}

static void blame_mismatch(const DtEdges *edges, guint node, const DtTransfer *wanted, DtBlame *blame)
{
    gint rank = dt_edges_facts(edges, node)->trace->process->rank;
    guint other = dt_edges_node_of(edges, wanted->peer);
    if (other == G_MAXUINT || other == node)
        return;
    const DtTransfer *stray = find_stray(edges, dt_edges_facts(edges, other), rank, wanted);
    if (!stray)
        return;
    const char *verb = wanted->send ? "expects" : "sends";
    const char *where = stray->communicator == wanted->communicator ? "" : " on another communicator";
    g_autofree char *stray_tag = tag_text(stray->tag), *wanted_tag = tag_text(wanted->tag);
    add_blame(&blame[other], MISMATCH,
              g_strdup_printf("%s messages with %s %s rank %d, which %s %s%s", verb, stray_tag,
                              wanted->send ? "from" : "to", rank, wanted->send ? "sends with" : "waits for", wanted_tag,
                              where));
    add_blame(&blame[node], MISMATCH,
              g_strdup_printf("%s %s where rank %d %s %s%s", wanted->send ? "sends with" : "waits for", wanted_tag,
                              wanted->peer, verb, stray_tag, where));
}

static void blame_mismatches(const DtEdges *edges, const gboolean *deadlocked, DtBlame *blame)
{
    for (guint node = 0; node < edges->facts->len; node++) {
        const DtFacts *facts = dt_edges_facts(edges, node);
        for (guint i = 0; deadlocked[node] && facts->open.kind == DT_OPEN_TRANSFER && i < facts->open.transfer_count;
             i++)
            blame_mismatch(edges, node, &facts->open.transfers[i], blame);
        for (guint i = 0; deadlocked[node] && facts->open.kind == DT_OPEN_REQUESTS && i < facts->transfers->len; i++) {
            const DtTransfer *transfer = &g_array_index(facts->transfers, DtTransfer, i);
            if (transfer->peer >= 0 && !transfer->send &&
                dt_edges_surplus(edges, transfer, facts->trace->process->rank) < 0)
                blame_mismatch(edges, node, transfer, blame);
        }
    }
}

/* ---- calls that nobody else makes ------------------------------------------------------------------ */

/* Who is odd in everything (a master) is not odd in this. */
static void blame_singles(const DtEdges *edges, DtBlame *blame)
{
    g_autoptr(GHashTable) users = g_hash_table_new(NULL, NULL);
    for (guint node = 0; node < edges->facts->len; node++) {
        const GArray *symbols = dt_edges_facts(edges, node)->symbols;
        for (guint i = 0; i < symbols->len; i++) {
            gpointer symbol = GUINT_TO_POINTER(g_array_index(symbols, guint32, i));
            guint count = GPOINTER_TO_UINT(g_hash_table_lookup(users, symbol));
            g_hash_table_insert(users, symbol, GUINT_TO_POINTER(count + 1));
        }
    }
    for (guint node = 0; edges->facts->len >= FEWEST_FOR_MAJORITY && node < edges->facts->len; node++) {
        const GArray *symbols = dt_edges_facts(edges, node)->symbols;
        guint single = 0;
        for (guint i = 0; i < symbols->len; i++)
            single +=
                GPOINTER_TO_UINT(g_hash_table_lookup(users, GUINT_TO_POINTER(g_array_index(symbols, guint32, i)))) == 1;
        if (single > 0 && 3 * single <= symbols->len)
            add_blame(&blame[node], ONLY_ONE, g_strdup("makes a call with arguments that nobody else uses"));
    }
}

/* ---- all together ------------------------------------------------------------------------------------ */

static gboolean waits(DtWaitMode mode)
{
    return mode == DT_WAIT_FOR_ALL || mode == DT_WAIT_FOR_ANY;
}

gboolean *dt_deadlocked_nodes(const DtEdges *edges, const guint *components, guint component_count)
{
    const DtWaitGraph *graph = edges->graph;
    g_autofree guint *sizes = g_new0(guint, component_count + 1);
    g_autofree gboolean *leaves = g_new0(gboolean, component_count + 1);
    g_autofree gboolean *turns = g_new0(gboolean, component_count + 1);
    for (guint node = 0; node < graph->nodes; node++) {
        sizes[components[node]] += node < edges->facts->len ? 1 : 0;
        for (guint i = 0; i < graph->targets[node]->len; i++) {
            guint target = g_array_index(graph->targets[node], guint, i);
            leaves[components[node]] |= components[target] != components[node];
            turns[components[node]] |= target == node;
        }
    }
    gboolean *deadlocked = g_new0(gboolean, edges->facts->len + 1);
    for (guint node = 0; node < edges->facts->len; node++) {
        guint component = components[node];
        deadlocked[node] =
            waits(edges->modes[node]) && !leaves[component] && (sizes[component] > 1 || turns[component]);
    }
    return deadlocked;
}

gboolean *dt_unproved_components(const DtEdges *edges, const guint *components, guint component_count)
{
    gboolean *unproved = g_new0(gboolean, component_count + 1);
    for (guint node = 0; node < edges->facts->len; node++) {
        const DtFacts *facts = dt_edges_facts(edges, node);
        unproved[components[node]] |= edges->guessed[node] || (facts->is_of_now && !facts->is_still);
    }
    return unproved;
}

static char *why_it_does_not_wait(const DtEdges *edges, guint node)
{
    const DtFacts *facts = dt_edges_facts(edges, node);
    if (facts->died && facts->end)
        return g_strdup(facts->end);
    if (facts->is_of_now && facts->open.call && (facts->moved || facts->open.kind == DT_OPEN_NONE))
        return g_strdup_printf("goes on: it was in %s", facts->open.call);
    if (facts->moved)
        return g_strdup(facts->end ? facts->end : "was still running");
    if (edges->modes[node] == DT_WAIT_ENDED)
        return g_strdup("has ended");
    if (facts->open.kind != DT_OPEN_NONE)
        return g_strdup_printf("has in %s all that it waits for", facts->open.call);
    return g_strdup("is in no call that waits");
}

static gboolean any_deadlock_is_proved(const DtEdges *edges, const gboolean *deadlocked, const guint *components,
                                       guint component_count)
{
    g_autofree gboolean *unproved = dt_unproved_components(edges, components, component_count);
    for (guint node = 0; node < edges->facts->len; node++)
        if (deadlocked[node] && !unproved[components[node]])
            return TRUE;
    return FALSE;
}

/*
 * Those whom others wait for, and who do not wait; if some of them died, these. Who still runs may do his part later:
 * he does not count beside a deadlock that is proved.
 */
static gboolean blame_ends(const DtEdges *edges, gboolean any_deadlock, DtBlame *blame)
{
    gboolean any = FALSE, any_died = FALSE;
    for (guint node = 0; node < edges->facts->len; node++)
        any_died |= edges->waiting[node] > 0 && dt_edges_facts(edges, node)->died;
    for (guint node = 0; node < edges->facts->len; node++) {
        const DtWaitMode mode = edges->modes[node];
        const guint waiting = edges->waiting[node];
        if (waits(mode) || mode == DT_WAIT_UNKNOWN || waiting == 0 || (mode == DT_WAIT_RUNS && any_deadlock) ||
            (any_died && !dt_edges_facts(edges, node)->died))
            continue;
        any = TRUE;
        g_autofree char *state = why_it_does_not_wait(edges, node);
        add_blame(&blame[node], 1,
                  g_strdup_printf("%u wait%s for it, but it %s", waiting, waiting == 1 ? "s" : "", state));
    }
    return any;
}

/* "in MPI_Recv it waits for rank 0, which is in MPI_Finalize" */
static char *tell_wait(const DtEdges *edges, guint node)
{
    const GArray *targets = edges->graph->targets[node];
    guint target = targets->len == 1 ? g_array_index(targets, guint, 0) : node;
    if (target >= edges->facts->len)
        target =
            edges->graph->targets[target]->len == 1 ? g_array_index(edges->graph->targets[target], guint, 0) : node;
    if (target == node || target >= edges->facts->len || !dt_edges_facts(edges, target)->open.call)
        return g_strdup("waits for those that wait for it");
    return g_strdup_printf("in %s it waits for %s, which is in %s", dt_edges_facts(edges, node)->open.call,
                           dt_edges_facts(edges, target)->trace->label, dt_edges_facts(edges, target)->open.call);
}

/* A message that a rank in MPI_Finalize will never send or take: one of the two is wrong, and nothing says which. */
static void blame_leavers(const DtEdges *edges, const gboolean *deadlocked, DtBlame *blame)
{
    for (guint node = 0; node < edges->facts->len; node++) {
        const DtBlockingCall *open = &dt_edges_facts(edges, node)->open;
        for (guint i = 0; deadlocked[node] && open->kind == DT_OPEN_TRANSFER && i < open->transfer_count; i++) {
            const guint peer = dt_edges_node_of(edges, open->transfers[i].peer);
            if (peer == G_MAXUINT || dt_edges_facts(edges, peer)->open.kind != DT_OPEN_FINALIZE ||
                blame[peer].weight >= blame[node].weight)
                continue;
            add_blame(&blame[peer], blame[node].weight - blame[peer].weight,
                      g_strdup_printf("came to MPI_Finalize, though %s waits for it in %s",
                                      dt_edges_facts(edges, node)->trace->label, open->call));
        }
    }
}

static void blame_deadlocked(const DtEdges *edges, const gboolean *deadlocked, DtBlame *blame)
{
    blame_positions(edges, blame);
    blame_absent(edges, blame);
    blame_other_places(edges, blame);
    blame_finalizing(edges, blame);
    blame_other_calls(edges, blame);
    blame_traffic(edges, blame, TRUE);
    blame_traffic(edges, blame, FALSE);
    blame_mismatches(edges, deadlocked, blame);
    blame_singles(edges, blame);
    blame_leavers(edges, deadlocked, blame);
    double sum = 0;
    for (guint node = 0; node < edges->facts->len; node++) {
        if (!deadlocked[node] && blame[node].weight > 0) {
            g_clear_pointer(&blame[node].reason, g_free);
            blame[node].weight = blame[node].part = 0;
        }
        sum += blame[node].weight;
    }
    for (guint node = 0; sum <= 0 && node < edges->facts->len; node++) {
        if (deadlocked[node] && dt_edges_facts(edges, node)->open.kind != DT_OPEN_OTHER)
            add_blame(&blame[node], 1, tell_wait(edges, node));
    }
}

DtBlame *dt_blame_new(const DtEdges *edges, const guint *components, guint component_count)
{
    DtBlame *blame = g_new0(DtBlame, edges->facts->len + 1);
    g_autofree gboolean *deadlocked = dt_deadlocked_nodes(edges, components, component_count);
    if (!blame_ends(edges, any_deadlock_is_proved(edges, deadlocked, components, component_count), blame))
        blame_deadlocked(edges, deadlocked, blame);
    double sum = 0;
    for (guint node = 0; node < edges->facts->len; node++)
        sum += blame[node].weight;
    for (guint node = 0; sum > 0 && node < edges->facts->len; node++)
        blame[node].weight /= sum;
    return blame;
}
