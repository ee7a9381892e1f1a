/* Messages meet receives: in order, by communicator, sender and tag (MPI 3.1, section 3.5). */
#include "simulate/simulating.h"

DtOperation *dt_operation_new(guint rank)
{
    DtOperation *operation = g_new0(DtOperation, 1);
    operation->references = 1;
    operation->rank = rank;
    operation->peer = DT_NO_PEER;
    operation->recorded = DT_ANYBODY;
    operation->late_rank = -1;
    return operation;
}

DtOperation *dt_operation_hold(DtOperation *operation)
{
    operation->references++;
    return operation;
}

void dt_operation_release(gpointer data)
{
    DtOperation *operation = data;
    if (--operation->references > 0)
        return;
    g_clear_pointer(&operation->member, dt_member_free);
    g_free(operation);
}

void dt_wake(DtSimulating *simulating, guint rank)
{
    DtSimulatedRank *own = &simulating->ranks[rank];
    if (own->queued || own->ended)
        return;
    own->queued = TRUE;
    g_queue_push_tail(&simulating->runnable, GUINT_TO_POINTER(rank));
}

void dt_operation_finish(DtSimulating *simulating, DtOperation *operation)
{
    operation->done = TRUE;
    dt_wake(simulating, operation->rank);
}

gboolean dt_operations_fit(const DtOperation *send, const DtOperation *receive)
{
    return send->group == receive->group && (receive->peer == DT_ANYBODY || receive->peer == (gint)send->rank) &&
           (receive->tag == DT_ANY_TAG || receive->tag == send->tag);
}

static void match(DtSimulating *simulating, DtOperation *send, DtOperation *receive)
{
    if (simulating->pairs) {
        const DtMetCalls pair = {{send->rank, receive->rank}, {send->index, receive->index}, TRUE};
        g_array_append_val(simulating->pairs, pair);
    }
    if (simulating->timing) {
        dt_timing_match(simulating->timing, send, receive);
        return;
    }
    dt_operation_finish(simulating, receive);
    if (!send->done)
        dt_operation_finish(simulating, send);
}

/* The first receive that the message may go to; one that is to be chosen keeps it from those behind. */
static void post_send(DtSimulating *simulating, DtOperation *send)
{
    DtSimulatedRank *to = &simulating->ranks[send->peer];
    if (simulating->sent) {
        gint64 *key = g_new(gint64, 1);
        *key = (gint64)send->rank << 32 | send->peer;
        gsize sent = GPOINTER_TO_SIZE(g_hash_table_lookup(simulating->sent, key));
        g_hash_table_insert(simulating->sent, key, GSIZE_TO_POINTER(sent + 1));
    }
    GList *link = to->receives.head;
    while (link && !dt_operations_fit(send, link->data))
        link = link->next;
    DtOperation *receive = link ? link->data : NULL;
    if (receive && !receive->is_wildcard) {
        g_queue_delete_link(&to->receives, link);
        match(simulating, send, receive);
        dt_operation_release(receive);
        return;
    }
    if (send->buffered)
        send->done = TRUE;
    if (simulating->timing)
        dt_timing_send(simulating->timing, send);
    g_queue_push_tail(&to->messages, dt_operation_hold(send));
    dt_wake(simulating, (guint)send->peer); /* it may probe */
}

/* TRUE if a receive before this one may get the message, too, and is to be chosen. */
static gboolean is_kept(const DtSimulatedRank *own, const DtOperation *send, const DtOperation *receive)
{
    for (GList *link = own->wildcards > 0 ? own->receives.head : NULL; link && link->data != receive; link = link->next)
        if (((const DtOperation *)link->data)->is_wildcard && dt_operations_fit(send, link->data))
            return TRUE;
    return FALSE;
}

/* The first message for a receive that is not to be chosen. */
static GList *find_message(DtSimulatedRank *own, const DtOperation *receive)
{
    for (GList *link = receive->is_wildcard ? NULL : own->messages.head; link; link = link->next)
        if (dt_operations_fit(link->data, receive))
            return is_kept(own, link->data, receive) ? NULL : link;
    return NULL;
}

static void take_message(DtSimulating *simulating, DtSimulatedRank *own, GList *link, DtOperation *receive)
{
    DtOperation *send = link->data;
    g_queue_delete_link(&own->messages, link);
    match(simulating, send, receive);
    dt_operation_release(send);
}

static void post_receive(DtSimulating *simulating, DtOperation *receive)
{
    DtSimulatedRank *own = &simulating->ranks[receive->rank];
    GList *link = find_message(own, receive);
    if (link) {
        take_message(simulating, own, link, receive);
        return;
    }
    own->wildcards += receive->is_wildcard ? 1 : 0;
    g_queue_push_tail(&own->receives, dt_operation_hold(receive));
}

void dt_operation_post(DtSimulating *simulating, DtOperation *operation)
{
    operation->active = TRUE;
    operation->done = operation->peer == DT_NO_PEER;
    if (operation->done)
        return;
    DtOperation *own = simulating->timing ? dt_timing_post(simulating->timing, operation) : NULL;
    if (operation->is_receive)
        post_receive(simulating, operation);
    else
        post_send(simulating, own ? own : operation);
    if (own) {
        operation->done |= own->done;
        dt_operation_release(own);
    }
}

void dt_cancel_receive(DtSimulating *simulating, DtOperation *receive)
{
    DtSimulatedRank *own = &simulating->ranks[receive->rank];
    receive->done = TRUE;
    own->wildcards -= receive->is_wildcard ? 1 : 0;
    if (g_queue_remove(&own->receives, receive))
        dt_operation_release(receive);
}

/* ---- choices --------------------------------------------------------------------------------- */

/* TRUE if an earlier message of the same sender, or an earlier receive, is in the way. */
static gboolean is_overtaken(const DtSimulatedRank *own, const DtOperation *receive, const DtOperation *send)
{
    for (GList *link = own->messages.head; link->data != send; link = link->next)
        if (((const DtOperation *)link->data)->rank == send->rank && dt_operations_fit(link->data, receive))
            return TRUE;
    for (GList *link = own->receives.head; link->data != receive; link = link->next)
        if (dt_operations_fit(send, link->data))
            return TRUE;
    return FALSE;
}

void dt_find_matches(const DtSimulating *simulating, guint rank, GArray *matches)
{
    const DtSimulatedRank *own = &simulating->ranks[rank];
    if (own->wildcards == 0)
        return;
    for (GList *receive = own->receives.head; receive; receive = receive->next) {
        if (!((const DtOperation *)receive->data)->is_wildcard)
            continue;
        guint first = matches->len;
        for (GList *send = own->messages.head; send; send = send->next) {
            const DtMatch found = {receive->data, send->data};
            if (!dt_operations_fit(found.send, found.receive) || is_overtaken(own, found.receive, found.send))
                continue;
            g_array_append_val(matches, found);
            /* What was recorded is tried first. */
            if (found.receive->recorded == (gint)found.send->rank) {
                g_array_index(matches, DtMatch, matches->len - 1) = g_array_index(matches, DtMatch, first);
                g_array_index(matches, DtMatch, first) = found;
            }
        }
    }
}

void dt_choose_match(DtSimulating *simulating, const DtMatch *chosen)
{
    DtSimulatedRank *own = &simulating->ranks[chosen->receive->rank];
    DtOperation *receive = chosen->receive;
    gint64 got;
    if (dt_groups_distance(simulating->groups, receive->group, receive->rank, chosen->send->rank, &got))
        dt_walk_got(own->walk, got);
    own->wildcards--;
    own->choices = (own->choices + chosen->send->rank + 1) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    own->choices ^= own->choices >> 29;
    g_queue_remove(&own->receives, receive);
    take_message(simulating, own, g_queue_find(&own->messages, chosen->send), receive);
    dt_operation_release(receive);
    /* Others are no choice any more. */
    for (GList *link = own->receives.head, *next; link; link = next) {
        DtOperation *other = link->data;
        GList *message = find_message(own, other);
        next = link->next;
        if (!message)
            continue;
        g_queue_delete_link(&own->receives, link);
        take_message(simulating, own, message, other);
        dt_operation_release(other);
    }
}
