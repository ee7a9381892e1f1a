/*
 * Reads traces, batch by batch, into what the evidence is computed from.
 */
#include "rank/observe.h"

#include <omp.h>

enum {
    BATCH_EVENTS = 4096,
    SIGNATURE_CALLS = 24, /* longer bodies have no signature */
    SIGNATURE_ROOM = 28,  /* before its repeats are collapsed */
    SIGNATURE_PERIOD = 4
};

typedef struct {
    guint32 function;
    gboolean inside_mpi; /* it is an MPI call, or inside one */
    gboolean too_long;   /* no signature */
    gboolean counts;     /* it is an entry, and a callee of its caller */
    gboolean polled;     /* it, or a call of it that did nothing else, polled */
    guint first_callee;  /* index into Observer.callees */
    guint first_entry;   /* index into Observer.entries of its own entry */
} Frame;

typedef struct {
    const guint8 *kinds;
    DtObservedTrace *observed;
    GArray *entries;  /* local symbols (element-type guint32) */
    GArray *pairs;    /* caller << 32 | callee per local symbol (element-type guint64) */
    DtGramMap *local; /* pair -> local symbol, as its position */
    GArray *frames;   /* (element-type Frame) */
    GArray *callees;  /* direct callees of the open frames, innermost last (element-type guint32) */
    guint64 clock;    /* library calls so far */
} Observer;

static void observer_init(Observer *observer, const guint8 *kinds, DtObservedTrace *observed)
{
    *observer = (Observer){.kinds = kinds, .observed = observed};
    observer->entries = g_array_new(FALSE, FALSE, sizeof(guint32));
    observer->pairs = g_array_new(FALSE, FALSE, sizeof(guint64));
    observer->local = dt_gram_map_new();
    observer->frames = g_array_new(FALSE, FALSE, sizeof(Frame));
    observer->callees = g_array_new(FALSE, FALSE, sizeof(guint32));
}

static void observer_clear(Observer *observer)
{
    g_array_unref(observer->entries);
    g_array_unref(observer->pairs);
    dt_gram_map_free(observer->local);
    g_array_unref(observer->frames);
    g_array_unref(observer->callees);
}

static Frame *innermost(Observer *observer)
{
    guint depth = observer->frames->len;
    return depth > 0 ? &g_array_index(observer->frames, Frame, depth - 1) : NULL;
}

/* Two equal rows of up to SIGNATURE_PERIOD callees at the end become one. */
static void collapse_repeat(GArray *callees, guint first)
{
    const guint32 *calls = (const guint32 *)(const void *)callees->data;
    guint end = callees->len;
    for (guint period = 1; period <= SIGNATURE_PERIOD && end - first >= 2 * period; ++period) {
        guint equal = 0;
        while (equal < period && calls[end - 1 - equal] == calls[end - 1 - equal - period])
            ++equal;
        if (equal == period) {
            g_array_set_size(callees, end - period);
            return;
        }
    }
}

static void note_callee(Observer *observer, Frame *caller, guint32 function)
{
    if (caller->too_long)
        return;
    g_array_append_val(observer->callees, function);
    collapse_repeat(observer->callees, caller->first_callee);
    caller->too_long = observer->callees->len - caller->first_callee > SIGNATURE_ROOM;
}

static guint32 local_symbol(Observer *observer, guint32 caller, guint32 callee)
{
    guint64 pair = (guint64)caller << 32 | callee;
    DtGram *gram = dt_gram_map_get(observer->local, pair);
    if (gram->count++ == 0) {
        gram->position = observer->pairs->len;
        g_array_append_val(observer->pairs, pair);
    }
    return (guint32)gram->position;
}

static void note_entry(Observer *observer, const Frame *caller, guint32 function)
{
    guint32 symbol = local_symbol(observer, caller ? caller->function : 0, function);
    g_array_append_val(observer->entries, symbol);
    observer->clock += (observer->kinds[function] & DT_CALL_LIBRARY) ? 1 : 0;
}

static void enter(Observer *observer, guint32 function)
{
    Frame *caller = innermost(observer);
    guint kind = observer->kinds[function];
    gboolean hidden = caller && (caller->inside_mpi || (observer->kinds[caller->function] & DT_CALL_POLL));
    Frame frame = {.function = function,
                   .inside_mpi = hidden || (kind & DT_CALL_MPI) != 0,
                   .polled = (kind & DT_CALL_POLL) != 0,
                   .first_entry = observer->entries->len};
    if (!hidden)
        observer->observed->last_entry = function;
    frame.counts = (!hidden && !frame.polled) || (kind & DT_CALL_ENDING);
    frame.first_callee = observer->callees->len;
    if (frame.counts)
        note_entry(observer, caller, function);
    g_array_append_val(observer->frames, frame);
}

static guint64 mix(guint64 hash, guint64 value)
{
    hash = (hash ^ value) * G_GUINT64_CONSTANT(0xff51afd7ed558ccd);
    return hash ^ hash >> 32;
}

static void note_body(Observer *observer, const Frame *frame)
{
    guint end = observer->callees->len;
    if (frame->too_long || end - frame->first_callee > SIGNATURE_CALLS)
        return;
    guint64 signature = mix(end - frame->first_callee, frame->function);
    for (guint i = frame->first_callee; i < end; ++i)
        signature = mix(signature, g_array_index(observer->callees, guint32, i));
    DtGram *body = dt_gram_map_get(observer->observed->bodies, signature);
    if (body->count++ == 0) {
        body->position = observer->entries->len;
        body->clock = observer->clock;
    }
}

/* It made polls and no other call: as if it had not been called. */
static gboolean only_polled(const Observer *observer, const Frame *frame)
{
    return frame->counts && frame->polled && observer->entries->len == frame->first_entry + 1 &&
           !(observer->kinds[frame->function] & DT_CALL_ENDING);
}

static void leave(Observer *observer)
{
    Frame *frame = innermost(observer);
    if (!frame)
        return;
    gboolean polls_only = only_polled(observer, frame);
    if (polls_only)
        g_array_set_size(observer->entries, frame->first_entry);
    else if (!frame->inside_mpi && !(observer->kinds[frame->function] & DT_CALL_LIBRARY))
        note_body(observer, frame);
    const Frame left = *frame;
    g_array_set_size(observer->callees, left.first_callee);
    g_array_set_size(observer->frames, observer->frames->len - 1);
    Frame *caller = innermost(observer);
    if (!caller)
        return;
    caller->polled |= polls_only || (left.polled && !left.counts);
    if (left.counts && !polls_only)
        note_callee(observer, caller, left.function);
}

/* Who was interrupted while it polled has not called what it polls in. */
static void forget_open_polls(Observer *observer)
{
    gboolean polled = FALSE;
    for (guint i = observer->frames->len; i > 0; --i) {
        Frame *frame = &g_array_index(observer->frames, Frame, i - 1);
        frame->polled |= polled;
        if (frame->counts && !only_polled(observer, frame))
            return;
        if (frame->counts)
            g_array_set_size(observer->entries, frame->first_entry);
        polled = frame->polled;
    }
}

static void keep_open_calls(Observer *observer)
{
    for (guint i = 0; i < observer->frames->len; ++i)
        g_array_append_val(observer->observed->open, g_array_index(observer->frames, Frame, i).function);
}

static gboolean read_trace(Observer *observer, GError **error)
{
    DtObservedTrace *observed = observer->observed;
    g_autoptr(DtReader) reader = dt_reader_open(observed->run, observed->trace, error);
    if (!reader)
        return FALSE;
    g_autofree guint32 *events = g_new(guint32, BATCH_EVENTS);
    for (;;) {
        gsize count = dt_reader_next(reader, events, BATCH_EVENTS);
        if (count == 0)
            break;
        for (gsize i = 0; i < count; ++i) {
            if (events[i] == DT_EVENT_RETURN)
                leave(observer);
            else
                enter(observer, events[i]);
        }
    }
    observed->problem = g_strdup(dt_reader_problem(reader));
    forget_open_polls(observer);
    keep_open_calls(observer);
    return TRUE;
}

/* Local symbols become those of all runs. Traces one after the other, so that numbers do not depend on threads. */
static void rename_symbols(Observer *observer, GArray *symbols, DtGramMap *known)
{
    g_autofree guint32 *renamed = g_new(guint32, (gsize)observer->pairs->len + 1);
    for (guint i = 0; i < observer->pairs->len; ++i) {
        guint64 pair = g_array_index(observer->pairs, guint64, i);
        DtGram *gram = dt_gram_map_get(known, pair);
        if (gram->count++ == 0) {
            DtCallSymbol symbol = {(guint32)(pair >> 32), (guint32)pair, observer->kinds[(guint32)pair]};
            gram->position = symbols->len;
            g_array_append_val(symbols, symbol);
        }
        renamed[i] = (guint32)gram->position;
    }
    for (guint i = 0; i < observer->entries->len; ++i)
        g_array_index(observer->entries, guint32, i) = renamed[g_array_index(observer->entries, guint32, i)];
    observer->observed->entries.length = observer->entries->len;
    observer->observed->entries.symbols = (guint32 *)(void *)g_array_free(g_steal_pointer(&observer->entries), FALSE);
    observer->entries = g_array_new(FALSE, FALSE, sizeof(guint32));
}

static void count_gram(DtGramMap *grams, guint64 key, gsize position, gsize clock)
{
    DtGram *gram = dt_gram_map_get(grams, key);
    if (gram->count++ == 0) {
        gram->position = position;
        gram->clock = clock;
    }
}

static void gather_grams(DtObservedTrace *observed, const GArray *symbols)
{
    const guint32 *entries = observed->entries.symbols;
    DtSequence *library = &observed->library;
    library->symbols = g_new(guint32, observed->entries.length + 1);
    for (gsize i = 0; i < observed->entries.length; ++i) {
        count_gram(observed->grams, dt_gram_single(entries[i]), i, library->length);
        if (i > 0)
            count_gram(observed->grams, dt_gram_pair(entries[i - 1], entries[i]), i, library->length);
        if (g_array_index(symbols, DtCallSymbol, entries[i]).kind & DT_CALL_LIBRARY)
            library->symbols[library->length++] = entries[i];
    }
    library->symbols = g_renew(guint32, library->symbols, library->length + 1);
}

static DtObservedTrace *observed_trace_new(const DtRun *run, const DtTrace *trace)
{
    DtObservedTrace *observed = g_new0(DtObservedTrace, 1);
    observed->run = run;
    observed->trace = trace;
    observed->grams = dt_gram_map_new();
    observed->bodies = dt_gram_map_new();
    observed->open = g_array_new(FALSE, FALSE, sizeof(guint32));
    return observed;
}

void dt_observed_trace_free(DtObservedTrace *observed)
{
    if (!observed)
        return;
    g_free(observed->entries.symbols);
    g_free(observed->library.symbols);
    dt_gram_map_free(observed->grams);
    dt_gram_map_free(observed->bodies);
    g_array_unref(observed->open);
    g_free(observed->problem);
    g_free(observed);
}

/* What threads of MPI's and other libraries do is a matter of timing: they neither are suspects nor tell who is. */
static gboolean is_observed(const DtTrace *trace)
{
    return !trace->library;
}

/* All traces of all runs in one row. */
static GPtrArray *list_traces(const GPtrArray *runs)
{
    GPtrArray *all = g_ptr_array_new();
    for (guint r = 0; r < runs->len; ++r) {
        const DtRun *run = g_ptr_array_index(runs, r);
        for (guint t = 0; t < dt_run_trace_count(run); ++t)
            if (is_observed(dt_run_trace(run, t)))
                g_ptr_array_add(all, observed_trace_new(run, dt_run_trace(run, t)));
    }
    return all;
}

static gboolean observe_all(GPtrArray *all, const guint8 *kinds, guint jobs, GArray *symbols, GError **error)
{
    const gint count = (gint)all->len;
    const gint threads = jobs > 0 ? (gint)jobs : omp_get_max_threads();
    g_autofree Observer *observers = g_new0(Observer, all->len + 1);
    g_autofree GError **errors = g_new0(GError *, all->len + 1);
    g_autofree gboolean *failed = g_new0(gboolean, all->len + 1);
    g_autoptr(DtGramMap) known = dt_gram_map_new();
    gboolean good = TRUE;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (gint i = 0; i < count; ++i) {
        observer_init(&observers[i], kinds, g_ptr_array_index(all, (guint)i));
        failed[i] = !read_trace(&observers[i], &errors[i]);
    }
    for (gint i = 0; i < count; ++i) {
        rename_symbols(&observers[i], symbols, known);
        observer_clear(&observers[i]);
        if (errors[i] && good)
            g_propagate_error(error, g_steal_pointer(&errors[i]));
        else if (errors[i])
            g_clear_error(&errors[i]);
        good = good && !failed[i];
    }
    if (!good)
        return FALSE;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (gint i = 0; i < count; ++i)
        gather_grams(g_ptr_array_index(all, (guint)i), symbols);
    return TRUE;
}

GPtrArray *dt_observe_runs(const GPtrArray *runs, const guint8 *kinds, guint jobs, GArray *symbols, GError **error)
{
    g_autoptr(GPtrArray) all = list_traces(runs);
    if (!observe_all(all, kinds, jobs, symbols, error)) {
        g_ptr_array_foreach(all, (GFunc)(void (*)(void))dt_observed_trace_free, NULL);
        return NULL;
    }
    GPtrArray *observed = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    guint next = 0;
    for (guint r = 0; r < runs->len; ++r) {
        GPtrArray *traces = g_ptr_array_new_with_free_func((GDestroyNotify)dt_observed_trace_free);
        for (guint t = 0; t < dt_run_trace_count(g_ptr_array_index(runs, r)); ++t)
            if (is_observed(dt_run_trace(g_ptr_array_index(runs, r), t)))
                g_ptr_array_add(traces, g_ptr_array_index(all, next++));
        g_ptr_array_add(observed, traces);
    }
    return observed;
}
