/* Who stands still, and for whom: as ranks, and in the words of `difftrace waits`, from the same facts that a run at
 * its end has. */
#include "simulate/simulating.h"
#include "simulate/timed.h"
#include <string.h>

#include "waitfor/facts.h"

/* ---- as ranks -------------------------------------------------------------------------------- */

static gint compare_ranks(gconstpointer first, gconstpointer second)
{
    guint a = *(const guint *)first, b = *(const guint *)second;
    return a < b ? -1 : a > b;
}

static void add_rank(GArray *ranks, guint rank)
{
    for (guint i = 0; i < ranks->len; i++)
        if (g_array_index(ranks, guint, i) == rank)
            return;
    g_array_append_val(ranks, rank);
}

/* Members that have not come; the same for all that have. */
static GArray *missing_of(const DtSimulating *simulating, DtMeeting *meeting)
{
    if (meeting->missing)
        return meeting->missing;
    g_autoptr(GHashTable) come = g_hash_table_new(NULL, NULL);
    meeting->missing = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < meeting->waiting->len; i++)
        g_hash_table_add(come, GUINT_TO_POINTER(((const DtOperation *)meeting->waiting->pdata[i])->rank));
    for (guint i = 0; i < meeting->members; i++) {
        gint member = dt_groups_member(simulating->groups, meeting->group, i);
        guint rank = (guint)member;
        if (member >= 0 && !g_hash_table_contains(come, GUINT_TO_POINTER(rank)))
            g_array_append_val(meeting->missing, rank);
    }
    g_array_sort(meeting->missing, compare_ranks);
    return meeting->missing;
}

static void add_awaited(const DtSimulating *simulating, const DtOperation *operation, GArray *ranks, gboolean *for_any)
{
    if (operation->meeting) {
        const GArray *missing = missing_of(simulating, operation->meeting);
        for (guint i = 0; i < missing->len; i++)
            add_rank(ranks, g_array_index(missing, guint, i));
        return;
    }
    if (operation->peer >= 0) {
        add_rank(ranks, (guint)operation->peer);
        return;
    }
    *for_any = TRUE;
    g_array_set_size(ranks, 0);
    for (guint rank = 0; rank < simulating->skeleton->ranks; rank++)
        if (rank != operation->rank)
            g_array_append_val(ranks, rank);
}

GArray *dt_awaited_ranks(const DtSimulating *simulating, guint rank, gboolean *for_any)
{
    const DtSimulatedRank *own = &simulating->ranks[rank];
    *for_any = own->needs_any;
    if (own->needs->len == 1 && ((const DtOperation *)own->needs->pdata[0])->meeting)
        return g_array_ref(missing_of(simulating, ((const DtOperation *)own->needs->pdata[0])->meeting));
    GArray *ranks = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < own->needs->len; i++)
        if (!((const DtOperation *)own->needs->pdata[i])->done)
            add_awaited(simulating, own->needs->pdata[i], ranks, for_any);
    if (own->probes)
        add_awaited(simulating, &own->probe, ranks, for_any);
    g_array_sort(ranks, compare_ranks);
    return ranks;
}

/* ---- as facts -------------------------------------------------------------------------------- */

struct DtSimulatedTraces {
    DtProcess *processes; /* by rank */
    DtTrace *traces;
    guint ranks;
    DtFunctions *functions;
    GStringChunk *labels;
};

static void free_traces(struct DtSimulatedTraces *traces)
{
    if (!traces)
        return;
    g_free(traces->processes);
    g_free(traces->traces);
    dt_functions_unref(traces->functions);
    g_string_chunk_free(traces->labels);
    g_free(traces);
}

static struct DtSimulatedTraces *make_traces(guint ranks)
{
    struct DtSimulatedTraces *made = g_new0(struct DtSimulatedTraces, 1);
    made->processes = g_new0(DtProcess, ranks);
    made->traces = g_new0(DtTrace, ranks);
    made->ranks = ranks;
    made->functions = dt_functions_new();
    made->labels = g_string_chunk_new(4096);
    for (guint rank = 0; rank < ranks; rank++) {
        char label[32];
        (void)g_snprintf(label, sizeof label, "%u.0", rank);
        made->traces[rank].label = g_string_chunk_insert(made->labels, label);
        label[strlen(label) - 2] = '\0';
        made->processes[rank] = (DtProcess){.index = rank,
                                            .label = g_string_chunk_insert(made->labels, label),
                                            .rank = (gint)rank,
                                            .world_size = (gint)ranks,
                                            .traces = 1};
        made->traces[rank].index = rank;
        made->traces[rank].process = &made->processes[rank];
        made->traces[rank].name = "";
    }
    return made;
}

typedef struct {
    const DtSimulating *simulating;
    struct DtSimulatedTraces *traces;
    GPtrArray *facts; /* DtFacts, by rank */
    DtMembers *members;
} Telling;

static guint32 function_id(const Telling *telling, const char *name)
{
    return dt_functions_intern(telling->traces->functions, "", FALSE, name, 0, 0);
}

/* The key of a group, whose members are told with it. */
static guint64 key_of(Telling *telling, guint64 group)
{
    guint64 key = group + 1;
    if (g_hash_table_contains(telling->members, &key))
        return key;
    GArray *members = g_array_new(FALSE, FALSE, sizeof(gint));
    for (guint i = 0; i < dt_groups_size(telling->simulating->groups, group); i++) {
        gint member = dt_groups_member(telling->simulating->groups, group, i);
        g_array_append_val(members, member);
    }
    g_hash_table_insert(telling->members, g_memdup2(&key, sizeof key), members);
    return key;
}

static DtTransfer transfer_of(Telling *telling, const DtOperation *operation)
{
    return (DtTransfer){.communicator = key_of(telling, operation->group),
                        .peer = operation->peer >= 0 ? operation->peer : DT_PEER_ANY,
                        .tag = operation->tag == DT_ANY_TAG ? DT_TAG_ANY : operation->tag,
                        .send = !operation->is_receive,
                        .calls = 1};
}

static DtFacts *facts_of(const Telling *telling, guint rank)
{
    return telling->facts->pdata[rank];
}

/* What is not met: what is cancels out. Of a rank that waits for requests these are what it waits for alone. */
static void add_transfer(Telling *telling, const DtOperation *operation)
{
    DtFacts *facts = facts_of(telling, operation->rank);
    const GPtrArray *needs = telling->simulating->ranks[operation->rank].needs;
    if (facts->open.kind == DT_OPEN_REQUESTS && !g_ptr_array_find((GPtrArray *)needs, operation, NULL))
        return;
    const DtTransfer added = transfer_of(telling, operation);
    for (guint i = 0; i < facts->transfers->len; i++) {
        DtTransfer *known = &g_array_index(facts->transfers, DtTransfer, i);
        if (known->communicator == added.communicator && known->peer == added.peer && known->tag == added.tag &&
            known->send == added.send) {
            known->calls++;
            return;
        }
    }
    g_array_append_val(facts->transfers, added);
}

static const struct dt_call *call_of(const DtSimulating *simulating, const DtSimulatedRank *own)
{
    return g_array_index(simulating->functions, const struct dt_call *, own->call->function);
}

/* What the rank is in. */
static void add_open(Telling *telling, guint rank)
{
    const DtSimulatedRank *own = &telling->simulating->ranks[rank];
    const struct dt_call *row = call_of(telling->simulating, own);
    DtBlockingCall *open = &facts_of(telling, rank)->open;
    const DtOperation *first = own->needs->len > 0 ? own->needs->pdata[0] : NULL;
    open->call = telling->simulating->skeleton->functions->pdata[own->call->function];
    if (telling->simulating->may_lack) {
        open->kind = DT_OPEN_OTHER; /* it may wait for what that would have done */
        return;
    }
    open->any = own->needs_any;
    open->probes = own->probes;
    if (g_str_equal(open->call, "MPI_Finalize")) {
        open->kind = DT_OPEN_FINALIZE;
        facts_of(telling, rank)->finalizes = TRUE;
    } else if (own->probes) {
        open->kind = DT_OPEN_TRANSFER;
        open->transfers[open->transfer_count++] = transfer_of(telling, &own->probe);
    } else if (row && row->properties & DT_CALL_POINT_TO_POINT) {
        open->kind = DT_OPEN_TRANSFER;
        for (guint i = 0; i < own->needs->len && open->transfer_count < G_N_ELEMENTS(open->transfers); i++)
            if (!((const DtOperation *)own->needs->pdata[i])->done)
                open->transfers[open->transfer_count++] = transfer_of(telling, own->needs->pdata[i]);
    } else if (first && first->meeting && row && row->properties & DT_CALL_COLLECTIVE) {
        open->kind = DT_OPEN_COLLECTIVE;
        open->communicator = key_of(telling, first->group);
        open->collective = (DtCollectiveCall){function_id(telling, open->call), DT_NOT_TOLD, DT_NOT_TOLD, DT_NOT_TOLD};
    } else {
        open->kind = DT_OPEN_REQUESTS;
    }
}

static void add_facts(Telling *telling, guint rank)
{
    const DtSimulatedRank *own = &telling->simulating->ranks[rank];
    DtFacts *facts = dt_facts_new(&telling->traces->traces[rank]);
    g_ptr_array_add(telling->facts, facts);
    facts->ended = own->ended;
    facts->finalizes = own->ended;
    facts->stands = !own->ended;
    facts->status = own->ended ? DT_STATUS_FINISHED : DT_STATUS_STUCK;
    if (!own->ended)
        add_open(telling, rank);
    if (own->ended && own->cut_off) {
        facts->is_unknown = TRUE;
        facts->end = g_strdup("was cut off in a call that returns here");
    }
}

static void add_messages(Telling *telling, guint rank)
{
    const DtSimulatedRank *own = &telling->simulating->ranks[rank];
    for (GList *link = own->messages.head; link; link = link->next)
        add_transfer(telling, link->data);
    for (GList *link = own->receives.head; link; link = link->next)
        add_transfer(telling, link->data);
}

/* ---- collectives ----------------------------------------------------------------------------- */

static gint compare_meetings(gconstpointer first, gconstpointer second)
{
    const DtMeeting *a = *(const DtMeeting *const *)first, *b = *(const DtMeeting *const *)second;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* The rank's calls on the group: those that are over were the same to all, and stand for one another. */
static DtCollectives *collectives_on(Telling *telling, guint rank, guint64 group, guint64 over)
{
    DtFacts *facts = facts_of(telling, rank);
    const guint64 key = key_of(telling, group);
    for (guint i = 0; i < facts->collectives->len; i++) {
        DtCollectives *known = &g_array_index(facts->collectives, DtCollectives, i);
        if (known->communicator == key)
            return known;
    }
    DtCollectives added = dt_collectives_new(key);
    const DtCollectiveCall any = {function_id(telling, "MPI_Barrier"), DT_NOT_TOLD, DT_NOT_TOLD, DT_NOT_TOLD};
    if (over > 0)
        dt_collectives_add(&added, &any);
    if (over > 1)
        dt_collectives_repeat(&added, 0, over);
    g_array_append_val(facts->collectives, added);
    return &g_array_index(facts->collectives, DtCollectives, facts->collectives->len - 1);
}

static void add_meeting(Telling *telling, const DtMeeting *meeting)
{
    for (guint i = 0; i < meeting->waiting->len; i++) {
        const DtOperation *operation = meeting->waiting->pdata[i];
        const char *name = telling->simulating->skeleton->functions->pdata[operation->function];
        const DtCollectiveCall call = {function_id(telling, name), DT_NOT_TOLD, DT_NOT_TOLD, DT_NOT_TOLD};
        dt_collectives_add(collectives_on(telling, operation->rank, meeting->group, meeting->number), &call);
    }
}

static void add_collectives(Telling *telling)
{
    g_autoptr(GPtrArray) meetings = g_ptr_array_new();
    GHashTableIter all;
    gpointer meeting;
    g_hash_table_iter_init(&all, telling->simulating->meetings);
    while (g_hash_table_iter_next(&all, &meeting, NULL))
        g_ptr_array_add(meetings, meeting);
    g_ptr_array_sort(meetings, compare_meetings);
    for (guint i = 0; i < meetings->len; i++)
        add_meeting(telling, meetings->pdata[i]);
    for (guint rank = 0; rank < telling->facts->len; rank++) {
        GHashTableIter iter;
        gpointer group, count;
        g_hash_table_iter_init(&iter, telling->simulating->ranks[rank].met);
        while (g_hash_table_iter_next(&iter, &group, &count))
            (void)collectives_on(telling, rank, GPOINTER_TO_SIZE(group) - 1, GPOINTER_TO_SIZE(count));
    }
}

void dt_simulation_tell(const DtSimulating *simulating, DtSimulation *simulation)
{
    g_autoptr(GPtrArray) facts = g_ptr_array_new_with_free_func((GDestroyNotify)dt_facts_free);
    g_autoptr(GHashTable) members =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, (GDestroyNotify)g_array_unref);
    simulation->traces = make_traces(simulating->skeleton->ranks);
    Telling telling = {simulating, simulation->traces, facts, members};
    for (guint rank = 0; rank < simulating->skeleton->ranks; rank++)
        add_facts(&telling, rank);
    for (guint rank = 0; !simulation->ends && rank < simulating->skeleton->ranks; rank++)
        add_messages(&telling, rank);
    if (!simulation->ends)
        add_collectives(&telling);
    simulation->waits = dt_wait_for_of_facts(facts, members, simulation->traces->functions);
}

void dt_simulation_free(DtSimulation *simulation)
{
    if (!simulation)
        return;
    g_ptr_array_unref(simulation->standing);
    if (simulation->waits)
        dt_wait_for_free(simulation->waits);
    free_traces(simulation->traces);
    g_clear_pointer(&simulation->not_simulated, g_ptr_array_unref);
    if (simulation->orders)
        g_array_unref(simulation->orders->chosen);
    g_free(simulation->orders);
    dt_times_free(simulation->times);
    g_free(simulation);
}
