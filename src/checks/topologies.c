/* The making of communicators by calls whose members describe it each in parts: graphs, and bridges of two groups. */
#include "checks/checking.h"
#include "format/arguments.h"

/* What a member says of its neighbours in a graph. */
typedef struct {
    guint64 key; /* of the communicator */
    guint nth;   /* of the graphs that are made from it */
    const DtCommunicator *communicator;
    const DtNumbers *sources, *destinations; /* distances from its own rank */
    DtKeptCall call;
} Part;

/* A leader's call that never returned. */
typedef struct {
    gint64 tag, remote;
    DtKeptCall call;
} Leader;

typedef struct {
    DtChecking *checking;
    GArray *parts;      /* Part */
    GHashTable *graphs; /* of the process: DtCommunicator -> how many graphs were made from it */
    GArray *leaders;    /* Leader */
} Topologies;

static gpointer start(DtChecking *checking)
{
    Topologies *own = g_new0(Topologies, 1);
    own->checking = checking;
    own->parts = g_array_new(FALSE, FALSE, sizeof(Part));
    own->graphs = g_hash_table_new(NULL, NULL);
    own->leaders = g_array_new(FALSE, FALSE, sizeof(Leader));
    return own;
}

static void stop(gpointer family)
{
    Topologies *own = family;
    g_array_unref(own->parts);
    g_hash_table_unref(own->graphs);
    g_array_unref(own->leaders);
    g_free(own);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* The argument of the kind with this position among those of the kind; NULL. */
static const DtArgument *nth_argument(const DtSignature *signature, guint kind, guint nth)
{
    for (guint i = 0; signature && i < signature->argument_count; i++)
        if (signature->arguments[i].kind == kind && nth-- == 0)
            return &signature->arguments[i];
    return NULL;
}

static void add_part(Topologies *own, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    gpointer of = (gpointer)call->communicator;
    const guint nth = GPOINTER_TO_UINT(g_hash_table_lookup(own->graphs, of)) + 1;
    const DtArgument *sources = nth_argument(call->signature, DT_ARGUMENT_NEIGHBOURS, 0);
    const DtArgument *destinations = nth_argument(call->signature, DT_ARGUMENT_NEIGHBOURS, 1);
    g_hash_table_insert(own->graphs, of, GUINT_TO_POINTER(nth));
    if (!sources || !destinations || !sources->numbers || !destinations->numbers)
        return;
    Part part = {call->communicator->key,   nth, call->communicator, sources->numbers, destinations->numbers,
                 dt_check_keep(trace, call)};
    g_array_append_val(own->parts, part);
}

static void enter(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Topologies *own = family;
    if (call->of == DT_CALL_MPI && dt_check_is(call, "Dist_graph_create_adjacent") && call->communicator &&
        call->communicator->is_sure && !own->checking->processes[trace->process->index].is_shared)
        add_part(own, trace, call);
}

static void end(gpointer family, const DtCheckedTrace *trace, const GPtrArray *open)
{
    Topologies *own = family;
    const DtCheckedCall *call = open->len > 0 ? open->pdata[open->len - 1] : NULL;
    if (!call || call->of != DT_CALL_MPI || !dt_check_is(call, "Intercomm_create") || !call->communicator)
        return;
    const DtArgument *local = nth_argument(call->signature, DT_ARGUMENT_RANK, 0);
    const DtArgument *remote = nth_argument(call->signature, DT_ARGUMENT_RANK, 1);
    const DtArgument *tag = dt_check_argument(call->signature, DT_ARGUMENT_TAG);
    if (!local || !remote || !tag || local->special || remote->special || tag->special ||
        local->value != call->communicator->rank)
        return;
    Leader leader = {tag->value, remote->value, dt_check_keep(trace, call)};
    g_array_append_val(own->leaders, leader);
}

static void end_process(gpointer family, const DtProcess *process, gboolean is_complete)
{
    Topologies *own = family;
    (void)process;
    (void)is_complete;
    g_hash_table_remove_all(own->graphs);
}

/* ---- graphs ---------------------------------------------------------------------------------- */

static guint times_in(const DtNumbers *distances, const DtCommunicator *communicator, gint rank)
{
    guint times = 0;
    for (guint i = 0; i < distances->count; i++)
        times += ((communicator->rank + distances->values[i]) % communicator->size + communicator->size) %
                     communicator->size ==
                 rank;
    return times;
}

/* `from` names `to` as its destination as often as `to` names it as its source. */
static void compare_parts(Topologies *own, const Part *from, const Part *to)
{
    const gint sender = from->communicator->rank, receiver = to->communicator->rank;
    const guint sent = times_in(from->destinations, from->communicator, receiver);
    const guint received = times_in(to->sources, to->communicator, sender);
    DtCheckFinding *finding;
    if (sent == received)
        return;
    if (dt_check_report_kept(own->checking, DT_CHECK_GRAPH_NEIGHBOURS, DT_CHECK_ERROR, &to->call, NULL, &finding)) {
        g_autofree char *text = dt_kept_call_text(own->checking, &from->call);
        dt_check_expect(finding, "each source names the rank as its destination, and each destination as its source");
        dt_check_add_evidence(finding,
                              "rank %d of %s names rank %d as a source %u times, which names it as a "
                              "destination %u times",
                              receiver, to->communicator->name, sender, received, sent);
        dt_check_add_evidence(finding, "rank %d: %s", from->call.trace->process->rank, text);
    }
    if (finding)
        dt_check_add_trace(own->checking, finding, from->call.trace);
}

static gint compare_keys(gconstpointer a, gconstpointer b)
{
    const Part *one = a, *other = b;
    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    if (one->nth != other->nth)
        return one->nth < other->nth ? -1 : 1;
    return one->communicator->rank < other->communicator->rank ? -1
                                                               : one->communicator->rank > other->communicator->rank;
}

/* Members of one graph, by rank; each is compared with those that it names, and those that name it. */
static void look_at_graph(Topologies *own, const Part *parts)
{
    const gint size = parts->communicator->size;
    for (gint rank = 0; rank < size; rank++) {
        const Part *part = &parts[rank];
        for (guint i = 0; i < part->sources->count; i++)
            compare_parts(own, &parts[((rank + part->sources->values[i]) % size + size) % size], part);
        for (guint i = 0; i < part->destinations->count; i++)
            compare_parts(own, part, &parts[((rank + part->destinations->values[i]) % size + size) % size]);
    }
}

static void look_at_graphs(Topologies *own)
{
    g_array_sort(own->parts, compare_keys);
    for (guint first = 0, next; first < own->parts->len; first = next) {
        const Part *part = &g_array_index(own->parts, Part, first);
        for (next = first + 1; next < own->parts->len; next++) {
            const Part *other = &g_array_index(own->parts, Part, next);
            if (other->key != part->key || other->nth != part->nth)
                break;
        }
        if (part->communicator->size > 0 && next - first == (guint)part->communicator->size)
            look_at_graph(own, part);
    }
}

/* ---- bridges --------------------------------------------------------------------------------- */

/* Two leaders that wait for ever, each for one that names it by the same tag. Which communicator they meet in is not
 * recorded. */
static void look_at_leaders(Topologies *own)
{
    if (own->leaders->len != 2)
        return;
    const Leader *one = &g_array_index(own->leaders, Leader, 0), *other = &g_array_index(own->leaders, Leader, 1);
    const gint first = one->call.trace->process->rank, second = other->call.trace->process->rank;
    const gboolean other_tag = one->tag != other->tag;
    const Leader *wrong = one->remote == second ? other : one, *fits = wrong == one ? other : one;
    DtCheckFinding *finding;
    if ((!other_tag && one->remote == second && other->remote == first) ||
        !own->checking->processes[one->call.trace->process->index].has_ended ||
        !dt_check_report_kept(own->checking, DT_CHECK_INTERCOMM_LEADERS, other_tag ? DT_CHECK_ERROR : DT_CHECK_WARNING,
                              &wrong->call, NULL, &finding))
        return;
    g_autofree char *text = dt_kept_call_text(own->checking, &fits->call);
    dt_check_expect(finding, other_tag ? "the same tag on both leaders" : "two leaders that name each other");
    dt_check_add_evidence(finding,
                          "rank %d never came back from it: it waits for rank %" G_GINT64_FORMAT
                          " of the peer communicator with tag %" G_GINT64_FORMAT,
                          wrong->call.trace->process->rank, wrong->remote, wrong->tag);
    dt_check_add_evidence(finding, "nor did rank %d from %s", fits->call.trace->process->rank, text);
    dt_check_add_trace(own->checking, finding, fits->call.trace);
}

static void finish(gpointer family)
{
    look_at_graphs(family);
    look_at_leaders(family);
}

const DtCheckFamily dt_check_topologies = {
    .start = start, .enter = enter, .end = end, .end_process = end_process, .finish = finish, .stop = stop};
