/* The walk over a trace: kept calls, each event with its time. */
#include <string.h>

#include "calls/calls.h"
#include "export/order.h"
#include "times/attribution.h"
#include "times/call_times.h"

enum { BATCH = 4096 };

typedef struct {
    const DtExportWriter *writer;
    DtExportVisit visit;
    gpointer user_data;
    DtCallStack *stack;
    DtFilterScope scope;
    GArray *kept;        /* guint32: open calls that are kept */
    GArray *numbers;     /* guint: of all open calls, the number among those of MPI and OpenMP */
    GByteArray *classes; /* by function: 1 + whether it is of MPI or OpenMP; 0: not looked up */
    guint calls;         /* of MPI and OpenMP so far */
    guint call;          /* of the event */
    guint64 number, before, position;
    gint64 from_ns, to_ns;
    gint64 tracer_ns; /* so long the tracer was at work so far */
    gboolean begun, stopped;
} Walk;

static gboolean tell(Walk *walk, gboolean entry, gint64 ns, guint depth)
{
    const guint32 *frames = (const guint32 *)(void *)walk->kept->data;
    const DtExportEvent event = {walk->number, walk->before,      walk->position, ns,    ns - walk->tracer_ns,
                                 entry,        frames[depth - 1], frames,         depth, walk->call};
    return walk->visit(&event, walk->user_data);
}

/* What follows are no events of the trace. */
static void come_to_the_edge(Walk *walk)
{
    walk->before = walk->position = 0;
    walk->call = DT_EXPORT_NO_CALL;
}

/* What is open at `from` begins there. */
static gboolean begin(Walk *walk)
{
    const guint64 position = walk->position;
    walk->begun = TRUE;
    come_to_the_edge(walk);
    for (guint depth = 1; depth <= walk->kept->len; depth++)
        if (!tell(walk, TRUE, walk->from_ns, depth))
            return FALSE;
    walk->position = position;
    return TRUE;
}

/* And what is open at `to` returns. */
static void end(Walk *walk)
{
    walk->stopped = TRUE;
    come_to_the_edge(walk);
    for (guint depth = walk->kept->len; walk->begun && depth > 0; depth--)
        if (!tell(walk, FALSE, walk->to_ns, depth))
            return;
}

static gboolean is_counted(Walk *walk, guint32 function)
{
    if (function >= walk->classes->len) {
        guint known = walk->classes->len;
        g_byte_array_set_size(walk->classes, function + 1);
        memset(walk->classes->data + known, 0, function + 1 - known);
    }
    guint8 *known = &walk->classes->data[function];
    if (*known == 0) {
        enum dt_call_class call_class = dt_call_class(dt_export_name(walk->writer->wants->run, function));
        *known = 1 + (call_class == DT_CALL_MPI || call_class == DT_CALL_OPENMP);
    }
    return *known == 2;
}

static void number_call(Walk *walk, guint32 event)
{
    walk->call = DT_EXPORT_NO_CALL;
    if (event == DT_EVENT_RETURN && walk->numbers->len > 0) {
        walk->call = g_array_index(walk->numbers, guint, walk->numbers->len - 1);
        g_array_set_size(walk->numbers, walk->numbers->len - 1);
    } else if (event != DT_EVENT_RETURN) {
        if (is_counted(walk, event))
            walk->call = walk->calls++;
        g_array_append_val(walk->numbers, walk->call);
    }
}

static gboolean keeps(Walk *walk, guint32 event, guint32 function)
{
    return function != 0 &&
           (!walk->writer->wants->set || dt_filter_scope_keeps(&walk->scope, walk->stack, event, function));
}

static gboolean visit_kept(Walk *walk, guint32 event, guint32 function, gint64 ns)
{
    if (event != DT_EVENT_RETURN)
        g_array_append_val(walk->kept, function);
    if (walk->begun && !tell(walk, event != DT_EVENT_RETURN, ns, walk->kept->len))
        return FALSE;
    if (event == DT_EVENT_RETURN)
        g_array_set_size(walk->kept, walk->kept->len - 1);
    return TRUE;
}

static void visit_event(Walk *walk, guint32 event, guint64 position, gint64 ns)
{
    if (ns > walk->to_ns) {
        if (!walk->begun && walk->from_ns <= walk->to_ns && !begin(walk))
            walk->stopped = TRUE;
        if (!walk->stopped)
            end(walk);
        return;
    }
    if (!walk->begun && ns >= walk->from_ns && !begin(walk)) {
        walk->stopped = TRUE;
        return;
    }
    guint32 function = dt_call_stack_apply(walk->stack, event);
    walk->before = walk->position;
    walk->position = position;
    number_call(walk, event);
    if (keeps(walk, event, function) && (event != DT_EVENT_RETURN || walk->kept->len > 0) &&
        !visit_kept(walk, event, function, ns))
        walk->stopped = TRUE;
    walk->number++;
}

static gboolean walk_untimed(Walk *walk, const DtTrace *trace, GError **error)
{
    g_autoptr(DtReader) reader = dt_reader_open(walk->writer->wants->run, trace, DT_NAMES_ALONE, error);
    const DtExportOrder *order = walk->writer->order;
    guint32 events[BATCH];
    guint64 positions[BATCH];
    gsize count = 0;
    if (!reader)
        return FALSE;
    while (!walk->stopped && (count = dt_reader_next_at(reader, events, positions, BATCH)) > 0)
        for (gsize i = 0; i < count && !walk->stopped; i++) {
            guint64 number = order ? dt_export_order_number(order, trace, walk->number) : 0;
            visit_event(walk, events[i], positions[i], (gint64)number);
        }
    return TRUE;
}

static gboolean walk_timed(Walk *walk, const DtTrace *trace, DtExportEnd *last, GError **error)
{
    g_autoptr(DtAttribution) attribution = dt_attribution_new(walk->writer->wants->run, trace, error);
    g_autoptr(DtPlacedReader) reader = attribution ? dt_placed_reader_open(attribution, error) : NULL;
    g_autofree DtPlacedEvent *events = g_new(DtPlacedEvent, BATCH);
    const gint64 moved = dt_process_clock_offset(trace->process) - walk->writer->start_ns;
    gsize count = 0;
    if (!reader)
        return FALSE;
    while (!walk->stopped && (count = dt_placed_reader_next(reader, events, BATCH)) > 0)
        for (gsize i = 0; i < count && !walk->stopped; i++) {
            walk->tracer_ns += (gint64)events[i].tracer_ns;
            visit_event(walk, events[i].event, events[i].position, (gint64)events[i].ns + moved);
        }
    if (!walk->begun && !walk->stopped && (gint64)dt_attribution_last_ns(attribution) + moved >= walk->from_ns)
        begin(walk);
    last->ns = MIN((gint64)dt_attribution_last_ns(attribution) + moved, walk->to_ns);
    last->own_ns = last->ns - walk->tracer_ns;
    return TRUE;
}

gboolean dt_export_walk(const DtExportWriter *writer, const DtTrace *trace, DtExportVisit visit, gpointer user_data,
                        DtExportEnd *last, GError **error)
{
    const DtExportWants *wants = writer->wants;
    g_autoptr(DtCallStack) stack = dt_call_stack_new();
    g_autoptr(GArray) kept = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autoptr(GByteArray) classes = g_byte_array_new();
    Walk walk = {.writer = writer, .visit = visit, .user_data = user_data, .stack = stack, .kept = kept};
    walk.numbers = numbers;
    walk.classes = classes;
    walk.call = DT_EXPORT_NO_CALL;
    DtExportEnd ended = {0, 0};
    walk.scope = (DtFilterScope){wants->set, 0};
    walk.from_ns = (gint64)(wants->from * 1e9);
    walk.to_ns = wants->to > 0 ? (gint64)(wants->to * 1e9) : G_MAXINT64;
    walk.begun = wants->from <= 0;
    gboolean done = writer->timed ? walk_timed(&walk, trace, &ended, error) : walk_untimed(&walk, trace, error);
    if (last)
        *last = ended;
    return done;
}
