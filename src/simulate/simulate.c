#include "simulate/simulate.h"

#include "calls/calls.h"
#include "format/arguments.h"
#include "simulate/communicators.h"
#include "skeleton/walk.h"

/* Something that a rank has begun and that ends when others have done their part: a send, a receive, a collective. */
typedef struct {
    gboolean done, persistent, active, is_receive;
    gint references;
    guint rank;        /* whose it is */
    guint64 group;     /* communicator and group */
    gint peer;         /* rank in the world; ANYBODY */
    gint64 tag;        /* ANY_TAG */
    gboolean buffered; /* a send that does not wait */
} Operation;
enum { ANYBODY = -1, NOBODY = -2 };
#define ANY_TAG G_MININT64

/* Of a collective call: the members that have come to it. */
typedef struct {
    guint64 group;
    guint64 number; /* the how manieth on the group */
    guint function;
    gint root; /* in the world; -1: none */
    DtDirection direction;
    guint come, members;
    gboolean root_came, differs;
    GPtrArray *waiting; /* Operation */
    GArray *ranks;      /* guint: those that have come */
} Meeting;

typedef struct {
    DtWalk *walk;
    const DtSkeletonNode *call; /* that it is in; NULL: it has ended */
    GPtrArray *needs;           /* Operation: what the call waits for */
    gboolean needs_any;
    gboolean probes;
    Operation probe;
    gboolean was_open; /* the call did not return when it was recorded */
    gboolean queued, ended;
    GPtrArray *live; /* Operation: requests, the oldest first */
    GQueue messages; /* Operation: sends to this rank that no receive has met */
    GQueue receives; /* Operation: that no send has met */
    GHashTable *met; /* group -> how many collectives */
} Rank;

typedef struct {
    const DtSkeleton *skeleton;
    DtSends sends;
    DtGroups *groups;
    Rank *ranks;
    GQueue runnable;
    GHashTable *meetings; /* "group number" as Meeting -> itself */
    GArray *functions;    /* const struct dt_call *, by function */
    guint64 calls;
    guint went_on;
} Simulating;

/* ---- operations ------------------------------------------------------------------------------ */

static Operation *operation_new(guint rank)
{
    Operation *operation = g_new0(Operation, 1);
    operation->references = 1;
    operation->rank = rank;
    operation->peer = NOBODY;
    return operation;
}

static Operation *hold(Operation *operation)
{
    operation->references++;
    return operation;
}

static void release(gpointer data)
{
    Operation *operation = data;
    if (--operation->references == 0)
        g_free(operation);
}

static void wake(Simulating *simulating, guint rank)
{
    Rank *own = &simulating->ranks[rank];
    if (own->queued || own->ended)
        return;
    own->queued = TRUE;
    g_queue_push_tail(&simulating->runnable, GUINT_TO_POINTER(rank));
}

static void finish(Simulating *simulating, Operation *operation)
{
    operation->done = TRUE;
    wake(simulating, operation->rank);
}

static gboolean fit(const Operation *send, const Operation *receive)
{
    return send->group == receive->group && (receive->peer == ANYBODY || receive->peer == (gint)send->rank) &&
           (receive->tag == ANY_TAG || receive->tag == send->tag);
}

/* The first that fits, taken out; NULL: none does. */
static Operation *take_fitting(GQueue *queue, const Operation *other, gboolean others_are_sends)
{
    for (GList *link = queue->head; link; link = link->next) {
        Operation *candidate = link->data;
        if (others_are_sends ? fit(candidate, other) : fit(other, candidate)) {
            g_queue_delete_link(queue, link);
            return candidate;
        }
    }
    return NULL;
}

static void post_send(Simulating *simulating, Operation *send)
{
    Rank *to = &simulating->ranks[send->peer];
    Operation *receive = take_fitting(&to->receives, send, FALSE);
    if (receive) {
        finish(simulating, receive);
        release(receive);
        finish(simulating, send);
        return;
    }
    if (send->buffered)
        send->done = TRUE;
    g_queue_push_tail(&to->messages, hold(send));
    wake(simulating, (guint)send->peer); /* it may probe */
}

static void post_receive(Simulating *simulating, Operation *receive)
{
    Rank *own = &simulating->ranks[receive->rank];
    Operation *send = take_fitting(&own->messages, receive, TRUE);
    if (!send) {
        g_queue_push_tail(&own->receives, hold(receive));
        return;
    }
    receive->done = TRUE;
    if (!send->done)
        finish(simulating, send);
    release(send);
}

static void post(Simulating *simulating, Operation *operation)
{
    operation->active = TRUE;
    operation->done = operation->peer == NOBODY;
    if (operation->done)
        return;
    if (operation->is_receive)
        post_receive(simulating, operation);
    else
        post_send(simulating, operation);
}

/* ---- a call's parameters --------------------------------------------------------------------- */

static const struct dt_call *row_of(Simulating *simulating, guint function)
{
    return g_array_index(simulating->functions, const struct dt_call *, function);
}

static guint64 group_of(const Simulating *simulating, guint rank)
{
    DtValue name;
    gboolean known = dt_walk_value(simulating->ranks[rank].walk, DT_ARGUMENT_COMMUNICATOR, 0, &name);
    return dt_groups_find(simulating->groups, known ? dt_atoms_text(simulating->skeleton->atoms, name) : "world", rank);
}

static gboolean is_atom(const Simulating *simulating, DtValue value, const char *text)
{
    return dt_value_is_atom(value) && g_str_equal(dt_atoms_text(simulating->skeleton->atoms, value), text);
}

/* The peer of a field, in the world. A receive from anybody has that which it got, if that was recorded. */
static gint peer_of(const Simulating *simulating, guint rank, guint64 group, guint kind)
{
    DtValue value, got;
    const DtWalk *walk = simulating->ranks[rank].walk;
    if (!dt_walk_value(walk, kind, 0, &value) || is_atom(simulating, value, "null"))
        return NOBODY;
    if (kind == DT_ARGUMENT_FROM && is_atom(simulating, value, "any"))
        return dt_walk_value(walk, DT_FIELD_SOURCE, 0, &got) ? dt_groups_peer(simulating->groups, group, rank, got)
                                                             : ANYBODY;
    return dt_value_is_atom(value) ? ANYBODY : dt_groups_peer(simulating->groups, group, rank, value);
}

static gint64 tag_of(const Simulating *simulating, guint rank, guint which, gboolean receives)
{
    DtValue value, got;
    const DtWalk *walk = simulating->ranks[rank].walk;
    if (!dt_walk_value(walk, DT_ARGUMENT_TAG, which, &value))
        return ANY_TAG;
    if (!dt_value_is_atom(value))
        return value;
    return receives && dt_walk_value(walk, DT_FIELD_GOT_TAG, 0, &got) ? got : ANY_TAG;
}

/* ---- messages -------------------------------------------------------------------------------- */

static gboolean waits_for_receive(const char *name)
{
    return g_str_has_prefix(name, "MPI_Ssend") || g_str_has_prefix(name, "MPI_Issend");
}

static gboolean never_waits(const char *name)
{
    return g_str_has_prefix(name, "MPI_Bsend") || g_str_has_prefix(name, "MPI_Ibsend");
}

static Operation *make_message(Simulating *simulating, guint rank, gboolean is_receive, guint tag)
{
    const char *name = simulating->skeleton->functions->pdata[simulating->ranks[rank].call->function];
    Operation *operation = operation_new(rank);
    operation->group = group_of(simulating, rank);
    operation->is_receive = is_receive;
    operation->peer = peer_of(simulating, rank, operation->group, is_receive ? DT_ARGUMENT_FROM : DT_ARGUMENT_TO);
    operation->tag = tag_of(simulating, rank, tag, is_receive);
    operation->buffered = never_waits(name) || (simulating->sends == DT_SENDS_BUFFERED && !waits_for_receive(name));
    return operation;
}

/* What the call needs to be done before it returns. */
static void need(Simulating *simulating, guint rank, Operation *operation)
{
    g_ptr_array_add(simulating->ranks[rank].needs, operation);
}

static void enter_message(Simulating *simulating, guint rank, const struct dt_call *row)
{
    DtValue value;
    Rank *own = &simulating->ranks[rank];
    gboolean sends = dt_walk_value(own->walk, DT_ARGUMENT_TO, 0, &value);
    gboolean receives = dt_walk_value(own->walk, DT_ARGUMENT_FROM, 0, &value);
    gboolean persistent = dt_call_has(row, DT_PARAMETER_PERSISTENT_REQUEST_MADE);
    gboolean made = persistent || dt_call_has(row, DT_PARAMETER_REQUEST_MADE);
    for (guint i = 0; i < 2; i++) {
        if (i == 0 ? !sends : !receives)
            continue;
        Operation *operation = make_message(simulating, rank, i == 1, sends && i == 1);
        operation->persistent = persistent;
        if (made)
            g_ptr_array_add(own->live, hold(operation));
        if (!persistent)
            post(simulating, operation);
        if (made)
            release(operation);
        else
            need(simulating, rank, operation);
    }
}

/* ---- collectives ----------------------------------------------------------------------------- */

static guint hash_meeting(gconstpointer data)
{
    const Meeting *meeting = data;
    return (guint)((meeting->group * 31 + meeting->number) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) >> 32);
}

static gboolean equal_meetings(gconstpointer first, gconstpointer second)
{
    const Meeting *a = first, *b = second;
    return a->group == b->group && a->number == b->number;
}

static void free_meeting(gpointer data)
{
    Meeting *meeting = data;
    g_ptr_array_unref(meeting->waiting);
    g_array_unref(meeting->ranks);
    g_free(meeting);
}

static gboolean may_leave(const Simulating *simulating, const Meeting *meeting, guint rank)
{
    gboolean all = meeting->come == meeting->members;
    if (meeting->differs)
        return FALSE;
    if (all || simulating->sends == DT_SENDS_UNBUFFERED)
        return all;
    if (meeting->direction == DT_FROM_ROOT)
        return meeting->root_came;
    return meeting->direction == DT_TO_ROOT && (gint)rank != meeting->root;
}

static void leave_meeting(Simulating *simulating, Meeting *meeting)
{
    for (guint i = 0; i < meeting->waiting->len; i++) {
        Operation *operation = meeting->waiting->pdata[i];
        if (!operation->done && may_leave(simulating, meeting, operation->rank))
            finish(simulating, operation);
    }
    if (meeting->come == meeting->members && !meeting->differs)
        g_hash_table_remove(simulating->meetings, meeting);
}

static Meeting *find_meeting(Simulating *simulating, guint rank, guint64 group)
{
    Rank *own = &simulating->ranks[rank];
    gpointer key = GSIZE_TO_POINTER(group + 1);
    guint64 number = GPOINTER_TO_SIZE(g_hash_table_lookup(own->met, key));
    const Meeting sought = {.group = group, .number = number};
    g_hash_table_insert(own->met, key, GSIZE_TO_POINTER(number + 1));
    Meeting *meeting = g_hash_table_lookup(simulating->meetings, &sought);
    if (meeting)
        return meeting;
    meeting = g_new0(Meeting, 1);
    meeting->group = group;
    meeting->number = number;
    meeting->members = dt_groups_size(simulating->groups, group);
    meeting->function = own->call->function;
    meeting->direction = dt_direction_of(simulating->skeleton->functions->pdata[own->call->function]);
    meeting->root = -1;
    meeting->waiting = g_ptr_array_new_with_free_func(release);
    meeting->ranks = g_array_new(FALSE, FALSE, sizeof(guint));
    g_hash_table_add(simulating->meetings, meeting);
    return meeting;
}

/* Of the communicator of the call, or that of its window or file. */
static guint64 meeting_group(Simulating *simulating, guint rank)
{
    DtValue number;
    const DtWalk *walk = simulating->ranks[rank].walk;
    if (dt_walk_value(walk, DT_ARGUMENT_WINDOW, 0, &number))
        return dt_groups_object(simulating->groups, rank, DT_OBJECT_WINDOW, number);
    if (dt_walk_value(walk, DT_ARGUMENT_FILE, 0, &number))
        return dt_groups_object(simulating->groups, rank, DT_OBJECT_FILE, number);
    return group_of(simulating, rank);
}

static void enter_collective(Simulating *simulating, guint rank, const struct dt_call *row)
{
    DtValue root;
    Rank *own = &simulating->ranks[rank];
    guint64 group = meeting_group(simulating, rank);
    Meeting *meeting = find_meeting(simulating, rank, group);
    Operation *operation = operation_new(rank);
    gboolean made = dt_call_has(row, DT_PARAMETER_REQUEST_MADE);
    operation->group = group;
    if (dt_walk_value(own->walk, DT_ARGUMENT_ROOT, 0, &root) && !dt_value_is_atom(root))
        meeting->root = dt_groups_member(simulating->groups, group, (guint)root);
    meeting->differs |= meeting->function != own->call->function;
    meeting->come++;
    meeting->root_came |= meeting->root == (gint)rank;
    g_array_append_val(meeting->ranks, rank);
    g_ptr_array_add(meeting->waiting, hold(operation));
    if (dt_call_has(row, DT_PARAMETER_WINDOW_MADE))
        dt_groups_add_object(simulating->groups, rank, DT_OBJECT_WINDOW, group);
    if (dt_call_has(row, DT_PARAMETER_FILE_MADE))
        dt_groups_add_object(simulating->groups, rank, DT_OBJECT_FILE, group);
    if (made)
        g_ptr_array_add(own->live, hold(operation));
    if (made)
        release(operation);
    else
        need(simulating, rank, operation);
    leave_meeting(simulating, meeting);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* The positions that a value tells: a number, "<0 2-4>", "all". */
static GArray *positions_of(const Simulating *simulating, guint rank, DtValue value)
{
    const Rank *own = &simulating->ranks[rank];
    if (!is_atom(simulating, value, "all"))
        return dt_value_positions(simulating->skeleton->atoms, value);
    GArray *all = g_array_new(FALSE, FALSE, sizeof(gint64));
    for (gint64 i = 0; i < own->live->len; i++)
        g_array_append_val(all, i);
    return all;
}

static Operation *live_at(const Rank *rank, gint64 position)
{
    return position >= 0 && position < rank->live->len ? rank->live->pdata[position] : NULL;
}

static void start_requests(Simulating *simulating, guint rank, const GArray *named)
{
    for (guint i = 0; i < named->len; i++) {
        Operation *operation = live_at(&simulating->ranks[rank], g_array_index(named, gint64, i));
        if (operation)
            post(simulating, operation);
    }
}

static void free_requests(Simulating *simulating, guint rank, const GArray *named)
{
    Rank *own = &simulating->ranks[rank];
    for (guint i = named->len; i-- > 0;)
        if (live_at(own, g_array_index(named, gint64, i)))
            g_ptr_array_remove_index(own->live, (guint)g_array_index(named, gint64, i));
}

/* Those that completed when it was recorded; else those named, all or any of them. */
static void await_requests(Simulating *simulating, guint rank, const GArray *named, gboolean any)
{
    DtValue completed;
    Rank *own = &simulating->ranks[rank];
    gboolean told =
        dt_walk_value(own->walk, DT_FIELD_COMPLETED, 0, &completed) && !is_atom(simulating, completed, "all");
    g_autoptr(GArray) of =
        told ? dt_value_positions(simulating->skeleton->atoms, completed) : g_array_ref((GArray *)named);
    for (guint i = 0; i < of->len; i++) {
        Operation *operation = live_at(own, g_array_index(of, gint64, i));
        if (operation && (operation->active || !operation->persistent))
            need(simulating, rank, hold(operation));
    }
    own->needs_any = any && !told;
}

static gboolean has_completed(const DtWalk *walk)
{
    DtValue value;
    return dt_walk_value(walk, DT_FIELD_COMPLETED, 0, &value);
}

static void enter_requests(Simulating *simulating, guint rank, const struct dt_call *row, DtValue live)
{
    g_autoptr(GArray) named = positions_of(simulating, rank, live);
    gboolean frees = dt_call_has(row, DT_PARAMETER_REQUEST_FREED);
    gboolean tests = row->properties & DT_CALL_POLLING && !(row->properties & DT_CALL_BLOCKING);
    gboolean some = dt_call_has(row, DT_PARAMETER_INDEX) || dt_call_has(row, DT_PARAMETER_INDICES);
    if (frees)
        free_requests(simulating, rank, named);
    else if (row->properties & DT_CALL_BLOCKING || (tests && has_completed(simulating->ranks[rank].walk)))
        await_requests(simulating, rank, named, some);
    else if (!tests && g_str_has_prefix(row->name, "Start"))
        start_requests(simulating, rank, named);
}

/* ---- a rank ---------------------------------------------------------------------------------- */

static void enter_probe(Simulating *simulating, guint rank)
{
    Rank *own = &simulating->ranks[rank];
    own->probe = (Operation){.rank = rank, .is_receive = TRUE, .group = group_of(simulating, rank)};
    own->probe.peer = peer_of(simulating, rank, own->probe.group, DT_ARGUMENT_FROM);
    own->probe.tag = tag_of(simulating, rank, 0, TRUE);
    own->probes = own->probe.peer != NOBODY;
}

static void enter_call(Simulating *simulating, guint rank)
{
    DtValue value;
    Rank *own = &simulating->ranks[rank];
    const struct dt_call *row = row_of(simulating, own->call->function);
    own->was_open = dt_walk_value(own->walk, DT_FIELD_OPEN, 0, &value);
    if (!row || dt_walk_value(own->walk, DT_FIELD_FAILED, 0, &value))
        return;
    if (row->properties & DT_CALL_PROBING) {
        if (row->properties & DT_CALL_BLOCKING)
            enter_probe(simulating, rank);
    } else if (row->properties & DT_CALL_POINT_TO_POINT) {
        enter_message(simulating, rank, row);
    } else if (row->properties & DT_CALL_COLLECTIVE && dt_is_met(row)) {
        enter_collective(simulating, rank, row);
    } else if (dt_walk_value(own->walk, DT_ARGUMENT_LIVE, 0, &value)) {
        enter_requests(simulating, rank, row, value);
    }
}

static gboolean may_return(Rank *own)
{
    guint done = 0;
    if (own->probes) {
        for (GList *link = own->messages.head; link; link = link->next)
            if (fit(link->data, &own->probe))
                return TRUE;
        return FALSE;
    }
    for (guint i = 0; i < own->needs->len; i++)
        done += ((const Operation *)own->needs->pdata[i])->done ? 1 : 0;
    return own->needs_any ? done > 0 || own->needs->len == 0 : done == own->needs->len;
}

/* Requests that have completed are no more, but for persistent ones. */
static void leave_call(Rank *own)
{
    for (guint i = 0; i < own->needs->len; i++) {
        Operation *operation = own->needs->pdata[i];
        if (!operation->done)
            continue;
        operation->active = FALSE;
        if (!operation->persistent)
            g_ptr_array_remove(own->live, operation);
        else
            operation->done = FALSE;
    }
    g_ptr_array_set_size(own->needs, 0);
    own->needs_any = own->probes = FALSE;
}

static void run_rank(Simulating *simulating, guint rank)
{
    Rank *own = &simulating->ranks[rank];
    own->queued = FALSE;
    while (!own->ended) {
        if (own->call && !may_return(own))
            return;
        if (own->call) {
            leave_call(own);
            simulating->went_on += own->was_open ? 1 : 0;
        }
        own->call = dt_walk_next(own->walk);
        own->ended = own->call == NULL;
        simulating->calls += own->call ? 1 : 0;
        if (own->call)
            enter_call(simulating, rank);
    }
}

/* ---- who stands still ------------------------------------------------------------------------ */

static void add_rank(GArray *ranks, guint rank)
{
    for (guint i = 0; i < ranks->len; i++)
        if (g_array_index(ranks, guint, i) == rank)
            return;
    g_array_append_val(ranks, rank);
}

static const Meeting *meeting_of(const Simulating *simulating, const Operation *operation)
{
    GHashTableIter iter;
    gpointer meeting;
    g_hash_table_iter_init(&iter, simulating->meetings);
    while (g_hash_table_iter_next(&iter, &meeting, NULL))
        for (guint i = 0; i < ((const Meeting *)meeting)->waiting->len; i++)
            if (((const Meeting *)meeting)->waiting->pdata[i] == operation)
                return meeting;
    return NULL;
}

static gboolean has_come(const Meeting *meeting, guint rank)
{
    for (guint i = 0; i < meeting->ranks->len; i++)
        if (g_array_index(meeting->ranks, guint, i) == rank)
            return TRUE;
    return FALSE;
}

static void add_missing(const Simulating *simulating, const Meeting *meeting, GArray *ranks)
{
    for (guint i = 0; i < meeting->members; i++) {
        gint member = dt_groups_member(simulating->groups, meeting->group, i);
        if (member >= 0 && !has_come(meeting, (guint)member))
            add_rank(ranks, (guint)member);
    }
}

static void add_awaited(const Simulating *simulating, const Operation *operation, DtStandingRank *standing)
{
    const Meeting *meeting = operation->peer == NOBODY ? meeting_of(simulating, operation) : NULL;
    if (meeting)
        add_missing(simulating, meeting, standing->waits_for);
    else if (operation->peer >= 0)
        add_rank(standing->waits_for, (guint)operation->peer);
    else if (operation->peer == ANYBODY)
        standing->for_any = TRUE;
    for (guint rank = 0; operation->peer == ANYBODY && rank < simulating->skeleton->ranks; rank++)
        if (rank != operation->rank)
            add_rank(standing->waits_for, rank);
}

static gint compare_ranks(gconstpointer first, gconstpointer second)
{
    guint a = *(const guint *)first, b = *(const guint *)second;
    return a < b ? -1 : a > b;
}

static void free_standing(gpointer data)
{
    DtStandingRank *standing = data;
    g_free(standing->call);
    g_array_unref(standing->waits_for);
    g_free(standing);
}

static void add_standing(const Simulating *simulating, guint rank, DtSimulation *simulation)
{
    const Rank *own = &simulating->ranks[rank];
    DtStandingRank *standing = g_new0(DtStandingRank, 1);
    standing->rank = rank;
    standing->call = dt_walk_text(own->walk);
    standing->waits_for = g_array_new(FALSE, FALSE, sizeof(guint));
    standing->was_open = own->was_open;
    standing->for_any = own->needs_any;
    for (guint i = 0; i < own->needs->len; i++)
        if (!((const Operation *)own->needs->pdata[i])->done)
            add_awaited(simulating, own->needs->pdata[i], standing);
    if (own->probes)
        add_awaited(simulating, &own->probe, standing);
    g_array_sort(standing->waits_for, compare_ranks);
    g_ptr_array_add(simulation->standing, standing);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void look_up_functions(Simulating *simulating)
{
    for (guint i = 0; i < simulating->skeleton->functions->len; i++) {
        const struct dt_call *row = dt_call_find(simulating->skeleton->functions->pdata[i]);
        g_array_append_val(simulating->functions, row);
    }
}

static void begin_ranks(Simulating *simulating)
{
    for (guint rank = 0; rank < simulating->skeleton->ranks; rank++) {
        Rank *own = &simulating->ranks[rank];
        own->walk = dt_walk_new(simulating->skeleton, 0, rank);
        own->needs = g_ptr_array_new_with_free_func(release);
        own->live = g_ptr_array_new_with_free_func(release);
        own->met = g_hash_table_new(NULL, NULL);
        g_queue_init(&own->messages);
        g_queue_init(&own->receives);
        wake(simulating, rank);
    }
}

static void end_ranks(Simulating *simulating)
{
    for (guint rank = 0; rank < simulating->skeleton->ranks; rank++) {
        Rank *own = &simulating->ranks[rank];
        dt_walk_free(own->walk);
        g_ptr_array_unref(own->needs);
        g_ptr_array_unref(own->live);
        g_hash_table_unref(own->met);
        g_queue_clear_full(&own->messages, release);
        g_queue_clear_full(&own->receives, release);
    }
    g_free(simulating->ranks);
}

DtSimulation *dt_simulate(const DtSkeleton *skeleton, DtSends sends)
{
    DtSimulation *simulation = g_new0(DtSimulation, 1);
    g_autoptr(DtGroups) groups = dt_groups_new(skeleton);
    g_autoptr(GHashTable) meetings = g_hash_table_new_full(hash_meeting, equal_meetings, free_meeting, NULL);
    g_autoptr(GArray) functions = g_array_new(FALSE, FALSE, sizeof(const struct dt_call *));
    Simulating simulating = {.skeleton = skeleton,
                             .sends = sends,
                             .groups = groups,
                             .ranks = g_new0(Rank, skeleton->ranks),
                             .meetings = meetings,
                             .functions = functions};
    g_queue_init(&simulating.runnable);
    look_up_functions(&simulating);
    begin_ranks(&simulating);
    while (!g_queue_is_empty(&simulating.runnable))
        run_rank(&simulating, GPOINTER_TO_UINT(g_queue_pop_head(&simulating.runnable)));
    simulation->standing = g_ptr_array_new_with_free_func(free_standing);
    for (guint rank = 0; rank < skeleton->ranks; rank++)
        if (dt_walk_steps(simulating.ranks[rank].walk) > DT_SKELETON_MOST_CALLS)
            simulation->cut_short = TRUE;
    for (guint rank = 0; rank < skeleton->ranks; rank++)
        if (!simulating.ranks[rank].ended)
            add_standing(&simulating, rank, simulation);
    simulation->calls = simulating.calls;
    simulation->went_on = simulating.went_on;
    simulation->ends = simulation->standing->len == 0;
    end_ranks(&simulating);
    return simulation;
}

void dt_simulation_free(DtSimulation *simulation)
{
    if (!simulation)
        return;
    g_ptr_array_unref(simulation->standing);
    g_free(simulation);
}
