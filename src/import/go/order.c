/*
 * One row of events out of those of all processors: of the first ones that nothing else has to come before, the
 * earliest, and so on. Source: order1007() in Go's internal/trace/order.go, whose results these are.
 */
#include "import/go/trace.h"

typedef enum { DEAD, RUNNABLE, RUNNING, WAITING } Status;

typedef struct {
    guint64 sequence;
    Status status;
} State;

/* What an event needs to find, and what it leaves. */
typedef struct {
    gboolean is_ordered;
    guint64 goroutine;
    gboolean sets;                     /* whatever there was before */
    gboolean has_sequence, increments; /* it says which, or one more than there was */
    State before, after;
} Transition;

/* Goroutine number of what only the garbage collector's cycles change. */
static const guint64 COLLECTOR = G_MAXUINT64 - 1;

static Transition follow(guint64 goroutine, Status before, Status after)
{
    return (Transition){
        .is_ordered = TRUE, .goroutine = goroutine, .before = {.status = before}, .after = {.status = after}};
}

static Transition follow_exactly(guint64 goroutine, guint64 sequence, Status before, Status after)
{
    Transition exact = follow(goroutine, before, after);
    exact.has_sequence = TRUE;
    exact.before.sequence = sequence;
    exact.after.sequence = sequence + 1;
    return exact;
}

static Transition follow_next(guint64 goroutine, Status before, Status after)
{
    Transition next = follow(goroutine, before, after);
    next.increments = TRUE;
    return next;
}

/* By what is told of a goroutine when a generation of the second format begins. */
static Transition set_status(guint64 goroutine, guint64 status)
{
    static const Status statuses[] = {DEAD, RUNNABLE, RUNNING, RUNNING, WAITING};
    Transition set = follow(goroutine, DEAD, status < G_N_ELEMENTS(statuses) ? statuses[status] : DEAD);
    set.sets = TRUE;
    return set;
}

static Transition transition_of(const DtGoEvent *event)
{
    const guint64 *arguments = event->arguments;
    switch (event->type) {
    case DT_GO_CREATE:
        return follow_exactly(arguments[0], 0, DEAD, RUNNABLE);
    case DT_GO_WAITING:
    case DT_GO_IN_SYSCALL:
        return follow_exactly(event->goroutine, 1, RUNNABLE, WAITING);
    case DT_GO_STATUS:
        return set_status(arguments[0], arguments[1]);
    case DT_GO_CREATE_AS:
        return set_status(arguments[0], arguments[2]);
    case DT_GO_SYSCALL_OVER:
        return arguments[1] ? follow(event->goroutine, RUNNING, RUNNABLE) : (Transition){0};
    case DT_GO_START:
        if (arguments[2])
            return follow_exactly(event->goroutine, arguments[1], WAITING, RUNNING);
        return follow_exactly(event->goroutine, arguments[1], RUNNABLE, RUNNING);
    case DT_GO_START_LABEL:
        return follow_exactly(event->goroutine, arguments[1], RUNNABLE, RUNNING);
    case DT_GO_START_LOCAL:
        return follow_next(event->goroutine, RUNNABLE, RUNNING);
    case DT_GO_BLOCK:
    case DT_GO_BLOCK_SEND:
    case DT_GO_BLOCK_RECEIVE:
    case DT_GO_BLOCK_SELECT:
    case DT_GO_BLOCK_SYNC:
    case DT_GO_BLOCK_COND:
    case DT_GO_BLOCK_NET:
    case DT_GO_SLEEP:
    case DT_GO_SYSCALL_BLOCK:
    case DT_GO_BLOCK_GC:
        return follow(event->goroutine, RUNNING, WAITING);
    case DT_GO_SCHED:
    case DT_GO_PREEMPT:
        return follow(event->goroutine, RUNNING, RUNNABLE);
    case DT_GO_UNBLOCK:
    case DT_GO_SYSCALL_EXIT:
        return follow_exactly(arguments[0], arguments[1], WAITING, RUNNABLE);
    case DT_GO_UNBLOCK_LOCAL:
    case DT_GO_SYSCALL_EXIT_LOCAL:
        return follow_next(arguments[0], WAITING, RUNNABLE);
    case DT_GO_GC_START:
        return follow_exactly(COLLECTOR, arguments[0], DEAD, DEAD);
    default:
        return (Transition){0};
    }
}

/* ---- lanes ------------------------------------------------------------------------------------------------ */

/* Pieces of it, which are freed one by one as its events are taken out. */
struct DtGoLane {
    GQueue pieces; /* GArray of DtGoEvent */
    guint next;    /* in the first one */
};

DtGoLane *dt_go_lane_new(void)
{
    DtGoLane *lane = g_new0(DtGoLane, 1);
    g_queue_init(&lane->pieces);
    return lane;
}

static void free_piece(gpointer piece)
{
    g_array_unref(piece);
}

void dt_go_lane_free(gpointer lane)
{
    g_queue_clear_full(&((DtGoLane *)lane)->pieces, free_piece);
    g_free(lane);
}

void dt_go_lane_add(DtGoLane *lane, const DtGoEvent *event)
{
    enum { OF_PIECE = 4096 };
    GArray *last = g_queue_peek_tail(&lane->pieces);
    if (!last || last->len == OF_PIECE) {
        last = g_array_new(FALSE, FALSE, sizeof(DtGoEvent));
        g_queue_push_tail(&lane->pieces, last);
    }
    g_array_append_vals(last, event, 1);
}

/* NULL: nothing is left. */
static const DtGoEvent *first_of(const DtGoLane *lane)
{
    const GArray *piece = lane->pieces.head ? lane->pieces.head->data : NULL;
    return piece ? &g_array_index(piece, DtGoEvent, lane->next) : NULL;
}

static void take_first(DtGoLane *lane)
{
    GArray *piece = lane->pieces.head->data;
    if (++lane->next < piece->len)
        return;
    g_array_unref(g_queue_pop_head(&lane->pieces));
    lane->next = 0;
}

/* ---- the front ---------------------------------------------------------------------------------------- */

/* The events of a processor. */
typedef struct {
    DtGoLane *events;
    gboolean is_ready; /* the next one */
    gboolean is_known; /* what the next one waits for is `transition` */
    Transition transition;
} Lane;

typedef struct {
    DtGoTrace *trace;
    GArray *lanes;      /* Lane */
    GHashTable *states; /* goroutine -> State */
} Ordering;

static State *state_of(const Ordering *ordering, guint64 goroutine)
{
    State *state = g_hash_table_lookup(ordering->states, &goroutine);
    if (!state) {
        state = g_new0(State, 1);
        g_hash_table_insert(ordering->states, g_memdup2(&goroutine, sizeof(goroutine)), state);
    }
    return state;
}

static gboolean is_ready(const Ordering *ordering, const Transition *transition)
{
    if (!transition->is_ordered || transition->sets)
        return TRUE;
    const State *state = state_of(ordering, transition->goroutine);
    return state->status == transition->before.status &&
           (!transition->has_sequence || state->sequence == transition->before.sequence);
}

static void make(const Ordering *ordering, const Transition *transition)
{
    if (!transition->is_ordered)
        return;
    State *state = state_of(ordering, transition->goroutine);
    state->status = transition->after.status;
    if (transition->has_sequence || transition->sets)
        state->sequence = transition->after.sequence;
    else
        state->sequence += transition->increments ? 1 : 0;
}

static const DtGoEvent *head_of(const Lane *lane)
{
    return first_of(lane->events);
}

/* Whatever waits for that goroutine may be ready now. */
static void look_at(const Ordering *ordering, Lane *lane, const Transition *made)
{
    const DtGoEvent *head = head_of(lane);
    if (!head || lane->is_ready)
        return;
    if (lane->is_known && made && !(made->is_ordered && lane->transition.goroutine == made->goroutine))
        return;
    if (!lane->is_known)
        lane->transition = transition_of(head);
    lane->is_known = TRUE;
    lane->is_ready = is_ready(ordering, &lane->transition);
}

/* NULL: all are done. One that is ready, if there is one. */
static Lane *earliest(const Ordering *ordering)
{
    Lane *best = NULL;
    for (guint i = 0; i < ordering->lanes->len; i++) {
        Lane *lane = &g_array_index(ordering->lanes, Lane, i);
        const DtGoEvent *head = head_of(lane);
        if (!head || (best && best->is_ready && !lane->is_ready))
            continue;
        if (!best || (lane->is_ready && !best->is_ready) || head->time < head_of(best)->time)
            best = lane;
    }
    return best;
}

/* Events without the difference in which way they were told. */
static guint plain_type(guint type)
{
    switch (type) {
    case DT_GO_START_LOCAL:
        return DT_GO_START;
    case DT_GO_UNBLOCK_LOCAL:
        return DT_GO_UNBLOCK;
    case DT_GO_SYSCALL_EXIT_LOCAL:
        return DT_GO_SYSCALL_EXIT;
    default:
        return type;
    }
}

static void merge(Ordering *ordering)
{
    const Transition *made = NULL;
    Transition last;
    for (;;) {
        for (guint i = 0; i < ordering->lanes->len; i++)
            look_at(ordering, &g_array_index(ordering->lanes, Lane, i), made);
        Lane *lane = earliest(ordering);
        if (!lane)
            return;
        ordering->trace->forced += lane->is_ready ? 0 : 1;
        DtGoEvent event = *head_of(lane);
        event.type = plain_type(event.type);
        last = lane->transition;
        made = &last;
        make(ordering, made);
        g_array_append_val(ordering->trace->events, event);
        take_first(lane->events);
        lane->is_ready = lane->is_known = FALSE;
    }
}

/* ---- times ---------------------------------------------------------------------------------------------- */

static gint compare_times(gconstpointer one, gconstpointer other)
{
    gint64 a = ((const DtGoEvent *)one)->time, b = ((const DtGoEvent *)other)->time;
    return (a > b) - (a < b);
}

static gboolean ascends(const GArray *events)
{
    for (guint i = 1; i < events->len; i++)
        if (g_array_index(events, DtGoEvent, i).time < g_array_index(events, DtGoEvent, i - 1).time)
            return FALSE;
    return TRUE;
}

/* A system call is known to be over before the event can be written. FALSE: that time is impossible. */
static gboolean correct_exits(GArray *events)
{
    g_autoptr(GHashTable) blocked = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, NULL);
    for (guint i = 0; i < events->len; i++) {
        DtGoEvent *event = &g_array_index(events, DtGoEvent, i);
        if (event->type == DT_GO_SYSCALL_BLOCK || event->type == DT_GO_IN_SYSCALL)
            g_hash_table_replace(blocked, &event->goroutine, event);
        if (event->type != DT_GO_SYSCALL_EXIT || event->arguments[2] == 0)
            continue;
        const DtGoEvent *block = g_hash_table_lookup(blocked, &event->goroutine);
        if (!block || (gint64)event->arguments[2] < block->time)
            return FALSE;
        event->time = (gint64)event->arguments[2];
    }
    return TRUE;
}

/* As Go computes it. */
static void make_nanoseconds(DtGoTrace *trace)
{
    const double second = 1e9;
    const GArray *events = trace->events;
    gint64 first = events->len > 0 ? g_array_index(events, DtGoEvent, 0).time : 0;
    double nanoseconds = trace->ticks_per_second > 0 ? second / (double)trace->ticks_per_second : 1;
    for (guint i = 0; i < events->len; i++) {
        DtGoEvent *event = &g_array_index(events, DtGoEvent, i);
        double passed = (double)(gint64)((guint64)event->time - (guint64)first) * nanoseconds;
        event->time = passed < 0 || passed > (double)(G_MAXINT64 / 2) ? 0 : (gint64)passed;
    }
}

static gint compare_processors(gconstpointer one, gconstpointer other)
{
    gint64 a = *(const gint64 *)one, b = *(const gint64 *)other;
    return (a > b) - (a < b);
}

void dt_go_merge(DtGoTrace *trace, GHashTable *lanes)
{
    g_autoptr(GArray) fronts = g_array_new(FALSE, TRUE, sizeof(Lane));
    g_autoptr(GHashTable) states = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    g_autoptr(GList) processors = g_list_sort(g_hash_table_get_keys(lanes), compare_processors);
    for (const GList *each = processors; each; each = each->next) {
        Lane lane = {.events = g_hash_table_lookup(lanes, each->data)};
        g_array_append_val(fronts, lane);
    }
    Ordering ordering = {trace, fronts, states};
    merge(&ordering);
}

void dt_go_make_times(DtGoTrace *trace)
{
    if (ascends(trace->events) && correct_exits(trace->events))
        g_array_sort(trace->events, compare_times);
    else
        trace->has_odd_times = TRUE;
    make_nanoseconds(trace);
}

/* ---- futile wake-ups -------------------------------------------------------------------------------------- */

/* What a goroutine has done since it was woken: indices of events. */
typedef struct {
    gboolean futile;
    GArray *events;
} Wakeup;

static void free_wakeup(gpointer data)
{
    g_array_unref(((Wakeup *)data)->events);
    g_free(data);
}

static Wakeup *wakeup_of(GHashTable *wakeups, guint64 goroutine)
{
    Wakeup *wakeup = g_hash_table_lookup(wakeups, &goroutine);
    if (!wakeup) {
        wakeup = g_new0(Wakeup, 1);
        wakeup->events = g_array_new(FALSE, FALSE, sizeof(guint));
        g_hash_table_insert(wakeups, g_memdup2(&goroutine, sizeof(goroutine)), wakeup);
    }
    return wakeup;
}

static void end_wakeup(GHashTable *wakeups, guint64 goroutine, guint index, guint8 *dropped)
{
    const Wakeup *wakeup = g_hash_table_lookup(wakeups, &goroutine);
    if (wakeup && wakeup->futile) {
        dropped[index] = TRUE;
        for (guint i = 0; i < wakeup->events->len; i++)
            dropped[g_array_index(wakeup->events, guint, i)] = TRUE;
    }
    g_hash_table_remove(wakeups, &goroutine);
}

static void follow_wakeups(GHashTable *wakeups, const DtGoEvent *event, guint index, guint8 *dropped)
{
    switch (event->type) {
    case DT_GO_UNBLOCK:
        g_array_set_size(wakeup_of(wakeups, event->arguments[0])->events, 0);
        g_array_append_val(wakeup_of(wakeups, event->arguments[0])->events, index);
        break;
    case DT_GO_START:
    case DT_GO_PREEMPT:
    case DT_GO_FUTILE_WAKEUP:
        g_array_append_val(wakeup_of(wakeups, event->goroutine)->events, index);
        wakeup_of(wakeups, event->goroutine)->futile |= event->type == DT_GO_FUTILE_WAKEUP;
        break;
    case DT_GO_BLOCK:
    case DT_GO_BLOCK_SEND:
    case DT_GO_BLOCK_RECEIVE:
    case DT_GO_BLOCK_SELECT:
    case DT_GO_BLOCK_SYNC:
    case DT_GO_BLOCK_COND:
        end_wakeup(wakeups, event->goroutine, index, dropped);
        break;
    default:
        break;
    }
}

static void drop(DtGoTrace *trace, const guint8 *dropped)
{
    guint kept = 0;
    for (guint i = 0; i < trace->events->len; i++)
        if (!dropped[i])
            g_array_index(trace->events, DtGoEvent, kept++) = g_array_index(trace->events, DtGoEvent, i);
    g_array_set_size(trace->events, kept);
}

void dt_go_drop_futile(DtGoTrace *trace)
{
    g_autoptr(GHashTable) wakeups = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_wakeup);
    g_autofree guint8 *dropped = g_new0(guint8, (gsize)trace->events->len + 1);
    for (guint i = 0; i < trace->events->len; i++)
        follow_wakeups(wakeups, &g_array_index(trace->events, DtGoEvent, i), i, dropped);
    drop(trace, dropped);
}

/* ---- late goroutines -------------------------------------------------------------------------------------- */

/* It sleeps because it was made late, not by what the program says. */
static gboolean stays_back(const DtGoTrace *trace, const DtGoEvent *event)
{
    DtGoStack stack = dt_go_stack(trace, event->stack);
    for (guint i = 0; i < stack.count && event->type == DT_GO_SLEEP; i++)
        if (g_str_equal(stack.frames[i].function, "runtime.difftraceStay"))
            return TRUE;
    return FALSE;
}

void dt_go_drop_stays(DtGoTrace *trace)
{
    g_autoptr(GHashTable) late = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    g_autofree guint8 *dropped = g_new0(guint8, (gsize)trace->events->len + 1);
    for (guint i = 0; i < trace->events->len; i++) {
        const DtGoEvent *event = &g_array_index(trace->events, DtGoEvent, i);
        if (stays_back(trace, event)) {
            g_hash_table_add(late, g_memdup2(&event->goroutine, sizeof(event->goroutine)));
            dropped[i] = TRUE;
        } else if (event->type == DT_GO_UNBLOCK) {
            dropped[i] = g_hash_table_contains(late, &event->arguments[0]) ? 1 : 0;
        } else if (event->type == DT_GO_START || event->type == DT_GO_START_LABEL) {
            dropped[i] = g_hash_table_remove(late, &event->goroutine) ? 1 : 0;
        }
    }
    drop(trace, dropped);
}
