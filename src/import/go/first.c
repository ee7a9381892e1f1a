/* The format of Go 1.7 to 1.21: one row of records; strings, stacks and the frequency come last. */
#include "import/go/trace.h"

#include <string.h>

enum {
    MOST_STRING = 1000000,
    MOST_FRAMES = 1000,
    MOST_NUMBERS = 2 + 4 * MOST_FRAMES,
    MOST_PROCESSORS = 4096,
    NUMBERS_OF_FRAME = 4
};

/* A record as it lies there. */
typedef struct {
    gsize offset;
    guint type;
    GArray *numbers; /* guint64, used again */
} Record;

/* Where the reading is. */
typedef struct {
    DtGoTrace *trace;
    DtGoBytes *from;
    GHashTable *lanes;     /* processor -> DtGoLane */
    GHashTable *last;      /* processor -> guint64: the goroutine that ran there last */
    DtGoLane *lane;        /* of the processor; NULL before the first batch */
    GPtrArray *raw_stacks; /* GArray of guint64: names follow */
    gint64 processor, ticks;
    guint64 goroutine;
} Reading;

/* ---- records ---------------------------------------------------------------------------------------- */

static gpointer key_of(guint64 value)
{
    return g_memdup2(&value, sizeof(value));
}

/* FALSE: damaged, or cut off within the string. */
static gboolean read_bytes(DtGoBytes *from, guint64 length, char **text)
{
    if (length > MOST_STRING || length > from->bytes - from->at)
        return FALSE;
    if (text)
        *text = g_strndup((const char *)from->data + from->at, (gsize)length);
    from->at += (gsize)length;
    return TRUE;
}

static gboolean read_string(Reading *reading)
{
    guint64 id, length;
    char *text;
    if (!dt_go_number(reading->from, &id) || id == 0 || g_hash_table_contains(reading->trace->strings, &id) ||
        !dt_go_number(reading->from, &length) || length == 0 || !read_bytes(reading->from, length, &text))
        return FALSE;
    dt_go_give_names_back(text);
    g_hash_table_insert(reading->trace->strings, key_of(id), text);
    return TRUE;
}

static gboolean read_counted(DtGoBytes *from, guint count, GArray *numbers)
{
    guint64 number;
    for (guint i = 0; i < count; i++) {
        if (!dt_go_number(from, &number))
            return FALSE;
        g_array_append_val(numbers, number);
    }
    return TRUE;
}

/* So many bytes of numbers, exactly. */
static gboolean read_sized(DtGoBytes *from, GArray *numbers)
{
    guint64 size, number;
    if (!dt_go_number(from, &size) || size > from->bytes - from->at)
        return FALSE;
    const gsize end = from->at + (gsize)size;
    while (from->at < end) {
        if (numbers->len > MOST_NUMBERS || !dt_go_number(from, &number))
            return FALSE;
        g_array_append_val(numbers, number);
    }
    return from->at == end;
}

/* FALSE: damaged, or cut off within the record. */
static gboolean read_record(Reading *reading, Record *record)
{
    enum { TYPE_BITS = 6, SIZED = 3 };
    DtGoBytes *from = reading->from;
    guint64 length;
    record->offset = from->at;
    guint8 byte = from->data[from->at++];
    record->type = byte & ((1u << TYPE_BITS) - 1);
    const DtGoEventKind *kind = dt_go_event_kind(record->type);
    g_array_set_size(record->numbers, 0);
    if (!kind || kind->oldest > reading->trace->minor)
        return FALSE;
    if (record->type == DT_GO_STRING)
        return read_string(reading);
    guint count = byte >> TYPE_BITS;
    if (!(count < SIZED ? read_counted(from, count + 1, record->numbers) : read_sized(from, record->numbers)))
        return FALSE;
    return record->type != DT_GO_LOG || (dt_go_number(from, &length) && read_bytes(from, length, NULL));
}

/* ---- events ----------------------------------------------------------------------------------------- */

static guint64 number_of(const Record *record, guint i)
{
    return g_array_index(record->numbers, guint64, i);
}

static guint wanted_numbers(const DtGoTrace *trace, const DtGoEventKind *kind, guint type)
{
    guint count = kind->has_stack ? 1 : 0;
    for (guint i = 0; kind->arguments[i]; i++)
        count++;
    if (type == DT_GO_BATCH || type == DT_GO_FREQUENCY || type == DT_GO_TIMER_GOROUTINE)
        return count;
    if (type == DT_GO_SWEEP_DONE && trace->minor < 9)
        count -= 2;
    if (type == DT_GO_STW_START && trace->minor < 10)
        count -= 1;
    return count + 1;
}

static DtGoLane *lane_of(Reading *reading, gint64 processor)
{
    DtGoLane *lane = g_hash_table_lookup(reading->lanes, &processor);
    if (lane || g_hash_table_size(reading->lanes) >= MOST_PROCESSORS)
        return lane;
    lane = dt_go_lane_new();
    g_hash_table_insert(reading->lanes, key_of((guint64)processor), lane);
    return lane;
}

/* FALSE: more processors than there can be. */
static gboolean begin_batch(Reading *reading, const Record *record)
{
    if (reading->lane)
        g_hash_table_replace(reading->last, key_of((guint64)reading->processor), key_of(reading->goroutine));
    reading->processor = (gint64)number_of(record, 0);
    reading->ticks = (gint64)number_of(record, 1);
    const guint64 *last = g_hash_table_lookup(reading->last, &reading->processor);
    reading->goroutine = last ? *last : 0;
    reading->lane = lane_of(reading, reading->processor);
    return reading->lane != NULL;
}

static gboolean keep_stack(Reading *reading, const Record *record)
{
    const GArray *numbers = record->numbers;
    if (numbers->len < 2 || number_of(record, 1) > MOST_FRAMES ||
        numbers->len != 2 + NUMBERS_OF_FRAME * number_of(record, 1))
        return FALSE;
    GArray *copy = g_array_sized_new(FALSE, FALSE, sizeof(guint64), numbers->len);
    g_array_append_vals(copy, numbers->data, numbers->len);
    g_ptr_array_add(reading->raw_stacks, copy);
    return TRUE;
}

static gboolean ends_turn(guint type)
{
    switch (type) {
    case DT_GO_END:
    case DT_GO_STOP:
    case DT_GO_SCHED:
    case DT_GO_PREEMPT:
    case DT_GO_SLEEP:
    case DT_GO_BLOCK:
    case DT_GO_BLOCK_SEND:
    case DT_GO_BLOCK_RECEIVE:
    case DT_GO_BLOCK_SELECT:
    case DT_GO_BLOCK_SYNC:
    case DT_GO_BLOCK_COND:
    case DT_GO_BLOCK_NET:
    case DT_GO_SYSCALL_BLOCK:
    case DT_GO_BLOCK_GC:
        return TRUE;
    default:
        return FALSE;
    }
}

/* Whose event it is, and who runs then. */
static void attribute(Reading *reading, DtGoEvent *event)
{
    switch (event->type) {
    case DT_GO_START:
    case DT_GO_START_LOCAL:
    case DT_GO_START_LABEL:
        event->goroutine = reading->goroutine = event->arguments[0];
        break;
    case DT_GO_SYSCALL_EXIT:
    case DT_GO_SYSCALL_EXIT_LOCAL:
    case DT_GO_WAITING:
    case DT_GO_IN_SYSCALL:
        event->goroutine = event->arguments[0];
        break;
    case DT_GO_GC_START:
    case DT_GO_GC_DONE:
    case DT_GO_STW_START:
    case DT_GO_STW_DONE:
        event->goroutine = 0;
        break;
    default:
        if (ends_turn(event->type))
            reading->goroutine = 0;
    }
}

static void take_event(Reading *reading, const Record *record, const DtGoEventKind *kind)
{
    DtGoEvent event = {.type = record->type,
                       .offset = record->offset,
                       .processor = reading->processor,
                       .goroutine = reading->goroutine};
    guint last = record->numbers->len;
    if (kind->has_stack)
        event.stack = number_of(record, --last);
    reading->ticks += (gint64)number_of(record, 0);
    event.time = reading->ticks;
    for (guint i = 1; i < last && i <= DT_GO_ARGUMENTS; i++)
        event.arguments[i - 1] = number_of(record, i);
    attribute(reading, &event);
    dt_go_lane_add(reading->lane, &event);
}

/* FALSE: damaged. */
static gboolean take_record(Reading *reading, const Record *record)
{
    const DtGoEventKind *kind = dt_go_event_kind(record->type);
    DtGoTrace *trace = reading->trace;
    if (record->type == DT_GO_STRING)
        return TRUE;
    if (record->type == DT_GO_STACK)
        return keep_stack(reading, record);
    if (record->numbers->len != wanted_numbers(trace, kind, record->type))
        return FALSE;
    switch (record->type) {
    case DT_GO_BATCH:
        return begin_batch(reading, record);
    case DT_GO_FREQUENCY:
        trace->ticks_per_second = (gint64)number_of(record, 0);
        return trace->ticks_per_second > 0;
    case DT_GO_TIMER_GOROUTINE:
        g_hash_table_add(trace->timers, key_of(number_of(record, 0)));
        return TRUE;
    case DT_GO_SAMPLE:
        return TRUE; /* of the profiler: nothing that a goroutine did */
    default:
        if (!reading->lane)
            return FALSE;
        take_event(reading, record, kind);
        return TRUE;
    }
}

/* ---- stacks ------------------------------------------------------------------------------------------ */

static const char *name_of(const DtGoTrace *trace, guint64 id)
{
    const char *text = g_hash_table_lookup(trace->strings, &id);
    return text ? text : "";
}

static void add_stack(DtGoTrace *trace, const GArray *numbers)
{
    const guint64 *number = (const guint64 *)(const void *)numbers->data;
    DtGoStack *stack = g_new0(DtGoStack, 1);
    stack->count = (guint)number[1];
    DtGoFrame *frames = g_new0(DtGoFrame, stack->count);
    for (guint i = 0; i < stack->count; i++) {
        const guint64 *frame = number + 2 + (gsize)i * NUMBERS_OF_FRAME;
        frames[i] = (DtGoFrame){frame[0], name_of(trace, frame[1]), name_of(trace, frame[2]), (guint)frame[3]};
    }
    stack->frames = frames;
    g_hash_table_replace(trace->stacks, key_of(number[0]), stack);
}

/* ---- all ----------------------------------------------------------------------------------------------- */

GHashTable *dt_go_read_first(DtGoTrace *trace, DtGoBytes *from)
{
    g_autoptr(GHashTable) last = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    g_autoptr(GPtrArray) stacks = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(guint64));
    Reading reading = {.trace = trace, .from = from, .last = last, .raw_stacks = stacks};
    Record record = {.numbers = numbers};
    reading.lanes = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, dt_go_lane_free);
    while (from->at < from->bytes && !trace->is_cut && !trace->damage) {
        gsize start = from->at;
        if (read_record(&reading, &record)) {
            if (!take_record(&reading, &record))
                dt_go_damaged(trace, start, "a record that makes no sense");
        } else if (from->at == from->bytes) {
            trace->is_cut = TRUE;
        } else {
            dt_go_damaged(trace, start, "a record that makes no sense");
        }
    }
    for (guint i = 0; i < stacks->len; i++)
        add_stack(trace, g_ptr_array_index(stacks, i));
    trace->is_cut |= trace->ticks_per_second <= 0;
    trace->ticks_per_second = MAX(trace->ticks_per_second, 0);
    return reading.lanes;
}
