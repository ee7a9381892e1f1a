/*
 * The format of Go 1.22 and later: generations, each with batches of the events of one thread and with tables of its
 * own for strings and stacks. Source: Go's internal/trace/tracev2 and internal/trace/batch.go.
 */
#include "import/go/trace.h"

#include <string.h>

enum {
    BATCH = 1,
    STACKS = 2,
    STACK = 3,
    STRINGS = 4,
    STRING = 5,
    SAMPLES = 6,
    FREQUENCY = 8,
    EXPERIMENT = 49,
    SYNC = 50,
    FIRST_EVENT = 9,
    EVENT_NUMBERS = 137,
    MOST_BATCH_BYTES = 65536,
    MOST_STRING_BYTES = 1000000,
    MOST_STACK_FRAMES = 1000,
    MOST_THREADS = 4096,
    STACK_BITS = 40,
    MOST_ARGUMENTS = 5
};

/* Numbers behind the byte of an event; 0: there is no such event. The first is the time since the event before. */
static guint argument_count(guint type)
{
    static const guint8 counts[EVENT_NUMBERS] = {
        [9] = 3,  [10] = 3,  [11] = 1,  [12] = 4,  [13] = 3,  [14] = 4,  [15] = 2,  [16] = 3,  [17] = 1,  [18] = 1,
        [19] = 3, [20] = 3,  [21] = 4,  [22] = 3,  [23] = 1,  [24] = 1,  [25] = 4,  [26] = 3,  [27] = 1,  [28] = 2,
        [29] = 3, [30] = 2,  [31] = 2,  [32] = 2,  [33] = 3,  [34] = 2,  [35] = 2,  [36] = 1,  [37] = 2,  [38] = 2,
        [39] = 2, [40] = 5,  [41] = 3,  [42] = 4,  [43] = 4,  [44] = 5,  [45] = 3,  [46] = 3,  [47] = 4,  [48] = 5,
        [51] = 4, [128] = 4, [129] = 4, [130] = 2, [131] = 3, [132] = 3, [133] = 2, [134] = 3, [135] = 3, [136] = 2};
    return type < EVENT_NUMBERS ? counts[type] : 0;
}

typedef struct {
    guint64 generation, thread, time;
    gsize at, bytes; /* of what is in it */
    gboolean is_experiment;
} Batch;

/* What is read of a generation. */
typedef struct {
    DtGoTrace *trace;
    DtGoBytes *from;
    guint number;        /* of the generation, from 1 on */
    GHashTable *strings; /* id -> text, of the trace's */
    GHashTable *lanes;   /* thread -> DtGoLane */
    GHashTable *current; /* thread -> guint64: the goroutine that runs there */
    gboolean has_strings, has_frequency;
} Reading;

static gpointer key_of(guint64 value)
{
    return g_memdup2(&value, sizeof(value));
}

/* ---- batches ---------------------------------------------------------------------------------------------- */

/* FALSE: it is damaged, or cut off. */
static gboolean read_batch(DtGoBytes *from, Batch *batch)
{
    guint64 size;
    guint8 type = from->data[from->at++];
    batch->is_experiment = type == EXPERIMENT;
    if (type != BATCH && (type != EXPERIMENT || from->at++ >= from->bytes))
        return FALSE;
    if (!dt_go_number(from, &batch->generation) || !dt_go_number(from, &batch->thread) ||
        !dt_go_number(from, &batch->time) || !dt_go_number(from, &size) || size > MOST_BATCH_BYTES ||
        size > from->bytes - from->at)
        return FALSE;
    batch->at = from->at;
    batch->bytes = (gsize)size;
    from->at += batch->bytes;
    return TRUE;
}

/* (element-type Batch) by generation, as they lie there. */
static GArray *read_batches(DtGoTrace *trace, DtGoBytes *from)
{
    GArray *batches = g_array_new(FALSE, FALSE, sizeof(Batch));
    while (from->at < from->bytes) {
        Batch batch;
        gsize start = from->at;
        guint8 type = from->data[start];
        if (read_batch(from, &batch)) {
            g_array_append_val(batches, batch);
            continue;
        }
        if (type == BATCH || type == EXPERIMENT)
            trace->is_cut = TRUE;
        else
            dt_go_damaged(trace, start, "no batch");
        break;
    }
    return batches;
}

static gint compare_generations(gconstpointer one, gconstpointer other)
{
    guint64 a = ((const Batch *)one)->generation, b = ((const Batch *)other)->generation;
    return (a > b) - (a < b);
}

/* ---- tables ------------------------------------------------------------------------------------------------- */

static gboolean read_strings(Reading *reading, DtGoBytes *in)
{
    guint64 id, length;
    while (in->at < in->bytes) {
        if (in->data[in->at++] != STRING || !dt_go_number(in, &id) || !dt_go_number(in, &length) ||
            length > MOST_STRING_BYTES || length > in->bytes - in->at)
            return FALSE;
        char *text = g_strndup((const char *)in->data + in->at, (gsize)length);
        in->at += (gsize)length;
        /* Frames borrow them as long as the trace is there: by a key that no other generation has. */
        dt_go_give_names_back(text);
        g_hash_table_replace(reading->trace->strings, key_of(g_hash_table_size(reading->trace->strings)), text);
        g_hash_table_replace(reading->strings, key_of(id), text);
    }
    return TRUE;
}

static const char *string_of(const Reading *reading, guint64 id)
{
    const char *text = g_hash_table_lookup(reading->strings, &id);
    return text ? text : "";
}

/* An id that no other generation has. */
static guint64 stack_id(const Reading *reading, guint64 id)
{
    return id ? (guint64)reading->number << STACK_BITS | (id & ((G_GUINT64_CONSTANT(1) << STACK_BITS) - 1)) : 0;
}

static gboolean read_stack(Reading *reading, DtGoBytes *in)
{
    guint64 id, count, numbers[4];
    if (!dt_go_number(in, &id) || !dt_go_number(in, &count) || count > MOST_STACK_FRAMES)
        return FALSE;
    g_autofree DtGoFrame *frames = g_new0(DtGoFrame, (gsize)count + 1);
    for (guint i = 0; i < count; i++) {
        for (guint k = 0; k < G_N_ELEMENTS(numbers); k++)
            if (!dt_go_number(in, &numbers[k]))
                return FALSE;
        frames[i] =
            (DtGoFrame){numbers[0], string_of(reading, numbers[1]), string_of(reading, numbers[2]), (guint)numbers[3]};
    }
    DtGoStack *stack = g_new0(DtGoStack, 1);
    *stack = (DtGoStack){(guint)count, g_steal_pointer(&frames)};
    g_hash_table_replace(reading->trace->stacks, key_of(stack_id(reading, id)), stack);
    return TRUE;
}

static gboolean read_stacks(Reading *reading, DtGoBytes *in)
{
    while (in->at < in->bytes)
        if (in->data[in->at++] != STACK || !read_stack(reading, in))
            return FALSE;
    return TRUE;
}

static gboolean read_frequency(Reading *reading, DtGoBytes *in)
{
    guint64 frequency;
    if (!dt_go_number(in, &frequency))
        return FALSE;
    reading->has_frequency = TRUE;
    reading->trace->ticks_per_second = (gint64)MIN(frequency, G_MAXINT64);
    return frequency > 0;
}

/* ---- events --------------------------------------------------------------------------------------------------- */

static guint type_of_block(const char *reason)
{
    static const struct {
        const char *reason;
        guint type;
    } types[] = {{"chan send", DT_GO_BLOCK_SEND},
                 {"chan receive", DT_GO_BLOCK_RECEIVE},
                 {"select", DT_GO_BLOCK_SELECT},
                 {"sync", DT_GO_BLOCK_SYNC},
                 {"sync.(*Cond).Wait", DT_GO_BLOCK_COND},
                 {"network", DT_GO_BLOCK_NET},
                 {"sleep", DT_GO_SLEEP},
                 {"forever", DT_GO_STOP}};
    for (guint i = 0; i < G_N_ELEMENTS(types); i++)
        if (g_str_equal(reason, types[i].reason))
            return types[i].type;
    return g_str_has_prefix(reason, "GC ") ? DT_GO_BLOCK_GC : DT_GO_BLOCK;
}

/* Who runs on the thread of an event from then on. */
static void set_current(Reading *reading, guint64 thread, guint64 goroutine)
{
    g_hash_table_replace(reading->current, key_of(thread), key_of(goroutine));
}

static guint64 current_of(const Reading *reading, guint64 thread)
{
    const guint64 *goroutine = g_hash_table_lookup(reading->current, &thread);
    return goroutine ? *goroutine : 0;
}

static void add(DtGoLane *lane, DtGoEvent event, guint type, guint64 goroutine)
{
    event.type = type;
    event.goroutine = goroutine;
    dt_go_lane_add(lane, &event);
}

static void add_of(DtGoLane *lane, DtGoEvent event, guint type, guint64 goroutine, guint64 first, guint64 second)
{
    event.arguments[0] = first;
    event.arguments[1] = second;
    add(lane, event, type, goroutine);
}

static void add_start(DtGoLane *lane, DtGoEvent event, guint64 goroutine, guint64 sequence)
{
    event.stack = 0;
    add_of(lane, event, DT_GO_START, goroutine, goroutine, sequence - 1);
}

/* Statuses of goroutines when a generation begins. */
enum { STATUS_RUNNABLE = 1, STATUS_RUNNING = 2, STATUS_SYSCALL = 3, STATUS_WAITING = 4 };

static void take_status(Reading *reading, DtGoLane *lane, DtGoEvent event, const guint64 *numbers)
{
    const guint64 goroutine = numbers[1], thread = numbers[2], status = numbers[3];
    if ((status == STATUS_RUNNING || status == STATUS_SYSCALL) && thread != G_MAXUINT64)
        set_current(reading, thread, goroutine);
    add_of(lane, event, DT_GO_STATUS, goroutine, goroutine, status);
}

static void take_event(Reading *reading, DtGoLane *lane, guint type, DtGoEvent event, const guint64 *numbers)
{
    const guint64 thread = (guint64)event.processor, own = current_of(reading, thread);
    switch (type) {
    case 14: /* GoCreate */
    case 47: /* GoCreateBlocked */
        event.stack = stack_id(reading, numbers[3]);
        event.arguments[2] = type == 47 ? STATUS_WAITING : STATUS_RUNNABLE;
        add_of(lane, event, DT_GO_CREATE_AS, own, numbers[1], stack_id(reading, numbers[2]));
        break;
    case 15: /* GoCreateSyscall */
        event.arguments[2] = STATUS_SYSCALL;
        add_of(lane, event, DT_GO_CREATE_AS, 0, numbers[1], 0);
        set_current(reading, thread, numbers[1]);
        break;
    case 16: /* GoStart */
        add_start(lane, event, numbers[1], numbers[2]);
        set_current(reading, thread, numbers[1]);
        break;
    case 17: /* GoDestroy */
    case 18: /* GoDestroySyscall */
        add(lane, event, DT_GO_END, own);
        set_current(reading, thread, 0);
        break;
    case 19: /* GoStop */
        event.stack = stack_id(reading, numbers[2]);
        add(lane, event, g_str_equal(string_of(reading, numbers[1]), "preempted") ? DT_GO_PREEMPT : DT_GO_SCHED, own);
        set_current(reading, thread, 0);
        break;
    case 20: /* GoBlock */
        event.stack = stack_id(reading, numbers[2]);
        add(lane, event, type_of_block(string_of(reading, numbers[1])), own);
        set_current(reading, thread, 0);
        break;
    case 21: /* GoUnblock */
        event.stack = stack_id(reading, numbers[3]);
        add_of(lane, event, DT_GO_UNBLOCK, own, numbers[1], numbers[2] - 1);
        break;
    case 22: /* GoSyscallBegin */
        event.stack = stack_id(reading, numbers[2]);
        add(lane, event, DT_GO_SYSCALL, own);
        break;
    case 23: /* GoSyscallEnd */
        add_of(lane, event, DT_GO_SYSCALL_OVER, own, own, 0);
        break;
    case 24: /* GoSyscallEndBlocked */
        add_of(lane, event, DT_GO_SYSCALL_OVER, own, own, 1);
        set_current(reading, thread, 0);
        break;
    case 25: /* GoStatus */
    case 48: /* GoStatusStack */
        event.stack = type == 48 ? stack_id(reading, numbers[4]) : 0;
        take_status(reading, lane, event, numbers);
        break;
    case 41: /* UserTaskEnd */
        event.stack = stack_id(reading, numbers[2]);
        add_of(lane, event, DT_GO_TASK_END, own, numbers[1], 0);
        break;
    case 45: /* GoSwitch */
    case 46: /* GoSwitchDestroy */
        add(lane, event, type == 45 ? DT_GO_BLOCK : DT_GO_END, own);
        event.arguments[2] = STATUS_WAITING;
        add_start(lane, event, numbers[1], numbers[2]);
        set_current(reading, thread, numbers[1]);
        break;
    default:
        break;
    }
}

static DtGoLane *lane_of(Reading *reading, guint64 thread)
{
    DtGoLane *lane = g_hash_table_lookup(reading->lanes, &thread);
    if (lane || g_hash_table_size(reading->lanes) >= MOST_THREADS)
        return lane;
    lane = dt_go_lane_new();
    g_hash_table_insert(reading->lanes, key_of(thread), lane);
    return lane;
}

/* FALSE: damaged. */
static gboolean read_events(Reading *reading, const Batch *batch, DtGoBytes *in)
{
    DtGoLane *lane = lane_of(reading, batch->thread);
    guint64 time = batch->time;
    while (lane && in->at < in->bytes) {
        guint64 numbers[MOST_ARGUMENTS] = {0};
        DtGoEvent event = {.offset = in->at, .processor = (gint64)batch->thread};
        guint type = in->data[in->at++], count = argument_count(type);
        for (guint i = 0; i < count; i++)
            if (!dt_go_number(in, &numbers[i]))
                return FALSE;
        if (count == 0)
            return FALSE;
        time += numbers[0];
        event.time = (gint64)time;
        take_event(reading, lane, type, event, numbers);
    }
    return lane != NULL;
}

/* ---- generations ------------------------------------------------------------------------------------------------ */

/* Strings first, as stacks and reasons name them; then stacks; events last. */
enum { PASS_STRINGS, PASS_STACKS, PASS_EVENTS, PASSES };

static guint pass_of(const DtGoTrace *trace, const Batch *batch, const DtGoBytes *from)
{
    guint8 first = batch->bytes > 0 ? from->data[batch->at] : SAMPLES;
    if (first == STRINGS)
        return PASS_STRINGS;
    (void)trace;
    if (first == STACKS || first == FREQUENCY || first == SYNC)
        return PASS_STACKS;
    return first == SAMPLES ? PASSES : PASS_EVENTS;
}

static gboolean read_part(Reading *reading, const Batch *batch)
{
    DtGoBytes in = {reading->from->data, batch->at + batch->bytes, batch->at};
    switch (in.data[in.at]) {
    case STRINGS:
        in.at++;
        reading->has_strings = TRUE;
        return read_strings(reading, &in);
    case STACKS:
        in.at++;
        return read_stacks(reading, &in);
    case SYNC:
        in.at++;
        return in.at == in.bytes || in.data[in.at++] != FREQUENCY || read_frequency(reading, &in);
    case FREQUENCY:
        in.at++;
        return read_frequency(reading, &in);
    default:
        return read_events(reading, batch, &in);
    }
}

/* Each generation ends with its tables; stacks only if there are any. */
static gboolean is_whole(const Reading *reading, guint first_event)
{
    const DtGoTrace *trace = reading->trace;
    if (!reading->has_strings || !reading->has_frequency)
        return FALSE;
    for (guint i = first_event; i < trace->events->len; i++) {
        guint64 stack = g_array_index(trace->events, DtGoEvent, i).stack;
        if (stack != 0 && !g_hash_table_contains(trace->stacks, &stack))
            return FALSE;
    }
    return TRUE;
}

static void read_generation(Reading *reading, const Batch *batches, guint count)
{
    const guint first_event = reading->trace->events->len;
    reading->has_strings = reading->has_frequency = FALSE;
    reading->lanes = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, dt_go_lane_free);
    reading->strings = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    for (guint pass = 0; pass < PASSES; pass++)
        for (guint i = 0; i < count; i++)
            if (!batches[i].is_experiment && pass_of(reading->trace, &batches[i], reading->from) == pass &&
                !read_part(reading, &batches[i]))
                dt_go_damaged(reading->trace, batches[i].at, "a batch that makes no sense");
    dt_go_merge(reading->trace, reading->lanes);
    reading->trace->is_cut |= !is_whole(reading, first_event);
    g_hash_table_unref(reading->lanes);
    g_hash_table_unref(reading->strings);
}

/* Statuses say something new of goroutines only that were there before the trace. */
static void settle(DtGoTrace *trace)
{
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    static const guint types[] = {DT_GO_NONE, DT_GO_NONE, DT_GO_START, DT_GO_IN_SYSCALL, DT_GO_WAITING};
    guint kept = 0;
    for (guint i = 0; i < trace->events->len; i++) {
        DtGoEvent event = g_array_index(trace->events, DtGoEvent, i);
        gboolean is_new = FALSE;
        if (event.type == DT_GO_STATUS || event.type == DT_GO_CREATE_AS)
            is_new = g_hash_table_add(known, key_of(event.arguments[0]));
        if (event.type == DT_GO_STATUS)
            event.type = is_new && event.arguments[1] < G_N_ELEMENTS(types) ? types[event.arguments[1]] : DT_GO_NONE;
        else if (event.type == DT_GO_CREATE_AS)
            event.type = DT_GO_CREATE;
        else if (event.type == DT_GO_SYSCALL_OVER)
            event.type = DT_GO_SYSCALL_EXIT;
        if (event.type != DT_GO_NONE)
            g_array_index(trace->events, DtGoEvent, kept++) = event;
    }
    g_array_set_size(trace->events, kept);
}

void dt_go_read_second(DtGoTrace *trace, DtGoBytes *from)
{
    g_autoptr(GArray) batches = read_batches(trace, from);
    g_autoptr(GHashTable) current = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    Reading reading = {.trace = trace, .from = from, .current = current};
    g_array_sort(batches, compare_generations);
    for (guint start = 0, end; start < batches->len; start = end) {
        const Batch *first = &g_array_index(batches, Batch, start);
        for (end = start + 1; end < batches->len; end++)
            if (g_array_index(batches, Batch, end).generation != first->generation)
                break;
        reading.number++;
        read_generation(&reading, first, end - start);
    }
    settle(trace);
    dt_go_make_times(trace);
}
