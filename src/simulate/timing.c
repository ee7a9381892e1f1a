/* What passes in time: ranks compute, messages are under way, members of collectives send to each other. */
#include "simulate/timing.h"
#include "format/arguments.h"
#include "skeleton/node_times.h"

typedef enum { COMPUTED, ARRIVED, STEPPED } What;

typedef struct {
    What what;
    guint rank;         /* COMPUTED */
    DtOperation *send;  /* ARRIVED; a reference */
    DtMeeting *meeting; /* STEPPED: the message is awaited, so that the meeting is not over */
    gint64 key;
} Activity;

/* How far a member of a collective is. */
struct DtMember {
    DtOperation *operation; /* whose it is */
    DtCollectivePart part;
    guint number; /* of the next step */
    gboolean is_over;
};

/* Instead of a member that waits for a message: it has arrived. */
static char arrived;

gint64 dt_timing_scale(const DtTiming *timing, gint64 count)
{
    if (count <= 0 || timing->options->size == 100 || count > G_MAXINT64 / 100000)
        return count;
    return MAX(count * timing->options->size / 100, 1);
}

void dt_member_free(struct DtMember *member)
{
    g_free(member);
}

/* ---- computing ------------------------------------------------------------------------------- */

/* As recorded before this visit of the call; 0: not known. */
static gint64 time_before(DtTiming *timing, guint rank)
{
    DtRankTiming *own = &timing->ranks[rank];
    const DtSkeletonNode *call = timing->simulating->ranks[rank].call;
    const gint64 place = (gint64)GPOINTER_TO_SIZE(g_hash_table_lookup(timing->places, call)) - 1;
    const DtNodeTime *time = dt_node_find_time(call, own->place < 0 ? DT_AFTER_START : own->place - place, rank);
    own->place = place;
    if (!time || time->row->length <= 1)
        return time ? time->mean : 0;
    if (!own->cursors)
        own->cursors = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    DtRowCursor *cursor = g_hash_table_lookup(own->cursors, time);
    if (!cursor) {
        cursor = g_new(DtRowCursor, 1);
        dt_row_cursor_begin(cursor, time->row);
        g_hash_table_insert(own->cursors, (gpointer)time, cursor);
    }
    return dt_row_cursor_next(cursor);
}

static gpointer activity_new(Activity activity)
{
    return g_memdup2(&activity, sizeof activity);
}

gboolean dt_timing_compute(DtTiming *timing, guint rank)
{
    DtRankTiming *own = &timing->ranks[rank];
    gint64 ns = (gint64)((gdouble)time_before(timing, rank) * timing->options->compute / 100);
    if (ns <= 0)
        return FALSE;
    own->entered = timing->now;
    timing->machine->functions->compute(timing->machine->machine, own->host, ns,
                                        activity_new((Activity){.what = COMPUTED, .rank = rank}));
    return TRUE;
}

/* ---- messages -------------------------------------------------------------------------------- */

static void transfer(DtTiming *timing, guint from, guint to, gint64 bytes, Activity activity)
{
    timing->machine->functions->transfer(timing->machine->machine, timing->ranks[from].host, timing->ranks[to].host,
                                         bytes, activity_new(activity));
}

static void count_message(DtTiming *timing, const DtOperation *send)
{
    const gint64 key = (gint64)send->rank << 32 | send->peer;
    DtTraffic *traffic = g_hash_table_lookup(timing->traffic, &key);
    if (!traffic) {
        traffic = g_new0(DtTraffic, 1);
        g_hash_table_insert(timing->traffic, g_memdup2(&key, sizeof key), traffic);
    }
    traffic->messages++;
    traffic->bytes += (guint64)send->bytes;
}

static void begin_message(DtTiming *timing, DtOperation *send)
{
    send->is_under_way = TRUE;
    count_message(timing, send);
    transfer(timing, send->rank, (guint)send->peer, send->bytes,
             (Activity){.what = ARRIVED, .send = dt_operation_hold(send)});
}

DtOperation *dt_timing_post(DtTiming *timing, DtOperation *operation)
{
    DtOperation *own = operation;
    if (!operation->is_receive && operation->persistent && operation->buffered) {
        own = dt_operation_new(operation->rank);
        *own = *operation;
        own->references = 1;
        own->persistent = FALSE;
    } else {
        dt_operation_hold(own);
    }
    own->begun = timing->now;
    own->late_rank = -1;
    own->is_under_way = own->has_arrived = FALSE;
    own->receiver = NULL;
    return own;
}

void dt_timing_send(DtTiming *timing, DtOperation *send)
{
    if (send->buffered)
        begin_message(timing, send);
}

void dt_timing_match(DtTiming *timing, DtOperation *send, DtOperation *receive)
{
    receive->late = send->begun;
    receive->late_rank = (gint)send->rank;
    send->late = receive->begun;
    send->late_rank = (gint)receive->rank;
    if (send->has_arrived) {
        dt_operation_finish(timing->simulating, receive);
        return;
    }
    send->receiver = dt_operation_hold(receive);
    if (!send->is_under_way)
        begin_message(timing, send);
    if (send->buffered && !send->done)
        dt_operation_finish(timing->simulating, send);
}

static void arrive(DtTiming *timing, DtOperation *send)
{
    send->is_under_way = FALSE;
    send->has_arrived = TRUE;
    if (!send->done)
        dt_operation_finish(timing->simulating, send);
    if (send->receiver) {
        dt_operation_finish(timing->simulating, send->receiver);
        g_clear_pointer(&send->receiver, dt_operation_release);
    } else {
        dt_wake(timing->simulating, (guint)send->peer); /* it may probe */
    }
    dt_operation_release(send);
}

/* ---- collectives ----------------------------------------------------------------------------- */

static gint64 step_key(guint to, guint from, guint tag)
{
    return (gint64)to << 42 | (gint64)from << 21 | tag;
}

/* For whom the member had to wait, at least. */
static void find_late(const DtMeeting *meeting, DtOperation *operation)
{
    const gboolean is_root = meeting->root == (gint)operation->rank;
    operation->late_rank = -1;
    if (meeting->direction == DT_FROM_ROOT && !is_root && meeting->root_came) {
        operation->late = meeting->root_begun;
        operation->late_rank = meeting->root;
    } else if (meeting->direction != DT_FROM_ROOT && (meeting->direction != DT_TO_ROOT || is_root)) {
        operation->late = meeting->last_begun;
        operation->late_rank = meeting->last;
    }
}

/* Its part is over, and, where all have to wait for all, all have come. */
static void try_to_leave(DtTiming *timing, DtMeeting *meeting, DtOperation *operation)
{
    const gboolean all = timing->simulating->sends == DT_SENDS_UNBUFFERED || operation->was_open;
    if (operation->done || !operation->member->is_over || meeting->differs || (all && meeting->come < meeting->members))
        return;
    find_late(meeting, operation);
    meeting->left++;
    dt_operation_finish(timing->simulating, operation);
}

static void send_step(DtTiming *timing, DtMeeting *meeting, const struct DtMember *member, const DtCollectiveStep *step)
{
    const gint to = dt_groups_member(timing->simulating->groups, meeting->group, (guint)step->to);
    timing->times->collective_messages++;
    timing->times->collective_bytes += (guint64)step->bytes;
    transfer(timing, member->operation->rank, (guint)to, step->bytes,
             (Activity){.what = STEPPED,
                        .meeting = meeting,
                        .key = step_key((guint)step->to, member->part.index, step->to_tag)});
}

/* Until it has to wait for a message, or has no more steps. */
static void advance(DtTiming *timing, DtMeeting *meeting, struct DtMember *member)
{
    DtCollectiveStep step;
    while (dt_collective_step(&member->part, member->number, &step)) {
        member->number++;
        if (step.to >= 0)
            send_step(timing, meeting, member, &step);
        if (step.from < 0)
            continue;
        const gint64 key = step_key(member->part.index, (guint)step.from, step.from_tag);
        if (!g_hash_table_remove(meeting->steps, &key)) {
            g_hash_table_insert(meeting->steps, g_memdup2(&key, sizeof key), member);
            return;
        }
    }
    member->is_over = TRUE;
    try_to_leave(timing, meeting, member->operation);
}

static void end_if_over(DtTiming *timing, DtMeeting *meeting)
{
    if (meeting->left == meeting->members && !meeting->differs)
        dt_simulating_end_meeting(timing->simulating, meeting);
}

static void take_step(DtTiming *timing, DtMeeting *meeting, gint64 key)
{
    gpointer waiting = g_hash_table_lookup(meeting->steps, &key);
    if (!waiting) {
        g_hash_table_insert(meeting->steps, g_memdup2(&key, sizeof key), &arrived);
        return;
    }
    g_hash_table_remove(meeting->steps, &key);
    advance(timing, meeting, waiting);
    end_if_over(timing, meeting);
}

static struct DtMember *member_new(DtTiming *timing, const DtMeeting *meeting, DtOperation *operation)
{
    const DtSimulating *simulating = timing->simulating;
    struct DtMember *member = g_new0(struct DtMember, 1);
    member->operation = operation;
    member->part.kind = dt_collective_kind(simulating->skeleton->functions->pdata[operation->function]);
    member->part.algorithm = timing->options->collectives.of[member->part.kind];
    member->part.members = meeting->members;
    member->part.index = (guint)MAX(dt_groups_index(simulating->groups, meeting->group, operation->rank), 0);
    if (meeting->root >= 0)
        member->part.root = (guint)MAX(dt_groups_index(simulating->groups, meeting->group, (guint)meeting->root), 0);
    member->part.bytes = operation->bytes;
    if (member->part.kind == DT_COLLECTIVE_REDUCE_SCATTER &&
        __builtin_mul_overflow(operation->bytes, meeting->members, &member->part.bytes))
        member->part.bytes = operation->bytes;
    return member;
}

void dt_timing_join(DtTiming *timing, DtMeeting *meeting, DtOperation *operation)
{
    operation->begun = meeting->last_begun = timing->now;
    meeting->last = (gint)operation->rank;
    if (meeting->root == meeting->last)
        meeting->root_begun = timing->now;
    if (!meeting->steps)
        meeting->steps = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    operation->member = member_new(timing, meeting, operation);
    advance(timing, meeting, operation->member);
    if (meeting->come == meeting->members)
        for (guint i = 0; i < meeting->waiting->len; i++)
            try_to_leave(timing, meeting, meeting->waiting->pdata[i]);
    end_if_over(timing, meeting);
}

/* ---- calls ----------------------------------------------------------------------------------- */

void dt_timing_enter(DtTiming *timing, guint rank)
{
    timing->ranks[rank].entered = timing->now;
}

static DtTimedWait kind_of(const DtTiming *timing, const DtOperation *operation)
{
    if (!operation->member)
        return operation->is_receive ? DT_TIMED_LATE_SENDER : DT_TIMED_LATE_RECEIVER;
    const char *function = timing->simulating->skeleton->functions->pdata[operation->function];
    const DtDirection direction = dt_direction_of(function);
    return direction == DT_FROM_ROOT                               ? DT_TIMED_LATE_BROADCAST
           : direction == DT_TO_ROOT                               ? DT_TIMED_EARLY_REDUCE
           : direction == DT_FROM_BELOW                            ? DT_TIMED_SCAN
           : operation->member->part.kind == DT_COLLECTIVE_BARRIER ? DT_TIMED_BARRIER
                                                                   : DT_TIMED_NXN;
}

static void add_wait(DtTiming *timing, guint rank, DtTimedWait kind, gint late, gint64 ns)
{
    DtRankTiming *own = &timing->ranks[rank];
    if (!own->waits)
        own->waits = g_hash_table_new(NULL, NULL);
    gpointer key = GINT_TO_POINTER(late + 1);
    const gint64 all = (gint64)GPOINTER_TO_SIZE(g_hash_table_lookup(own->waits, key)) + ns;
    g_hash_table_insert(own->waits, key, GSIZE_TO_POINTER(all));
    own->told.waited += ns;
    if (all > own->told.most) {
        own->told.most = all;
        own->told.most_for = late;
    }
    timing->times->waits[kind].calls++;
    timing->times->waits[kind].ns += ns;
}

static const DtOperation *found_message(const DtSimulatedRank *own)
{
    for (GList *link = own->messages.head; link; link = link->next)
        if (!((const DtOperation *)link->data)->is_under_way && dt_operations_fit(link->data, &own->probe))
            return link->data;
    return NULL;
}

void dt_timing_leave(DtTiming *timing, guint rank)
{
    const DtSimulatedRank *own = &timing->simulating->ranks[rank];
    const gint64 entered = timing->ranks[rank].entered;
    const DtOperation *found = own->probes ? found_message(own) : NULL;
    gint64 longest = found ? MIN(found->begun, timing->now) - entered : 0;
    gint late = found ? (gint)found->rank : -1;
    DtTimedWait kind = DT_TIMED_LATE_SENDER;
    for (guint i = 0; i < own->needs->len; i++) {
        const DtOperation *operation = own->needs->pdata[i];
        const gint64 ns = MIN(operation->late, timing->now) - entered;
        if (!operation->done || operation->late_rank < 0 || operation->late_rank == (gint)rank || ns <= longest)
            continue;
        /* Who sends into a buffer waits for nobody. */
        if (!operation->member && !operation->is_receive && operation->buffered)
            continue;
        longest = ns;
        late = operation->late_rank;
        kind = kind_of(timing, operation);
    }
    if (longest > 0)
        add_wait(timing, rank, kind, late, longest);
}

void dt_timing_end(DtTiming *timing, guint rank)
{
    timing->ranks[rank].told.end = timing->now;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void end_activity(DtTiming *timing, const Activity *activity)
{
    if (activity->what == COMPUTED) {
        DtRankTiming *own = &timing->ranks[activity->rank];
        own->told.computed += timing->now - own->entered;
        dt_simulating_enter(timing->simulating, activity->rank);
    } else if (activity->what == ARRIVED) {
        arrive(timing, activity->send);
    } else {
        take_step(timing, activity->meeting, activity->key);
    }
}

static void step(gpointer over, gpointer data)
{
    DtTiming *timing = data;
    g_autofree Activity *activity = over;
    timing->now = timing->machine->functions->now(timing->machine->machine);
    if (activity)
        end_activity(timing, activity);
    else
        (void)dt_simulating_let_go(timing->simulating);
    dt_simulating_go_on(timing->simulating);
}

static void find_places(DtTiming *timing, const DtSkeleton *skeleton)
{
    for (guint i = 0; i < skeleton->threads->len; i++) {
        const DtSkeletonThread *thread = skeleton->threads->pdata[i];
        g_autoptr(GPtrArray) calls = dt_skeleton_calls(thread);
        for (guint k = 0; thread->number == 0 && k < calls->len; k++)
            g_hash_table_insert(timing->places, calls->pdata[k], GUINT_TO_POINTER(k + 1));
    }
}

/* In the order of hosts, as many on each as it has cores; if there are more ranks, as many more on each. */
static void place_ranks(DtTiming *timing, guint ranks)
{
    const DtSimulatedMachine *machine = timing->machine;
    const guint hosts = machine->functions->hosts(machine->machine);
    guint64 cores = 0, before = 0;
    for (guint i = 0; i < hosts; i++)
        cores += machine->functions->cores(machine->machine, i);
    for (guint rank = 0, host = 0; rank < ranks; rank++) {
        const guint64 core = ranks > cores ? rank * cores / ranks : rank;
        for (guint own; core >= before + (own = machine->functions->cores(machine->machine, host)); host++)
            before += own;
        timing->ranks[rank] = (DtRankTiming){.host = host, .place = -1, .told = {.end = -1, .most_for = -1}};
    }
    timing->times->hosts = hosts;
}

static void clear(DtTiming *timing, guint ranks)
{
    for (guint i = 0; i < ranks; i++) {
        g_clear_pointer(&timing->ranks[i].cursors, g_hash_table_unref);
        g_clear_pointer(&timing->ranks[i].waits, g_hash_table_unref);
    }
    g_free(timing->ranks);
    g_hash_table_unref(timing->places);
    g_hash_table_unref(timing->traffic);
}

DtSimulation *dt_simulate_timed(const DtSkeleton *skeleton, DtSends sends, DtSimulatedMachine *machine,
                                const DtTimedOptions *options)
{
    g_autoptr(DtSimulating) simulating = dt_simulating_new(skeleton, sends, FALSE);
    DtTiming timing = {.simulating = simulating, .machine = machine, .options = options};
    timing.ranks = g_new0(DtRankTiming, skeleton->ranks);
    timing.times = g_new0(DtTimes, 1);
    timing.places = g_hash_table_new(NULL, NULL);
    timing.traffic = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    timing.times->computes = options->compute == 0 || dt_skeleton_has_times(skeleton);
    find_places(&timing, skeleton);
    place_ranks(&timing, skeleton->ranks);
    simulating->timing = &timing;
    machine->functions->run(machine->machine, step, &timing);
    DtSimulation *simulation = dt_simulating_result(simulating, TRUE);
    simulation->times = dt_timing_result(&timing);
    simulating->timing = NULL;
    clear(&timing, skeleton->ranks);
    return simulation;
}
