/* The trace is read twice: once to learn, once to place its events. */
#include "times/attribution.h"

#include <string.h>

#include "calls/calls.h"
#include "times/gaps.h"
#include "times/weights.h"

enum { BATCH = 4096, MOST_PENDING = 1 << 18 };

typedef struct {
    guint64 calls, stamped;
} Calls;

struct DtAttribution {
    const DtRun *run;
    const DtTrace *trace;
    DtGapKinds kinds;
    DtWeights *weights;
    GArray *calls; /* Calls by function */
    guint64 first_ns, last_ns;
    char *problem;
};

/* Until when the gap before an event went on, as far as it was the program's; 0: not known. */
static guint64 gap_end_ns(const DtTimedEvent *event)
{
    return event->batch_ns > 0 ? event->batch_begin_ns : event->ns;
}

/* When an event was about to be recorded; 0: not known. */
static guint64 known_ns(const DtTimedEvent *event)
{
    return event->ns > 0 ? event->ns : event->batch_ns;
}

/* ---- learning -------------------------------------------------------------------------------- */

typedef struct {
    DtAttribution *attribution;
    DtGapWalk walk;
    GArray *stamped; /* gboolean by open call: its entry has a stamp */
    guint64 since;   /* the last time that is known; 0: none is */
} Learning;

static void count_call(Learning *learning, guint32 function, gboolean stamped)
{
    GArray *calls = learning->attribution->calls;
    if (function >= calls->len)
        g_array_set_size(calls, function + 1);
    g_array_index(calls, Calls, function).calls++;
    g_array_index(calls, Calls, function).stamped += stamped ? 1 : 0;
}

static void follow_call(Learning *learning, const DtTimedEvent *event)
{
    gboolean stamped = event->ns > 0;
    if (event->event != DT_EVENT_RETURN) {
        g_array_append_val(learning->stamped, stamped);
        return;
    }
    if (learning->stamped->len == 0)
        return;
    stamped = stamped && g_array_index(learning->stamped, gboolean, learning->stamped->len - 1);
    g_array_set_size(learning->stamped, learning->stamped->len - 1);
    count_call(learning, dt_gap_walk_top(&learning->walk), stamped);
}

static void learn_event(Learning *learning, const DtTimedEvent *event)
{
    DtAttribution *attribution = learning->attribution;
    const guint64 known = known_ns(event);
    dt_weights_gap(attribution->weights, dt_gap_kinds_number(&attribution->kinds, &learning->walk));
    if (known > 0) {
        if (learning->since > 0 && gap_end_ns(event) > learning->since)
            dt_weights_interval(attribution->weights, gap_end_ns(event) - learning->since);
        else
            dt_weights_drop(attribution->weights);
        learning->since = known;
    }
    follow_call(learning, event);
    dt_gap_walk_apply(&learning->walk, event->event);
}

static gboolean is_of_library(const DtAttribution *attribution, guint32 function)
{
    return function != 0 &&
           dt_call_class(dt_functions_get(dt_run_functions(attribution->run), function)->name) != DT_CALL_UNKNOWN;
}

/* What a call takes changes from one level of a recursion to the next, and what its parts take with it. Stubs of
 * library calls make stamps faster than those of functions. */
static void learn_weights(DtAttribution *attribution)
{
    const DtGapKinds *kinds = &attribution->kinds;
    g_autofree DtGapHint *hints = g_new(DtGapHint, kinds->keys->len);
    for (guint32 i = 0; i < kinds->keys->len; i++) {
        const DtGapKind *kind = &g_array_index(kinds->keys, DtGapKind, i);
        const guint32 last = kind->returned_from != 0 ? kind->returned_from : kind->top;
        hints[i].alike = dt_gap_kinds_deeper(kinds, i);
        hints[i].class = (kind->returned_from != 0 ? 2U : 0U) + (is_of_library(attribution, last) ? 1U : 0U);
    }
    dt_weights_learn(attribution->weights, hints);
}

static void learn(DtAttribution *attribution, DtTimedReader *reader)
{
    Learning learning = {.attribution = attribution, .since = attribution->first_ns};
    g_autofree DtTimedEvent *events = g_new(DtTimedEvent, BATCH);
    dt_gap_walk_init(&learning.walk);
    learning.stamped = g_array_new(FALSE, FALSE, sizeof(gboolean));
    for (gsize count; (count = dt_timed_reader_next(reader, events, BATCH)) > 0;)
        for (gsize i = 0; i < count; i++)
            learn_event(&learning, &events[i]);
    dt_weights_drop(attribution->weights);
    learn_weights(attribution);
    dt_gap_walk_clear(&learning.walk);
    g_array_unref(learning.stamped);
}

DtAttribution *dt_attribution_new(const DtRun *run, const DtTrace *trace, GError **error)
{
    g_autoptr(DtTimedReader) reader = dt_timed_reader_open(run, trace, DT_NAMES_ALONE, error);
    if (!reader)
        return NULL;
    DtAttribution *attribution = g_new0(DtAttribution, 1);
    attribution->run = run;
    attribution->trace = trace;
    dt_gap_kinds_init(&attribution->kinds);
    attribution->weights = dt_weights_new();
    attribution->calls = g_array_new(FALSE, TRUE, sizeof(Calls));
    attribution->first_ns = dt_timed_reader_first_ns(reader);
    attribution->last_ns = dt_timed_reader_last_ns(reader);
    learn(attribution, reader);
    const char *problem = dt_timed_reader_problem(reader);
    attribution->problem = g_strdup(problem ? problem : dt_stamps_problem(dt_timed_reader_stamps(reader)));
    return attribution;
}

void dt_attribution_free(DtAttribution *attribution)
{
    if (!attribution)
        return;
    dt_gap_kinds_clear(&attribution->kinds);
    dt_weights_free(attribution->weights);
    g_array_unref(attribution->calls);
    g_free(attribution->problem);
    g_free(attribution);
}

guint64 dt_attribution_first_ns(const DtAttribution *attribution)
{
    return attribution->first_ns;
}

guint64 dt_attribution_last_ns(const DtAttribution *attribution)
{
    return attribution->last_ns;
}

guint64 dt_attribution_calls(const DtAttribution *attribution, guint32 function, guint64 *stamped)
{
    Calls none = {0};
    const Calls *calls =
        function < attribution->calls->len ? &g_array_index(attribution->calls, Calls, function) : &none;
    *stamped = calls->stamped;
    return calls->calls;
}

const char *dt_attribution_problem(const DtAttribution *attribution)
{
    return attribution->problem;
}

/* ---- placing --------------------------------------------------------------------------------- */

struct DtPlacedReader {
    const DtAttribution *attribution;
    DtTimedReader *reader;
    DtGapWalk walk;
    DtTimedEvent *events; /* of the reader's last answer */
    GArray *pending;      /* DtPlacedEvent: placed ones, then those that wait for the next time that is known */
    GArray *weights;      /* gdouble: of the gap before each of those that wait */
    gsize placed, given;  /* of `pending` */
    guint64 since;        /* the last time that is known, behind the placed ones */
    gboolean since_stamp; /* a stamp tells it */
    guint32 first;        /* kind of the gap behind it */
    guint64 since_position;
    gboolean ended;
};

DtPlacedReader *dt_placed_reader_open(const DtAttribution *attribution, GError **error)
{
    DtTimedReader *timed = dt_timed_reader_open(attribution->run, attribution->trace, DT_NAMES_ALONE, error);
    if (!timed)
        return NULL;
    DtPlacedReader *reader = g_new0(DtPlacedReader, 1);
    reader->attribution = attribution;
    reader->reader = timed;
    dt_gap_walk_init(&reader->walk);
    reader->events = g_new(DtTimedEvent, BATCH);
    reader->pending = g_array_new(FALSE, FALSE, sizeof(DtPlacedEvent));
    reader->weights = g_array_new(FALSE, FALSE, sizeof(gdouble));
    reader->since = attribution->first_ns;
    return reader;
}

void dt_placed_reader_free(DtPlacedReader *reader)
{
    if (!reader)
        return;
    dt_timed_reader_free(reader->reader);
    dt_gap_walk_clear(&reader->walk);
    g_free(reader->events);
    g_array_unref(reader->pending);
    g_array_unref(reader->weights);
    g_free(reader);
}

static guint32 kind_of_gap(const DtPlacedReader *reader)
{
    return dt_gap_kinds_find(&reader->attribution->kinds, &reader->walk);
}

/* What a stamp at one end of a gap takes more than an event without one. */
static gdouble of_stamp(const DtPlacedReader *reader, guint32 kind)
{
    const DtWeights *weights = reader->attribution->weights;
    return MAX(dt_weights_of_stamps(weights, kind) - dt_weights_of_event(weights), 0) / 2;
}

/* Of the gaps before those that wait, which are placed, what recording took. */
static void tell_recording(DtPlacedReader *reader, gboolean until_stamp)
{
    gdouble sum = reader->since_stamp ? of_stamp(reader, reader->first) : 0;
    guint64 before = reader->since;
    for (guint i = 0; i < reader->weights->len; i++) {
        DtPlacedEvent *event = &g_array_index(reader->pending, DtPlacedEvent, reader->placed + i);
        sum += dt_weights_of_event(reader->attribution->weights);
        if (until_stamp && i + 1 == reader->weights->len)
            sum += of_stamp(reader, kind_of_gap(reader));
        event->tracer_ns = MIN((guint64)MAX(sum, 0), event->ns - before);
        sum = MAX(sum, 0) - (gdouble)(guint64)MAX(sum, 0);
        before = event->ns;
    }
}

/* Those that wait lie between `since` and `until`, and a gap of the weight `rest` behind them, by the weights of the
 * gaps before them. */
static void place(DtPlacedReader *reader, guint64 until, gboolean until_stamp, gdouble rest)
{
    const gdouble *weights = (const gdouble *)(const void *)reader->weights->data;
    gdouble sum = rest, so_far = 0;
    guint64 span = until > reader->since ? until - reader->since : 0;
    for (guint i = 0; i < reader->weights->len; i++)
        sum += weights[i];
    for (guint i = 0; i < reader->weights->len; i++) {
        DtPlacedEvent *event = &g_array_index(reader->pending, DtPlacedEvent, reader->placed + i);
        so_far += weights[i];
        guint64 share = sum > 0 ? (guint64)((gdouble)span * (so_far / sum)) : span;
        event->ns = reader->since + MIN(share, span);
        reader->since_position = event->position;
    }
    if (rest <= 0 && reader->weights->len > 0)
        g_array_index(reader->pending, DtPlacedEvent, reader->pending->len - 1).ns = reader->since + span;
    tell_recording(reader, until_stamp);
    reader->since += span;
    reader->since_stamp = until_stamp;
    reader->placed = reader->pending->len;
    g_array_set_size(reader->weights, 0);
}

/* Where stamps are missing for long: by the number of events up to the next. */
static void place_some(DtPlacedReader *reader, guint64 position)
{
    gsize count, from = 0;
    const DtStamp *stamps = dt_stamps_get(dt_timed_reader_stamps(reader->reader), &count);
    for (gsize to = count; from < to;) {
        gsize middle = from + (to - from) / 2;
        if (stamps[middle].position < position)
            from = middle + 1;
        else
            to = middle;
    }
    guint64 ns = from < count ? stamps[from].ns : reader->attribution->last_ns;
    guint64 end = MAX(from < count ? stamps[from].position : reader->attribution->trace->words, position);
    guint64 words = MAX(end - MIN(reader->since_position, end), 1);
    gdouble share = (gdouble)(position - MIN(reader->since_position, position)) / (gdouble)words;
    guint64 span = ns > reader->since ? ns - reader->since : 0;
    place(reader, reader->since + (guint64)((gdouble)span * MIN(share, 1)), FALSE, 0);
}

static gdouble weight_of_gap(const DtPlacedReader *reader)
{
    return dt_weights_of(reader->attribution->weights, kind_of_gap(reader));
}

/* The event that was placed last is when the batch before it had been made, or its own stamp was. */
static void pass_batch(DtPlacedReader *reader, const DtTimedEvent *event)
{
    DtPlacedEvent *placed = &g_array_index(reader->pending, DtPlacedEvent, reader->pending->len - 1);
    const guint64 begin = reader->since, end = MAX(begin, event->batch_ns);
    placed->tracer_ns += end - begin;
    placed->ns = reader->since = MAX(end, known_ns(event));
    reader->since_stamp = event->ns > 0;
}

static void add_event(DtPlacedReader *reader, const DtTimedEvent *event)
{
    const guint64 known = known_ns(event);
    DtPlacedEvent placed = {event->event, event->position, 0, event->ns > 0, known > 0, 0};
    gdouble weight = weight_of_gap(reader);
    if (reader->weights->len == 0)
        reader->first = kind_of_gap(reader);
    g_array_append_val(reader->pending, placed);
    g_array_append_val(reader->weights, weight);
    if (known > 0) {
        place(reader, gap_end_ns(event), event->batch_ns == 0, 0);
        pass_batch(reader, event);
    } else if (reader->weights->len >= MOST_PENDING) {
        place_some(reader, event->position);
    }
    dt_gap_walk_apply(&reader->walk, event->event);
}

/* Until some events are placed, or the trace ends. */
static void read_on(DtPlacedReader *reader)
{
    g_array_remove_range(reader->pending, 0, (guint)reader->given);
    reader->placed -= reader->given;
    reader->given = 0;
    while (reader->placed == 0 && !reader->ended) {
        gsize count = dt_timed_reader_next(reader->reader, reader->events, BATCH);
        for (gsize i = 0; i < count; i++)
            add_event(reader, &reader->events[i]);
        if (count == 0) {
            place(reader, reader->attribution->last_ns, FALSE, weight_of_gap(reader));
            reader->ended = TRUE;
        }
    }
}

gsize dt_placed_reader_next(DtPlacedReader *reader, DtPlacedEvent *events, gsize capacity)
{
    if (reader->given == reader->placed)
        read_on(reader);
    gsize count = MIN(capacity, reader->placed - reader->given);
    if (count > 0)
        memcpy(events, &g_array_index(reader->pending, DtPlacedEvent, reader->given), count * sizeof(*events));
    reader->given += count;
    return count;
}

const DtStamps *dt_placed_reader_stamps(const DtPlacedReader *reader)
{
    return dt_timed_reader_stamps(reader->reader);
}
