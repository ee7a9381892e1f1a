#include "simulate/simulate.h"

#include "format/arguments.h"
#include "simulate/modelled.h"
#include "simulate/simulating.h"
#include "waitfor/calls.h"

/* ---- a call's parameters --------------------------------------------------------------------- */

static const struct dt_call *row_of(const DtSimulating *simulating, guint function)
{
    return g_array_index(simulating->functions, const struct dt_call *, function);
}

static guint64 group_of(const DtSimulating *simulating, guint rank)
{
    DtValue name;
    gboolean known = dt_walk_value(simulating->ranks[rank].walk, DT_ARGUMENT_COMMUNICATOR, 0, &name);
    return dt_groups_find(simulating->groups, known ? dt_atoms_text(simulating->skeleton->atoms, name) : "world", rank);
}

static gboolean is_atom(const DtSimulating *simulating, DtValue value, const char *text)
{
    return dt_value_is_atom(value) && g_str_equal(dt_atoms_text(simulating->skeleton->atoms, value), text);
}

/* Whom a receive from anybody got, if that was recorded. */
static gint recorded_source(const DtSimulating *simulating, guint rank, guint64 group)
{
    DtValue got, tag;
    const DtWalk *walk = simulating->ranks[rank].walk;
    gboolean known = dt_walk_value(walk, DT_FIELD_SOURCE, 0, &got) && !dt_value_is_atom(got);
    gboolean cancelled = dt_walk_value(walk, DT_FIELD_GOT_TAG, 0, &tag) && tag < 0;
    return known && !cancelled ? dt_groups_peer(simulating->groups, group, rank, got) : DT_ANYBODY;
}

/* The peer of a field, in the world. */
static gint peer_of(const DtSimulating *simulating, guint rank, guint64 group, guint kind)
{
    DtValue value;
    if (!dt_walk_value(simulating->ranks[rank].walk, kind, 0, &value) || is_atom(simulating, value, "null"))
        return DT_NO_PEER;
    return dt_value_is_atom(value) ? DT_ANYBODY : dt_groups_peer(simulating->groups, group, rank, value);
}

/* Who gets another message may get one with another tag. */
static gint64 tag_of(const DtSimulating *simulating, guint rank, guint which, gboolean receives)
{
    DtValue value, got;
    const DtWalk *walk = simulating->ranks[rank].walk;
    if (!dt_walk_value(walk, DT_ARGUMENT_TAG, which, &value))
        return DT_ANY_TAG;
    if (!dt_value_is_atom(value))
        return value;
    gboolean told = receives && !simulating->any && dt_walk_value(walk, DT_FIELD_GOT_TAG, 0, &got);
    return told && !dt_value_is_atom(got) && got >= 0 ? got : DT_ANY_TAG;
}

static gboolean has_any_tag(const DtSimulating *simulating, guint rank, guint which)
{
    DtValue value;
    return dt_walk_value(simulating->ranks[rank].walk, DT_ARGUMENT_TAG, which, &value) && dt_value_is_atom(value);
}

/* Of a number, or the mean of those of a list; 0: not known. */
static gint64 count_of(const DtSimulating *simulating, DtValue value)
{
    if (!dt_value_is_atom(value))
        return MAX(value, 0);
    g_autoptr(GArray) numbers = dt_value_positions(simulating->skeleton->atoms, value);
    gdouble sum = 0;
    for (guint i = 0; i < numbers->len; i++)
        sum += (gdouble)g_array_index(numbers, gint64, i);
    return numbers->len > 0 && sum > 0 ? (gint64)(sum / numbers->len) : 0;
}

/* That the call gives. */
static gint64 bytes_of(const DtSimulating *simulating, guint rank)
{
    DtValue count, size;
    const DtWalk *walk = simulating->ranks[rank].walk;
    if (!dt_walk_value(walk, DT_FIELD_COUNT, 0, &count) || !dt_walk_value(walk, DT_FIELD_SIZE, 0, &size))
        return 0;
    gint64 bytes;
    const gint64 elements = dt_timing_scale(simulating->timing, count_of(simulating, count));
    return __builtin_mul_overflow(elements, count_of(simulating, size), &bytes) ? 0 : bytes;
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

static DtOperation *make_message(DtSimulating *simulating, guint rank, gboolean is_receive, guint tag)
{
    const char *name = simulating->skeleton->functions->pdata[simulating->ranks[rank].call->function];
    DtOperation *operation = dt_operation_new(rank);
    operation->function = simulating->ranks[rank].call->function;
    operation->index = simulating->ranks[rank].made - 1;
    operation->group = group_of(simulating, rank);
    operation->is_receive = is_receive;
    operation->peer = peer_of(simulating, rank, operation->group, is_receive ? DT_ARGUMENT_FROM : DT_ARGUMENT_TO);
    operation->tag = tag_of(simulating, rank, tag, is_receive);
    if (!is_receive && operation->peer < 0)
        operation->peer = DT_NO_PEER;
    if (operation->peer == DT_ANYBODY) {
        operation->recorded = recorded_source(simulating, rank, operation->group);
        operation->any_tag = operation->tag == DT_ANY_TAG || has_any_tag(simulating, rank, tag);
        operation->got = operation->recorded != DT_ANYBODY && !simulating->any;
        operation->is_wildcard = simulating->any;
        operation->peer = simulating->any ? DT_ANYBODY : operation->recorded;
    }
    if (!is_receive && simulating->timing)
        operation->bytes = bytes_of(simulating, rank);
    operation->buffered = never_waits(name) || (simulating->sends == DT_SENDS_BUFFERED && !waits_for_receive(name));
    return operation;
}

/* What the call needs to be done before it returns. */
static void need(DtSimulating *simulating, guint rank, DtOperation *operation)
{
    g_ptr_array_add(simulating->ranks[rank].needs, operation);
}

static void enter_message(DtSimulating *simulating, guint rank, const struct dt_call *row)
{
    DtValue value;
    DtSimulatedRank *own = &simulating->ranks[rank];
    gboolean sends = dt_walk_value(own->walk, DT_ARGUMENT_TO, 0, &value);
    gboolean receives = dt_walk_value(own->walk, DT_ARGUMENT_FROM, 0, &value);
    gboolean persistent = dt_call_has(row, DT_PARAMETER_PERSISTENT_REQUEST_MADE);
    gboolean made = (persistent || dt_call_has(row, DT_PARAMETER_REQUEST_MADE)) &&
                    !dt_walk_value(own->walk, DT_FIELD_NOT_MADE, 0, &value);
    for (guint i = 0; i < 2; i++) {
        if (i == 0 ? !sends : !receives)
            continue;
        DtOperation *operation = make_message(simulating, rank, i == 1, sends && i == 1);
        operation->persistent = persistent;
        if (made)
            g_ptr_array_add(own->live, dt_operation_hold(operation));
        if (!persistent)
            dt_operation_post(simulating, operation);
        if (!made && !dt_call_has(row, DT_PARAMETER_REQUEST_MADE))
            need(simulating, rank, operation);
        else
            dt_operation_release(operation);
    }
}

/* ---- collectives ----------------------------------------------------------------------------- */

static guint hash_meeting(gconstpointer data)
{
    const DtMeeting *meeting = data;
    return (guint)((meeting->group * 31 + meeting->number) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) >> 32);
}

static gboolean equal_meetings(gconstpointer first, gconstpointer second)
{
    const DtMeeting *a = first, *b = second;
    return a->group == b->group && a->number == b->number;
}

static void free_meeting(gpointer data)
{
    DtMeeting *meeting = data;
    for (guint i = 0; i < meeting->waiting->len; i++)
        ((DtOperation *)meeting->waiting->pdata[i])->meeting = NULL;
    g_ptr_array_unref(meeting->waiting);
    g_clear_pointer(&meeting->steps, g_hash_table_unref);
    g_clear_pointer(&meeting->missing, g_array_unref);
    g_free(meeting);
}

static gboolean all_below_came(const DtSimulating *simulating, const DtMeeting *meeting, guint rank)
{
    guint below = 0, come = 0;
    while (below < meeting->members && dt_groups_member(simulating->groups, meeting->group, below) != (gint)rank)
        below++;
    for (guint i = 0; i < meeting->waiting->len; i++) {
        gint other = (gint)((const DtOperation *)meeting->waiting->pdata[i])->rank;
        for (guint k = 0; k < below; k++)
            come += dt_groups_member(simulating->groups, meeting->group, k) == other ? 1 : 0;
    }
    return come == below;
}

/* Who did not leave the call when it was recorded waits for all: how much of it is by luck nobody knows better. */
static gboolean may_leave(const DtSimulating *simulating, const DtMeeting *meeting, const DtOperation *operation)
{
    gboolean all = meeting->come == meeting->members;
    if (meeting->differs)
        return FALSE;
    if (all || simulating->sends == DT_SENDS_UNBUFFERED || operation->was_open)
        return all;
    if (meeting->direction == DT_FROM_ROOT)
        return meeting->root_came;
    if (meeting->direction == DT_FROM_BELOW)
        return all_below_came(simulating, meeting, operation->rank);
    return meeting->direction == DT_TO_ROOT && (gint)operation->rank != meeting->root;
}

/* Somebody has come: he may leave, or, if it was for him that they waited, all. */
static void leave_meeting(DtSimulating *simulating, DtMeeting *meeting, DtOperation *come)
{
    gboolean all =
        meeting->come == meeting->members || meeting->root == (gint)come->rank || meeting->direction == DT_FROM_BELOW;
    if (!come->done && may_leave(simulating, meeting, come))
        dt_operation_finish(simulating, come);
    for (guint i = 0; all && i < meeting->waiting->len; i++) {
        DtOperation *operation = meeting->waiting->pdata[i];
        if (!operation->done && may_leave(simulating, meeting, operation))
            dt_operation_finish(simulating, operation);
    }
    if (meeting->come == meeting->members && !meeting->differs)
        g_hash_table_remove(simulating->meetings, meeting);
}

static DtMeeting *find_meeting(DtSimulating *simulating, guint rank, guint64 group)
{
    DtSimulatedRank *own = &simulating->ranks[rank];
    gpointer key = GSIZE_TO_POINTER(group + 1);
    guint64 number = GPOINTER_TO_SIZE(g_hash_table_lookup(own->met, key));
    const DtMeeting sought = {.group = group, .number = number};
    g_hash_table_insert(own->met, key, GSIZE_TO_POINTER(number + 1));
    DtMeeting *meeting = g_hash_table_lookup(simulating->meetings, &sought);
    if (meeting)
        return meeting;
    meeting = g_new0(DtMeeting, 1);
    meeting->group = group;
    meeting->number = number;
    meeting->members = dt_groups_size(simulating->groups, group);
    meeting->function = own->call->function;
    meeting->direction = dt_direction_of(simulating->skeleton->functions->pdata[own->call->function]);
    meeting->root = -1;
    meeting->waiting = g_ptr_array_new_with_free_func(dt_operation_release);
    g_hash_table_add(simulating->meetings, meeting);
    return meeting;
}

/* Of calls in which all give as much as the others. */
static void compare_bytes(const DtSimulating *simulating, guint rank, DtMeeting *meeting)
{
    DtValue count, size;
    const DtSimulatedRank *own = &simulating->ranks[rank];
    if (!dt_has_equal_counts(simulating->skeleton->functions->pdata[own->call->function]) ||
        !dt_walk_value(own->walk, DT_FIELD_COUNT, 0, &count) || !dt_walk_value(own->walk, DT_FIELD_SIZE, 0, &size))
        return;
    gint64 bytes;
    if (dt_value_is_atom(count) || dt_value_is_atom(size) || __builtin_mul_overflow(count, size, &bytes))
        return;
    meeting->differs |= meeting->bytes > 0 && bytes > 0 && meeting->bytes != bytes;
    meeting->bytes = MAX(meeting->bytes, bytes);
}

/* Of the communicator of the call, or that of its window or file. */
static guint64 meeting_group(DtSimulating *simulating, guint rank)
{
    DtValue number;
    const DtWalk *walk = simulating->ranks[rank].walk;
    if (dt_walk_value(walk, DT_ARGUMENT_WINDOW, 0, &number))
        return dt_groups_object(simulating->groups, rank, DT_OBJECT_WINDOW, number);
    if (dt_walk_value(walk, DT_ARGUMENT_FILE, 0, &number))
        return dt_groups_object(simulating->groups, rank, DT_OBJECT_FILE, number);
    return group_of(simulating, rank);
}

static void enter_collective(DtSimulating *simulating, guint rank, const struct dt_call *row)
{
    DtValue root;
    DtSimulatedRank *own = &simulating->ranks[rank];
    guint64 group = meeting_group(simulating, rank);
    DtMeeting *meeting = find_meeting(simulating, rank, group);
    DtOperation *operation = dt_operation_new(rank);
    gboolean made = dt_call_has(row, DT_PARAMETER_REQUEST_MADE);
    operation->group = group;
    operation->function = own->call->function;
    operation->index = own->made - 1;
    operation->meeting = meeting;
    operation->was_open = own->was_open;
    if (dt_walk_value(own->walk, DT_ARGUMENT_ROOT, 0, &root) && !dt_value_is_atom(root)) {
        gint named = dt_groups_member(simulating->groups, group, (guint)root);
        meeting->differs |= meeting->come > 0 && meeting->root != named;
        meeting->root = named;
    }
    meeting->differs |= meeting->function != own->call->function;
    compare_bytes(simulating, rank, meeting);
    meeting->come++;
    meeting->root_came |= meeting->root == (gint)rank;
    g_ptr_array_add(meeting->waiting, dt_operation_hold(operation));
    if (simulating->pairs) {
        const DtOperation *first = meeting->waiting->pdata[0];
        const DtMetCalls pair = {{first->rank, rank}, {first->index, operation->index}, FALSE};
        g_array_append_val(simulating->pairs, pair);
    }
    if (dt_call_has(row, DT_PARAMETER_WINDOW_MADE))
        dt_groups_add_object(simulating->groups, rank, DT_OBJECT_WINDOW, group);
    if (dt_call_has(row, DT_PARAMETER_FILE_MADE))
        dt_groups_add_object(simulating->groups, rank, DT_OBJECT_FILE, group);
    if (made)
        g_ptr_array_add(own->live, dt_operation_hold(operation));
    if (made)
        dt_operation_release(operation);
    else
        need(simulating, rank, operation);
    if (simulating->timing) {
        operation->bytes = bytes_of(simulating, rank);
        dt_timing_join(simulating->timing, meeting, operation);
    } else {
        leave_meeting(simulating, meeting, operation);
    }
}

void dt_simulating_end_meeting(DtSimulating *simulating, DtMeeting *meeting)
{
    g_hash_table_remove(simulating->meetings, meeting);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* The positions that a value tells: a number, "<0 2-4>", "all". */
static GArray *positions_of(const DtSimulating *simulating, guint rank, DtValue value)
{
    const DtSimulatedRank *own = &simulating->ranks[rank];
    if (!is_atom(simulating, value, "all"))
        return dt_value_positions(simulating->skeleton->atoms, value);
    GArray *all = g_array_new(FALSE, FALSE, sizeof(gint64));
    for (gint64 i = 0; i < own->live->len; i++)
        g_array_append_val(all, i);
    return all;
}

static DtOperation *live_at(const DtSimulatedRank *rank, gint64 position)
{
    return position >= 0 && position < rank->live->len ? rank->live->pdata[position] : NULL;
}

static void start_requests(DtSimulating *simulating, guint rank, const GArray *named)
{
    for (guint i = 0; i < named->len; i++) {
        DtOperation *operation = live_at(&simulating->ranks[rank], g_array_index(named, gint64, i));
        if (operation)
            dt_operation_post(simulating, operation);
    }
}

/* Of receives that nothing came for, and, if it is known, nothing will. */
static void cancel_requests(DtSimulating *simulating, guint rank, const GArray *named)
{
    DtSimulatedRank *own = &simulating->ranks[rank];
    for (guint i = 0; i < named->len; i++) {
        DtOperation *operation = live_at(own, g_array_index(named, gint64, i));
        if (!operation || !operation->active || operation->done)
            continue;
        if (!operation->is_receive) { /* whether it was in time is not recorded */
            dt_modelled_note(simulating, "MPI_Cancel of a send");
            continue;
        }
        operation->cancelled = TRUE;
        if (!operation->got)
            dt_cancel_receive(simulating, operation);
    }
}

static void free_requests(DtSimulating *simulating, guint rank, const GArray *named)
{
    DtSimulatedRank *own = &simulating->ranks[rank];
    for (guint i = named->len; i-- > 0;)
        if (live_at(own, g_array_index(named, gint64, i)))
            g_ptr_array_remove_index(own->live, (guint)g_array_index(named, gint64, i));
}

/* Those that completed when it was recorded; else those named, all or any of them. */
static void await_requests(DtSimulating *simulating, guint rank, const GArray *named, gboolean any)
{
    DtValue completed;
    DtSimulatedRank *own = &simulating->ranks[rank];
    gboolean told =
        dt_walk_value(own->walk, DT_FIELD_COMPLETED, 0, &completed) && !is_atom(simulating, completed, "all");
    g_autoptr(GArray) of =
        told ? dt_value_positions(simulating->skeleton->atoms, completed) : g_array_ref((GArray *)named);
    for (guint i = 0; i < of->len; i++) {
        DtOperation *operation = live_at(own, g_array_index(of, gint64, i));
        if (operation && (operation->active || !operation->persistent))
            need(simulating, rank, dt_operation_hold(operation));
    }
    own->needs_any = any && !told;
    own->told_some = any && told;
}

static gboolean has_completed(const DtWalk *walk)
{
    DtValue value;
    return dt_walk_value(walk, DT_FIELD_COMPLETED, 0, &value);
}

static void enter_requests(DtSimulating *simulating, guint rank, const struct dt_call *row, DtValue live)
{
    g_autoptr(GArray) named = positions_of(simulating, rank, live);
    gboolean frees = dt_call_has(row, DT_PARAMETER_REQUEST_FREED);
    gboolean tests = row->properties & DT_CALL_POLLING && !(row->properties & DT_CALL_BLOCKING);
    gboolean some = dt_call_has(row, DT_PARAMETER_INDEX) || dt_call_has(row, DT_PARAMETER_INDICES);
    if (frees)
        free_requests(simulating, rank, named);
    else if (row->properties & DT_CALL_BLOCKING || (tests && has_completed(simulating->ranks[rank].walk)))
        await_requests(simulating, rank, named, some);
    else if (g_str_equal(row->name, "Cancel"))
        cancel_requests(simulating, rank, named);
    else if (!tests && g_str_has_prefix(row->name, "Start"))
        start_requests(simulating, rank, named);
}

/* ---- a rank ---------------------------------------------------------------------------------- */

static void enter_probe(DtSimulating *simulating, guint rank)
{
    DtSimulatedRank *own = &simulating->ranks[rank];
    own->probe = (DtOperation){.rank = rank, .is_receive = TRUE, .group = group_of(simulating, rank)};
    own->probe.function = own->call->function;
    own->probe.peer = peer_of(simulating, rank, own->probe.group, DT_ARGUMENT_FROM);
    if (own->probe.peer == DT_ANYBODY)
        own->probe.peer = recorded_source(simulating, rank, own->probe.group);
    own->probe.tag = tag_of(simulating, rank, 0, TRUE);
    own->probes = own->probe.peer != DT_NO_PEER;
}

/* TRUE of a call that asks in vain. */
static gboolean asks_in_vain(const DtSimulatedRank *own, const struct dt_call *row)
{
    DtValue value;
    return row->properties & DT_CALL_POLLING && !(row->properties & DT_CALL_BLOCKING) &&
           !dt_walk_value(own->walk, DT_FIELD_COMPLETED, 0, &value) &&
           !dt_walk_value(own->walk, DT_FIELD_SOURCE, 0, &value);
}

/* What a rank asks for again and again, if it comes to no other call. */
static void note_question(DtSimulating *simulating, guint rank, const struct dt_call *row)
{
    DtValue live;
    DtSimulatedRank *own = &simulating->ranks[rank];
    g_clear_pointer(&own->asked, g_array_unref);
    own->asks = asks_in_vain(own, row) ? own->call : NULL;
    if (own->asks && dt_walk_value(own->walk, DT_ARGUMENT_LIVE, 0, &live))
        own->asked = positions_of(simulating, rank, live);
}

/* Calls that are not simulated, and of which nothing is known but that they did not return. */
static gboolean never_returns(const DtSimulatedRank *own, const struct dt_call *row)
{
    gboolean alone = row->properties & DT_CALL_BLOCKING && row->properties & DT_CALL_ONE_SIDED &&
                     !(row->properties & DT_CALL_COLLECTIVE);
    return own->was_open && (alone || g_str_has_prefix(row->name, "Init"));
}

/* A probe that takes the message: what receives it afterwards finds it there. */
static void enter_taking_probe(DtSimulating *simulating, guint rank)
{
    DtOperation *operation = make_message(simulating, rank, TRUE, 0);
    dt_operation_post(simulating, operation);
    need(simulating, rank, operation);
}

/* Requests are named by their places among all: one that is not followed keeps its place, and has always completed. */
static void keep_place(DtSimulating *simulating, guint rank, const struct dt_call *row, guint live)
{
    DtValue value;
    DtSimulatedRank *own = &simulating->ranks[rank];
    const gboolean persistent = dt_call_has(row, DT_PARAMETER_PERSISTENT_REQUEST_MADE);
    if (own->live->len > live || (!persistent && !dt_call_has(row, DT_PARAMETER_REQUEST_MADE)) ||
        dt_walk_value(own->walk, DT_FIELD_NOT_MADE, 0, &value))
        return;
    DtOperation *operation = dt_operation_new(rank);
    operation->function = own->call->function;
    operation->persistent = persistent;
    operation->done = TRUE;
    g_ptr_array_add(own->live, operation);
}

static void enter_simulated(DtSimulating *simulating, guint rank, const struct dt_call *row)
{
    DtValue value;
    DtSimulatedRank *own = &simulating->ranks[rank];
    if (row->properties & DT_CALL_PROBING && dt_call_has(row, DT_PARAMETER_MESSAGE_MADE) && !own->asks &&
        (row->properties & DT_CALL_BLOCKING || !asks_in_vain(own, row))) {
        enter_taking_probe(simulating, rank);
    } else if (row->properties & DT_CALL_PROBING) {
        if (own->asks || row->properties & DT_CALL_BLOCKING)
            enter_probe(simulating, rank);
        own->probes &= !own->asks;
    } else if (row->properties & DT_CALL_POINT_TO_POINT) {
        enter_message(simulating, rank, row);
    } else if (row->properties & DT_CALL_COLLECTIVE && dt_is_met(row)) {
        enter_collective(simulating, rank, row);
    } else if (dt_walk_value(own->walk, DT_ARGUMENT_LIVE, 0, &value)) {
        enter_requests(simulating, rank, row, value);
    }
}

static void enter_call(DtSimulating *simulating, guint rank)
{
    if (simulating->timing)
        dt_timing_enter(simulating->timing, rank);
    DtValue value;
    DtSimulatedRank *own = &simulating->ranks[rank];
    const struct dt_call *row = row_of(simulating, own->call->function);
    own->was_open = dt_walk_value(own->walk, DT_FIELD_OPEN, 0, &value);
    own->asks = NULL;
    if (!row || dt_walk_value(own->walk, DT_FIELD_FAILED, 0, &value))
        return;
    own->finalized |= g_str_equal(row->name, "Finalize");
    if (row->properties & DT_CALL_POLLING)
        note_question(simulating, rank, row);
    if (never_returns(own, row)) {
        DtOperation *operation = dt_operation_new(rank);
        operation->function = own->call->function;
        need(simulating, rank, operation);
    } else {
        const guint live = own->live->len;
        if (dt_is_modelled(simulating, rank, row))
            enter_simulated(simulating, rank, row);
        keep_place(simulating, rank, row, live);
    }
}

static gboolean may_return(DtSimulatedRank *own)
{
    guint done = 0;
    if (own->probes) {
        for (GList *link = own->messages.head; link; link = link->next)
            if (!((const DtOperation *)link->data)->is_under_way && dt_operations_fit(link->data, &own->probe))
                return TRUE;
        return FALSE;
    }
    for (guint i = 0; i < own->needs->len; i++)
        done += ((const DtOperation *)own->needs->pdata[i])->done ? 1 : 0;
    return own->needs_any ? done > 0 || own->needs->len == 0 : done == own->needs->len;
}

/* Requests that have completed are no more, but for persistent ones. */
static void leave_call(DtSimulatedRank *own)
{
    for (guint i = 0; i < own->needs->len; i++) {
        DtOperation *operation = own->needs->pdata[i];
        if (!operation->done)
            continue;
        operation->active = FALSE;
        if (!operation->persistent)
            g_ptr_array_remove(own->live, operation);
        else
            operation->done = FALSE;
    }
    g_ptr_array_set_size(own->needs, 0);
    own->needs_any = own->probes = own->told_some = FALSE;
}

/* Its last call asks in vain, and it never came to its end: it asks for ever. Waits for what was asked for; FALSE: it
 * does not ask. */
static gboolean ask_on(DtSimulating *simulating, guint rank)
{
    DtSimulatedRank *own = &simulating->ranks[rank];
    if (!own->asks || own->finalized || own->asks_on)
        return FALSE;
    const struct dt_call *row = row_of(simulating, own->asks->function);
    own->call = own->asks;
    own->asks = NULL;
    own->asks_on = TRUE;
    own->probes = row->properties & DT_CALL_PROBING ? TRUE : FALSE;
    for (guint i = 0; own->asked && i < own->asked->len; i++) {
        DtOperation *operation = live_at(own, g_array_index(own->asked, gint64, i));
        if (operation && (operation->active || !operation->persistent))
            need(simulating, rank, dt_operation_hold(operation));
    }
    own->needs_any = dt_call_has(row, DT_PARAMETER_INDEX) || dt_call_has(row, DT_PARAMETER_INDICES);
    return TRUE;
}

static void run_rank(DtSimulating *simulating, guint rank)
{
    DtSimulatedRank *own = &simulating->ranks[rank];
    own->queued = FALSE;
    while (!own->ended) {
        if (own->computes || (own->call && !may_return(own)))
            return;
        if (own->call && simulating->timing)
            dt_timing_leave(simulating->timing, rank);
        if (own->call) {
            leave_call(own);
            simulating->went_on += own->was_open ? 1 : 0;
            own->cut_off = own->was_open && !own->finalized;
        }
        own->call = dt_walk_next(own->walk);
        if (!own->call && ask_on(simulating, rank))
            continue;
        own->ended = !own->call;
        simulating->calls += own->call ? 1 : 0;
        own->made += own->call ? 1 : 0;
        own->computes = own->call && simulating->timing && dt_timing_compute(simulating->timing, rank);
        if (own->call && !own->computes)
            enter_call(simulating, rank);
    }
    if (simulating->timing)
        dt_timing_end(simulating->timing, rank);
}

void dt_simulating_enter(DtSimulating *simulating, guint rank)
{
    simulating->ranks[rank].computes = FALSE;
    enter_call(simulating, rank);
    dt_wake(simulating, rank);
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Of a skeleton that is the record of a hang it is known who came back. */
static gboolean has_open_calls(const GPtrArray *nodes)
{
    for (guint i = 0; i < nodes->len; i++) {
        const DtSkeletonNode *node = nodes->pdata[i];
        for (guint k = 0; k < node->fields->len; k++)
            if (g_array_index(node->fields, DtField, k).kind == DT_FIELD_OPEN)
                return TRUE;
        if (node->children && has_open_calls(node->children))
            return TRUE;
    }
    return FALSE;
}

static void look_up_functions(DtSimulating *simulating)
{
    for (guint i = 0; i < simulating->skeleton->functions->len; i++) {
        const struct dt_call *row = dt_call_find(simulating->skeleton->functions->pdata[i]);
        g_array_append_val(simulating->functions, row);
    }
}

static void begin_ranks(DtSimulating *simulating)
{
    for (guint rank = 0; rank < simulating->skeleton->ranks; rank++) {
        DtSimulatedRank *own = &simulating->ranks[rank];
        own->walk = dt_walk_new(simulating->skeleton, 0, rank);
        own->needs = g_ptr_array_new_with_free_func(dt_operation_release);
        own->live = g_ptr_array_new_with_free_func(dt_operation_release);
        own->met = g_hash_table_new(NULL, NULL);
        g_queue_init(&own->messages);
        g_queue_init(&own->receives);
        dt_wake(simulating, rank);
    }
}

DtSimulating *dt_simulating_new(const DtSkeleton *skeleton, DtSends sends, gboolean any)
{
    DtSimulating *simulating = g_new0(DtSimulating, 1);
    simulating->skeleton = skeleton;
    simulating->sends = sends;
    simulating->any = any;
    simulating->groups = dt_groups_new(skeleton);
    simulating->ranks = g_new0(DtSimulatedRank, skeleton->ranks);
    simulating->meetings = g_hash_table_new_full(hash_meeting, equal_meetings, free_meeting, NULL);
    simulating->functions = g_array_new(FALSE, FALSE, sizeof(const struct dt_call *));
    if (any)
        simulating->sent = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    g_queue_init(&simulating->runnable);
    look_up_functions(simulating);
    /* Who comes to MPI_Finalize came back from all calls before. */
    for (guint i = 0; i < skeleton->functions->len; i++)
        simulating->was_recorded |= g_str_equal(skeleton->functions->pdata[i], "MPI_Finalize");
    for (guint i = 0; i < skeleton->threads->len; i++)
        simulating->was_recorded |= has_open_calls(((const DtSkeletonThread *)skeleton->threads->pdata[i])->nodes);
    dt_modelled_begin(simulating);
    begin_ranks(simulating);
    return simulating;
}

static void end_rank(DtSimulatedRank *own)
{
    dt_walk_free(own->walk);
    g_clear_pointer(&own->asked, g_array_unref);
    g_ptr_array_unref(own->needs);
    g_ptr_array_unref(own->live);
    g_hash_table_unref(own->met);
    g_queue_clear_full(&own->messages, dt_operation_release);
    g_queue_clear_full(&own->receives, dt_operation_release);
}

void dt_simulating_free(DtSimulating *simulating)
{
    if (!simulating)
        return;
    g_hash_table_unref(simulating->meetings);
    for (guint rank = 0; rank < simulating->skeleton->ranks; rank++)
        end_rank(&simulating->ranks[rank]);
    g_free(simulating->ranks);
    g_queue_clear(&simulating->runnable);
    g_clear_pointer(&simulating->sent, g_hash_table_unref);
    g_clear_pointer(&simulating->pairs, g_array_unref);
    g_clear_pointer(&simulating->not_simulated, g_hash_table_unref);
    g_clear_pointer(&simulating->between, g_hash_table_unref);
    g_array_unref(simulating->functions);
    dt_groups_free(simulating->groups);
    g_free(simulating);
}

/* Whose it is waits for it in a call that returned when it was recorded. */
static gboolean came_back(const DtSimulating *simulating, const DtOperation *operation)
{
    const DtSimulatedRank *own = &simulating->ranks[operation->rank];
    return simulating->was_recorded && own->call && !own->was_open && g_ptr_array_find(own->needs, operation, NULL);
}

/* Receives that were cancelled, though it is told that they got something: of some MPIs that is what was there before.
 */
static void cancel_late(DtSimulating *simulating)
{
    for (guint rank = 0; rank < simulating->skeleton->ranks; rank++)
        for (guint i = 0; i < simulating->ranks[rank].needs->len; i++) {
            DtOperation *operation = simulating->ranks[rank].needs->pdata[i];
            if (!operation->cancelled || operation->done)
                continue;
            dt_cancel_receive(simulating, operation);
            dt_wake(simulating, rank);
        }
}

/* Calls of one meeting that do not fit each other are no MPI any more: who came back from his when it was recorded,
 * does so here, if nobody gets on otherwise. */
gboolean dt_simulating_let_go(DtSimulating *simulating)
{
    GHashTableIter iter;
    gpointer meeting;
    cancel_late(simulating);
    g_hash_table_iter_init(&iter, simulating->meetings);
    while (simulating->sends == DT_SENDS_BUFFERED && g_hash_table_iter_next(&iter, &meeting, NULL)) {
        const DtMeeting *own = meeting;
        for (guint i = 0; own->differs && i < own->waiting->len; i++) {
            DtOperation *operation = own->waiting->pdata[i];
            if (!operation->done && came_back(simulating, operation))
                dt_operation_finish(simulating, operation);
        }
    }
    return !g_queue_is_empty(&simulating->runnable);
}

void dt_simulating_go_on(DtSimulating *simulating)
{
    while (!g_queue_is_empty(&simulating->runnable))
        run_rank(simulating, GPOINTER_TO_UINT(g_queue_pop_head(&simulating->runnable)));
}

void dt_simulating_run(DtSimulating *simulating)
{
    do
        dt_simulating_go_on(simulating);
    while (dt_simulating_let_go(simulating));
}

/* A persistent send may be started any number of times. */
static void count_send(DtSimulating *simulating, guint rank, const struct dt_call *row)
{
    gint peer = peer_of(simulating, rank, group_of(simulating, rank), DT_ARGUMENT_TO);
    if (peer < 0)
        return;
    gint64 *key = g_new(gint64, 1);
    *key = (gint64)rank << 32 | peer;
    gsize known = GPOINTER_TO_SIZE(g_hash_table_lookup(simulating->sent, key));
    gboolean persistent = dt_call_has(row, DT_PARAMETER_PERSISTENT_REQUEST_MADE);
    g_hash_table_insert(simulating->sent, key, GSIZE_TO_POINTER(persistent ? G_MAXINT64 : MAX(known + 1, known)));
}

void dt_simulating_count_sends(DtSimulating *simulating)
{
    for (guint rank = 0; rank < simulating->skeleton->ranks; rank++) {
        DtSimulatedRank *own = &simulating->ranks[rank];
        while ((own->call = dt_walk_next(own->walk))) {
            const struct dt_call *row = row_of(simulating, own->call->function);
            if (row && row->properties & DT_CALL_POINT_TO_POINT && !(row->properties & DT_CALL_PROBING))
                count_send(simulating, rank, row);
        }
    }
}

static void free_standing(gpointer data)
{
    DtStandingRank *standing = data;
    g_free(standing->call);
    g_array_unref(standing->waits_for);
    g_free(standing);
}

static DtStandingRank *standing_rank(const DtSimulating *simulating, guint rank)
{
    DtStandingRank *standing = g_new0(DtStandingRank, 1);
    standing->rank = rank;
    standing->call = simulating->ranks[rank].asks_on
                         ? g_strdup(simulating->skeleton->functions->pdata[simulating->ranks[rank].call->function])
                         : dt_walk_text(simulating->ranks[rank].walk);
    standing->waits_for = dt_awaited_ranks(simulating, rank, &standing->for_any);
    standing->was_open = simulating->ranks[rank].was_open;
    return standing;
}

/* Somebody stands still only because it was recorded so: a receive from anybody, or a call that asks for several
 * requests, could go on with another message. What the program would do then is not known. */
static gboolean is_bound(const DtSimulating *simulating, guint rank)
{
    const DtSimulatedRank *own = &simulating->ranks[rank];
    const struct dt_call *row = row_of(simulating, own->call->function);
    if (own->told_some || (row && row->properties & DT_CALL_POLLING && !own->asks_on))
        return TRUE;
    for (GList *link = own->receives.head; link; link = link->next) {
        DtOperation free = *(const DtOperation *)link->data;
        if (!free.got)
            continue;
        free.peer = DT_ANYBODY;
        free.tag = free.any_tag ? DT_ANY_TAG : free.tag;
        for (GList *send = own->messages.head; send; send = send->next)
            if (dt_operations_fit(send->data, &free))
                return TRUE;
    }
    return FALSE;
}

static gint compare_texts(gconstpointer first, gconstpointer second)
{
    return g_strcmp0(*(const char *const *)first, *(const char *const *)second);
}

/* Whoever stands still may wait for what that would have done. */
static void add_not_simulated(const DtSimulating *simulating, DtSimulation *simulation)
{
    GHashTableIter iter;
    gpointer what;
    if (!simulating->not_simulated)
        return;
    simulation->not_simulated = g_ptr_array_new_with_free_func(g_free);
    g_hash_table_iter_init(&iter, simulating->not_simulated);
    while (g_hash_table_iter_next(&iter, &what, NULL))
        g_ptr_array_add(simulation->not_simulated, g_strdup(what));
    g_ptr_array_sort(simulation->not_simulated, compare_texts);
    simulation->undecided |= simulating->may_lack && !simulation->ends;
}

DtSimulation *dt_simulating_result(const DtSimulating *simulating, gboolean tell)
{
    DtSimulation *simulation = g_new0(DtSimulation, 1);
    simulation->ranks = simulating->skeleton->ranks;
    simulation->sends = simulating->sends;
    simulation->calls = simulating->calls;
    simulation->went_on = simulating->went_on;
    simulation->ends = TRUE;
    simulation->standing = g_ptr_array_new_with_free_func(free_standing);
    for (guint rank = 0; rank < simulation->ranks; rank++) {
        const DtSimulatedRank *own = &simulating->ranks[rank];
        simulation->cut_short |= dt_walk_steps(own->walk) > DT_SKELETON_MOST_CALLS;
        simulation->ends = simulation->ends && own->ended;
        if (!own->ended && simulating->sends == DT_SENDS_UNBUFFERED && !simulating->any)
            simulation->undecided = simulation->undecided || is_bound(simulating, rank);
        if (tell && !own->ended)
            g_ptr_array_add(simulation->standing, standing_rank(simulating, rank));
    }
    add_not_simulated(simulating, simulation);
    if (tell)
        dt_simulation_tell(simulating, simulation);
    simulation->no_end_is_known =
        tell && !simulation->ends && simulation->went_on > 0 && simulation->waits->cycles->len == 0;
    simulation->undecided |= simulation->no_end_is_known;
    return simulation;
}

DtSimulation *dt_simulate(const DtSkeleton *skeleton, DtSends sends)
{
    g_autoptr(DtSimulating) simulating = dt_simulating_new(skeleton, sends, FALSE);
    dt_simulating_run(simulating);
    return dt_simulating_result(simulating, TRUE);
}

gboolean dt_skeleton_stands_still(const DtSkeleton *skeleton, DtSends sends)
{
    g_autoptr(DtSimulating) simulating = dt_simulating_new(skeleton, sends, FALSE);
    dt_simulating_run(simulating);
    g_autoptr(DtSimulation) simulation = dt_simulating_result(simulating, FALSE);
    return !simulation->ends;
}
