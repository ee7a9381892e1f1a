/* Calls by what they were called from, counted in both runs, for a differential flame graph. */
#include "report/calls/page_calls.h"

#include <string.h>

#include "report/common.h"
#include "times/attribution.h"

/* What is called deeper, or from more different stacks, is not told apart from its caller. */
enum { DEEPEST = 128, FRAMES = 1 << 16, BATCH = 4096, RUNS = 2 };

/* A function, called from a frame; the first one is that of nothing. */
typedef struct {
    guint32 function;
    guint caller;
} Frame;

typedef struct {
    guint64 calls;
    guint64 ns; /* on top of the stack */
} Count;

/* How often the frames were called, in both runs: by all traces, or by one. */
typedef struct {
    const char *trace;    /* NULL: all */
    GArray *counts[RUNS]; /* (element-type Count) by frame; shorter: 0 */
} Column;

struct DtPageCalls {
    const DtFunctions *functions;
    GArray *frames;      /* (element-type Frame), callers first */
    GHashTable *numbers; /* caller and function -> frame */
    GPtrArray *columns;  /* (element-type Column): all traces, then some suspects */
    gboolean timed;
};

static void free_column(gpointer data)
{
    Column *column = data;
    for (guint run = 0; run < RUNS; run++)
        g_array_unref(column->counts[run]);
    g_free(column);
}

static void add_column(DtPageCalls *calls, const char *trace)
{
    Column *column = g_new0(Column, 1);
    column->trace = trace;
    for (guint run = 0; run < RUNS; run++)
        column->counts[run] = g_array_new(FALSE, TRUE, sizeof(Count));
    g_ptr_array_add(calls->columns, column);
}

/* ---- one trace ---------------------------------------------------------------------- */

typedef struct {
    DtPageCalls *calls;
    GArray *counts; /* (element-type Count) by frame */
    GArray *open;   /* (element-type guint) frames, outermost first */
    guint64 ns;     /* of the event before */
} Walk;

static guint innermost(const Walk *walk)
{
    return walk->open->len > 0 ? g_array_index(walk->open, guint, walk->open->len - 1) : 0;
}

static guint frame_of(DtPageCalls *calls, guint caller, guint32 function)
{
    gint64 key = (gint64)((guint64)caller << 32 | function);
    gpointer known = g_hash_table_lookup(calls->numbers, &key);
    if (known || calls->frames->len >= FRAMES)
        return GPOINTER_TO_UINT(known);
    Frame frame = {function, caller};
    g_array_append_val(calls->frames, frame);
    guint number = calls->frames->len - 1;
    g_hash_table_insert(calls->numbers, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(number));
    return number;
}

static Count *count_of(Walk *walk, guint frame)
{
    if (frame >= walk->counts->len)
        g_array_set_size(walk->counts, frame + 1);
    return &g_array_index(walk->counts, Count, frame);
}

static void apply(Walk *walk, guint32 event, guint64 times)
{
    if (event == DT_EVENT_RETURN) {
        if (walk->open->len > 0)
            g_array_set_size(walk->open, walk->open->len - 1);
        return;
    }
    guint caller = innermost(walk), frame = walk->open->len < DEEPEST ? frame_of(walk->calls, caller, event) : 0;
    if (frame != 0)
        count_of(walk, frame)->calls += times;
    else
        frame = caller;
    g_array_append_val(walk->open, frame);
}

static gboolean count_calls(Walk *walk, const DtRun *run, const DtTrace *trace)
{
    g_autoptr(DtReader) reader = dt_reader_open(run, trace, DT_NAMES_ALONE, NULL);
    DtEventBatch batch;
    if (!reader)
        return FALSE;
    while (dt_reader_next_batch(reader, &batch))
        for (gsize i = 0; i < batch.count; i++)
            apply(walk, batch.events[i], batch.times);
    return TRUE;
}

/* What has passed was spent in the innermost open frame. */
static void spend(Walk *walk, guint64 ns)
{
    if (walk->open->len > 0 && ns > walk->ns)
        count_of(walk, innermost(walk))->ns += ns - walk->ns;
    walk->ns = ns;
}

static gboolean count_times(Walk *walk, const DtRun *run, const DtTrace *trace)
{
    g_autoptr(DtAttribution) attribution = dt_attribution_new(run, trace, NULL);
    g_autoptr(DtPlacedReader) reader = attribution ? dt_placed_reader_open(attribution, NULL) : NULL;
    g_autofree DtPlacedEvent *events = g_new(DtPlacedEvent, BATCH);
    if (!reader)
        return FALSE;
    for (gsize count; (count = dt_placed_reader_next(reader, events, BATCH)) > 0;) {
        for (gsize i = 0; i < count; i++) {
            spend(walk, events[i].ns - events[i].tracer_ns);
            walk->ns = events[i].ns;
            apply(walk, events[i].event, 1);
        }
    }
    spend(walk, dt_attribution_last_ns(attribution));
    return TRUE;
}

/* ---- a run ---------------------------------------------------------------------------- */

/* Traces with the same events: read once, counted as often as there are. */
typedef struct {
    const DtTrace *first;
    guint traces;
    GPtrArray *columns; /* those that are of one of them; borrowed */
} Alike;

static void free_alike(gpointer data)
{
    Alike *alike = data;
    g_ptr_array_unref(alike->columns);
    g_free(alike);
}

static Column *column_of(const DtPageCalls *calls, const char *trace)
{
    for (guint i = 1; i < calls->columns->len; i++) {
        Column *column = calls->columns->pdata[i];
        if (g_str_equal(column->trace, trace))
            return column;
    }
    return NULL;
}

static void add_trace(GPtrArray *all, GHashTable *known, gconstpointer same, const DtTrace *trace, Column *column)
{
    Alike *alike = same ? g_hash_table_lookup(known, same) : NULL;
    if (!alike) {
        alike = g_new0(Alike, 1);
        alike->first = trace;
        alike->columns = g_ptr_array_new();
        g_ptr_array_add(all, alike);
        if (same)
            g_hash_table_insert(known, (gpointer)same, alike);
    }
    alike->traces++;
    if (column)
        g_ptr_array_add(alike->columns, column);
}

/* With times no trace is like another. */
static GPtrArray *find_alike(const DtPageCalls *calls, const DtPageWants *wants, DtSide side, const DtRun *run)
{
    GPtrArray *all = g_ptr_array_new_with_free_func(free_alike);
    g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < dt_run_trace_count(run); i++) {
        const DtTrace *trace = dt_run_trace(run, i);
        gconstpointer same = calls->timed ? NULL : wants->same(side, trace, wants->user_data);
        if (!trace->library)
            add_trace(all, known, same, trace, column_of(calls, trace->label));
    }
    return all;
}

static void add_counts(GArray *sum, const GArray *counts, guint64 times)
{
    if (sum->len < counts->len)
        g_array_set_size(sum, counts->len);
    for (guint i = 0; i < counts->len; i++) {
        const Count *count = &g_array_index(counts, Count, i);
        g_array_index(sum, Count, i).calls += times * count->calls;
        g_array_index(sum, Count, i).ns += times * count->ns;
    }
}

static gboolean count_alike(DtPageCalls *calls, const DtRun *run, DtSide side, const Alike *alike)
{
    g_autoptr(GArray) counts = g_array_new(FALSE, TRUE, sizeof(Count)), open = g_array_new(FALSE, FALSE, sizeof(guint));
    Walk walk = {calls, counts, open, 0};
    if (!(calls->timed ? count_times : count_calls)(&walk, run, alike->first))
        return FALSE;
    add_counts(((Column *)calls->columns->pdata[0])->counts[side], counts, alike->traces);
    for (guint i = 0; i < alike->columns->len; i++)
        add_counts(((Column *)alike->columns->pdata[i])->counts[side], counts, 1);
    return TRUE;
}

/* FALSE: a trace cannot be read, or too much would have to be; `words` are left of what may be. */
static gboolean count_run(DtPageCalls *calls, const DtPageWants *wants, DtSide side, guint64 *words)
{
    const DtRun *run = side == DT_SIDE_NORMAL ? wants->normal : wants->faulty;
    if (!run)
        return TRUE;
    g_autoptr(GPtrArray) all = find_alike(calls, wants, side, run);
    for (guint i = 0; i < all->len; i++) {
        const Alike *alike = all->pdata[i];
        if (alike->first->words > *words || !count_alike(calls, run, side, alike))
            return FALSE;
        *words -= alike->first->words;
    }
    return TRUE;
}

static gboolean has_few_times(const DtRun *run)
{
    guint64 words = 0;
    for (guint i = 0; i < dt_run_trace_count(run); i++)
        words += dt_run_trace(run, i)->words;
    return words <= DT_PAGE_CALLS_TIMED_WORDS && dt_run_has_times(run);
}

DtPageCalls *dt_page_calls_new(const DtPageWants *wants)
{
    g_autoptr(DtPageCalls) calls = g_new0(DtPageCalls, 1);
    guint64 words = DT_PAGE_CALLS_WORDS;
    calls->functions = wants->functions;
    calls->frames = g_array_new(FALSE, TRUE, sizeof(Frame));
    g_array_set_size(calls->frames, 1);
    calls->numbers = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    calls->columns = g_ptr_array_new_with_free_func(free_column);
    calls->timed = has_few_times(wants->faulty) && (!wants->normal || has_few_times(wants->normal));
    add_column(calls, NULL);
    for (guint i = 0; i < MIN(wants->suspects->len, (guint)DT_PAGE_CALLS_TRACES); i++)
        add_column(calls, ((const DtSuspectRow *)wants->suspects->pdata[i])->trace);
    if (!count_run(calls, wants, DT_SIDE_NORMAL, &words) || !count_run(calls, wants, DT_SIDE_FAULTY, &words))
        return NULL;
    return g_steal_pointer(&calls);
}

void dt_page_calls_free(DtPageCalls *calls)
{
    if (!calls)
        return;
    g_array_unref(calls->frames);
    g_hash_table_unref(calls->numbers);
    g_ptr_array_unref(calls->columns);
    g_free(calls);
}

/* ---- which frames are shown --------------------------------------------------------------- */

/* With all that is called from it: a caller has no less than what it calls. */
typedef struct {
    guint frame;
    guint64 changed, calls;
} Weight;

static Count count_in(const Column *column, guint run, guint frame)
{
    const GArray *counts = column->counts[run];
    return frame < counts->len ? g_array_index(counts, Count, frame) : (Count){0, 0};
}

static GArray *weigh(const DtPageCalls *calls)
{
    const guint count = calls->frames->len;
    GArray *weights = g_array_new(FALSE, TRUE, sizeof(Weight));
    g_array_set_size(weights, count);
    for (guint i = count; i-- > 0;) {
        Weight *weight = &g_array_index(weights, Weight, i);
        weight->frame = i;
        for (guint k = 0; k < calls->columns->len; k++) {
            const guint64 normal = count_in(calls->columns->pdata[k], 0, i).calls,
                          faulty = count_in(calls->columns->pdata[k], 1, i).calls;
            weight->changed += normal > faulty ? normal - faulty : faulty - normal;
            weight->calls += k == 0 ? MAX(normal, faulty) : 0;
        }
        if (i > 0) {
            Weight *caller = &g_array_index(weights, Weight, g_array_index(calls->frames, Frame, i).caller);
            caller->changed += weight->changed;
            caller->calls += weight->calls;
        }
    }
    return weights;
}

static gint by_frame(const Weight *a, const Weight *b)
{
    return (a->frame > b->frame) - (a->frame < b->frame);
}

static gint most_changed_first(gconstpointer a, gconstpointer b)
{
    const Weight *one = a, *two = b;
    return one->changed != two->changed ? (one->changed < two->changed ? 1 : -1) : by_frame(one, two);
}

static gint most_calls_first(gconstpointer a, gconstpointer b)
{
    const Weight *one = a, *two = b;
    return one->calls != two->calls ? (one->calls < two->calls ? 1 : -1) : by_frame(one, two);
}

/* Which frames are shown, callers with whatever they call: 1 by frame. */
static guint8 *choose(const DtPageCalls *calls)
{
    g_autoptr(GArray) weights = weigh(calls);
    guint8 *chosen = g_new0(guint8, calls->frames->len);
    guint left = DT_PAGE_CALLS_SHOWN;
    g_array_sort(weights, most_changed_first);
    for (guint i = 0; i < weights->len && left > DT_PAGE_CALLS_SHOWN / 2; i++, left--) {
        if (g_array_index(weights, Weight, i).changed == 0)
            break;
        chosen[g_array_index(weights, Weight, i).frame] = 1;
    }
    g_array_sort(weights, most_calls_first);
    for (guint i = 0; i < weights->len && left > 0; i++) {
        guint8 *is_chosen = &chosen[g_array_index(weights, Weight, i).frame];
        left -= *is_chosen ? 0 : 1;
        *is_chosen = 1;
    }
    chosen[0] = 1;
    return chosen;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* Caller and function of each frame; functions by their place in *functions. */
static GPtrArray *add_frames(JsonBuilder *builder, const DtPageCalls *calls, const guint *places)
{
    GPtrArray *functions = g_ptr_array_new();
    g_autoptr(GHashTable) numbers = g_hash_table_new(NULL, NULL);
    dt_json_begin_array(builder, "frames");
    for (guint i = 1; i < calls->frames->len; i++) {
        const Frame *frame = &g_array_index(calls->frames, Frame, i);
        if (places[i] == 0)
            continue;
        gpointer known = g_hash_table_lookup(numbers, GUINT_TO_POINTER(frame->function));
        if (!known) {
            g_ptr_array_add(functions, GUINT_TO_POINTER(frame->function));
            known = GUINT_TO_POINTER(functions->len);
            g_hash_table_insert(numbers, GUINT_TO_POINTER(frame->function), known);
        }
        dt_json_integer(builder, NULL, (gint64)places[frame->caller] - 1);
        dt_json_integer(builder, NULL, (gint64)GPOINTER_TO_UINT(known) - 1);
    }
    json_builder_end_array(builder);
    return functions;
}

static void add_names(JsonBuilder *builder, const DtPageCalls *calls, const GPtrArray *functions)
{
    dt_json_begin_array(builder, "functions");
    for (guint i = 0; i < functions->len; i++)
        dt_json_string(builder, NULL, dt_function_name(calls->functions, GPOINTER_TO_UINT(functions->pdata[i])));
    json_builder_end_array(builder);
}

static void add_counted(JsonBuilder *builder, const DtPageCalls *calls, const Column *column, const guint *places)
{
    dt_json_begin_object(builder, NULL);
    dt_json_string(builder, "trace", column->trace);
    dt_json_begin_array(builder, "counts");
    for (guint i = 1; i < calls->frames->len; i++) {
        const Count normal = count_in(column, 0, i), faulty = count_in(column, 1, i);
        if (places[i] == 0 || (normal.calls | faulty.calls | normal.ns | faulty.ns) == 0)
            continue;
        dt_json_integer(builder, NULL, (gint64)places[i] - 1);
        dt_json_integer(builder, NULL, (gint64)normal.calls);
        dt_json_integer(builder, NULL, (gint64)faulty.calls);
        if (!calls->timed)
            continue;
        dt_json_integer(builder, NULL, (gint64)normal.ns);
        dt_json_integer(builder, NULL, (gint64)faulty.ns);
    }
    json_builder_end_array(builder);
    json_builder_end_object(builder);
}

void dt_page_add_calls(JsonBuilder *builder, const DtPage *page)
{
    const DtPageCalls *calls = page->calls;
    if (!calls) {
        dt_json_null(builder, "calls");
        return;
    }
    g_autofree guint8 *chosen = choose(calls);
    g_autofree guint *places = g_new0(guint, calls->frames->len); /* + 1; 0: not shown */
    guint shown = 0;
    for (guint i = 1; i < calls->frames->len; i++)
        places[i] = chosen[i] ? ++shown : 0;
    dt_json_begin_object(builder, "calls");
    dt_json_boolean(builder, "timed", calls->timed);
    dt_json_integer(builder, "left_out", (gint64)calls->frames->len - 1 - shown);
    g_autoptr(GPtrArray) functions = add_frames(builder, calls, places);
    add_names(builder, calls, functions);
    dt_json_begin_array(builder, "of");
    for (guint i = 0; i < calls->columns->len; i++)
        add_counted(builder, calls, calls->columns->pdata[i], places);
    json_builder_end_array(builder);
    json_builder_end_object(builder);
}
