/*
 * Follows the calls of a trace: which of them count, what the bodies of functions are, and the two sequences of
 * symbols, which go to their folders as soon as it is certain that they stay. What repeats is followed until it changes
 * nothing.
 */
#include "verdict/observed/observer.h"

#include <string.h>

enum {
    BATCH_SYMBOLS = 1024,
    FOLDED_ELEMENTS = 1000, /* longest body that is looked for */
    SIGNATURE_CALLS = 24,   /* longer bodies have no signature */
    SIGNATURE_ROOM = 28,    /* before its repeats are collapsed */
    SIGNATURE_PERIOD = 4,
    ACT_CALLS = 48,      /* longer acts are not kept */
    DISTINCT_ACTS = 4096 /* nor more of them, of one trace */
};

typedef struct {
    guint32 function;
    gboolean is_library; /* it is a call of MPI, or one that manages memory, or inside one */
    gboolean too_long;   /* no signature */
    gboolean counts;     /* it is an entry, and a callee of its caller */
    gboolean polled;     /* it, or a call of it that did nothing else, polled */
    gboolean long_act;   /* too long for an act */
    guint first_callee;  /* index into DtObserver.callees */
    guint first_of_act;  /* index into DtObserver.act_callees */
    guint32 last_callee; /* 0: none yet */
    guint64 first_entry; /* entries before its own */
} Frame;

typedef struct {
    guint32 symbol;
    gboolean library;
} Entry;

/* A sequence of symbols on its way to the folder. */
typedef struct {
    DtNlrFolder *folder;
    guint32 symbols[BATCH_SYMBOLS];
    gsize count;
    guint64 length; /* all that came so far */
} GrowingSequence;

struct DtObserver {
    DtSymbolTable *table;
    const guint16 *kinds;
    DtGramMap *known; /* of the table, what was asked for so far */
    GrowingSequence sequences[DT_SEQUENCES];

    DtObservation *observation;
    GArray *frames;        /* (element-type Frame) */
    GArray *callees;       /* direct callees of the open frames, innermost last (element-type guint32) */
    GArray *act_callees;   /* the same with all repeats */
    GArray *acts_noted;    /* indices of acts, since a batch began anew (element-type guint) */
    GArray *steps_noted;   /* likewise of steps */
    GArray *pending;       /* entries of open frames, which may yet have been nothing but polls (element-type Entry) */
    guint64 library_calls; /* so far */
    gboolean places_are_luck; /* of requests */
};

static void start_trace(DtObserver *observer)
{
    observer->observation = g_new0(DtObservation, 1);
    observer->observation->bodies = dt_gram_map_new();
    observer->observation->acts = dt_gram_map_new();
    observer->observation->steps = dt_gram_map_new();
    observer->observation->open = g_array_new(FALSE, FALSE, sizeof(guint32));
    observer->observation->askers = g_array_new(FALSE, FALSE, sizeof(guint32));
    observer->library_calls = 0;
    observer->places_are_luck = FALSE;
}

DtObserver *dt_observer_new(DtSymbolTable *symbols)
{
    DtObserver *observer = g_new0(DtObserver, 1);
    observer->table = symbols;
    observer->kinds = symbols->kinds;
    observer->known = dt_gram_map_new();
    for (guint kind = 0; kind < DT_SEQUENCES; kind++)
        observer->sequences[kind].folder = dt_nlr_folder_new(FOLDED_ELEMENTS, DT_NLR_DEFAULT_MIN_REPEAT);
    observer->frames = g_array_new(FALSE, FALSE, sizeof(Frame));
    observer->callees = g_array_new(FALSE, FALSE, sizeof(guint32));
    observer->act_callees = g_array_new(FALSE, FALSE, sizeof(guint32));
    observer->acts_noted = g_array_new(FALSE, FALSE, sizeof(guint));
    observer->steps_noted = g_array_new(FALSE, FALSE, sizeof(guint));
    observer->pending = g_array_new(FALSE, FALSE, sizeof(Entry));
    start_trace(observer);
    return observer;
}

void dt_observer_free(DtObserver *observer)
{
    if (!observer)
        return;
    dt_gram_map_free(observer->known);
    for (guint kind = 0; kind < DT_SEQUENCES; kind++)
        dt_nlr_folder_free(observer->sequences[kind].folder);
    dt_observation_free(observer->observation);
    g_array_unref(observer->frames);
    g_array_unref(observer->callees);
    g_array_unref(observer->act_callees);
    g_array_unref(observer->acts_noted);
    g_array_unref(observer->steps_noted);
    g_array_unref(observer->pending);
    g_free(observer);
}

void dt_observation_free(DtObservation *observation)
{
    if (!observation)
        return;
    dt_nlr_free(observation->entries.nlr);
    dt_nlr_free(observation->library.nlr);
    dt_gram_map_free(observation->grams);
    dt_gram_map_free(observation->bodies);
    dt_gram_map_free(observation->acts);
    dt_gram_map_free(observation->steps);
    g_array_unref(observation->open);
    g_array_unref(observation->askers);
    g_free(observation->problem);
    g_free(observation);
}

static Frame *innermost(DtObserver *observer)
{
    guint depth = observer->frames->len;
    return depth > 0 ? &g_array_index(observer->frames, Frame, depth - 1) : NULL;
}

/* ---- entries -------------------------------------------------------------------------------- */

static guint64 entry_count(const DtObserver *observer)
{
    return observer->sequences[DT_SEQUENCE_ALL].length + observer->pending->len;
}

static guint32 shared_symbol(DtSymbolTable *table, guint64 pair)
{
    guint32 symbol;
#pragma omp critical(symbol_table)
    {
        DtGram *gram = dt_gram_map_get(table->known, pair);
        if (gram->count++ == 0) {
            DtCallSymbol added = {(guint32)(pair >> 32), (guint32)pair, table->kinds[(guint32)pair]};
            gram->position = table->alphabet->symbols->len;
            g_array_append_val(table->alphabet->symbols, added);
        }
        symbol = (guint32)gram->position;
    }
    return symbol;
}

static guint32 symbol_of(DtObserver *observer, guint32 caller, guint32 callee)
{
    guint64 pair = (guint64)caller << 32 | callee;
    DtGram *gram = dt_gram_map_get(observer->known, pair);
    if (gram->count++ == 0)
        gram->position = shared_symbol(observer->table, pair);
    return (guint32)gram->position;
}

static void fold_batch(GrowingSequence *sequence)
{
    dt_nlr_folder_push(sequence->folder, sequence->symbols, sequence->count);
    sequence->count = 0;
}

static void append_symbol(GrowingSequence *sequence, guint32 symbol)
{
    if (sequence->count == BATCH_SYMBOLS)
        fold_batch(sequence);
    sequence->symbols[sequence->count++] = symbol;
    sequence->length++;
}

/* What was entered so far stays. */
static void settle_entries(DtObserver *observer)
{
    for (guint i = 0; i < observer->pending->len; i++) {
        const Entry *entry = &g_array_index(observer->pending, Entry, i);
        append_symbol(&observer->sequences[DT_SEQUENCE_ALL], entry->symbol);
        if (entry->library)
            append_symbol(&observer->sequences[DT_SEQUENCE_LIBRARY], entry->symbol);
    }
    g_array_set_size(observer->pending, 0);
}

/* The frame's own entry, the latest, goes. */
static void take_back(DtObserver *observer)
{
    g_array_set_size(observer->pending, observer->pending->len - 1);
}

static void note_entry(DtObserver *observer, const Frame *caller, guint32 function)
{
    Entry entry = {symbol_of(observer, caller ? caller->function : 0, function),
                   (observer->kinds[function] & DT_KIND_LIBRARY) != 0};
    g_array_append_val(observer->pending, entry);
    observer->library_calls += entry.library ? 1 : 0;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Two equal sequences of up to SIGNATURE_PERIOD callees at the end become one. */
static void collapse_repeat(GArray *callees, guint first)
{
    const guint32 *calls = (const guint32 *)(const void *)callees->data;
    guint end = callees->len;
    for (guint period = 1; period <= SIGNATURE_PERIOD && end - first >= 2 * period; period++) {
        guint equal = 0;
        while (equal < period && calls[end - 1 - equal] == calls[end - 1 - equal - period])
            ++equal;
        if (equal == period) {
            g_array_set_size(callees, end - period);
            return;
        }
    }
}

void dt_share_body(DtAlphabet *alphabet, guint64 signature, guint32 function, const guint32 *callees, guint count)
{
#pragma omp critical(symbol_table)
    if (!dt_alphabet_function_body(alphabet, signature)) {
        DtFunctionBody *body = g_malloc0(sizeof(DtFunctionBody) + count * sizeof(guint32));
        body->signature = signature;
        body->function = function;
        body->count = count;
        if (count > 0)
            memcpy(body->callees, callees, count * sizeof(guint32));
        g_hash_table_insert(alphabet->function_bodies, &body->signature, body);
    }
}

/* The body of these callees in a map: its count is how often it came before. */
static DtGram *body_in(DtObserver *observer, DtGramMap *bodies, guint32 function, const guint32 *calls, guint count)
{
    const guint64 signature = dt_body_signature(function, calls, count);
    DtGram *body = dt_gram_map_get(bodies, signature);
    if (body->count == 0) {
        body->position = entry_count(observer);
        body->step = observer->library_calls;
        dt_share_body(observer->table->alphabet, signature, function, calls, count);
    }
    return body;
}

/* What stands from `first` on. */
static const guint32 *calls_from(const GArray *callees, guint first)
{
    return (const guint32 *)(const void *)callees->data + first;
}

/* `next` 0: the function returns. */
static void note_step(DtObserver *observer, Frame *frame, guint32 next)
{
    DtGramMap *steps = observer->observation->steps;
    if (observer->kinds[frame->function] & DT_KIND_LIBRARY)
        return;
    const guint32 callees[2] = {frame->last_callee, next};
    DtGram *step = body_in(observer, steps, frame->function, callees, 2);
    guint index = (guint)(step - &g_array_index(steps->grams, DtGram, 0));
    step->count++;
    frame->last_callee = next;
    g_array_append_val(observer->steps_noted, index);
}

static void add_to_act(DtObserver *observer, Frame *caller, guint32 function)
{
    caller->long_act = caller->long_act || observer->act_callees->len - caller->first_of_act == ACT_CALLS;
    if (!caller->long_act)
        g_array_append_val(observer->act_callees, function);
}

static void note_callee(DtObserver *observer, Frame *caller, guint32 function)
{
    add_to_act(observer, caller, function);
    note_step(observer, caller, function);
    if (caller->too_long)
        return;
    g_array_append_val(observer->callees, function);
    collapse_repeat(observer->callees, caller->first_callee);
    caller->too_long = observer->callees->len - caller->first_callee > SIGNATURE_ROOM;
}

static void note_act(DtObserver *observer, const Frame *frame)
{
    DtGramMap *acts = observer->observation->acts;
    if (frame->long_act || acts->grams->len >= DISTINCT_ACTS)
        return;
    DtGram *act = body_in(observer, acts, frame->function, calls_from(observer->act_callees, frame->first_of_act),
                          observer->act_callees->len - frame->first_of_act);
    guint index = (guint)(act - &g_array_index(acts->grams, DtGram, 0));
    act->count++;
    g_array_append_val(observer->acts_noted, index);
}

static void note_body(DtObserver *observer, Frame *frame)
{
    const guint count = observer->callees->len - frame->first_callee;
    note_act(observer, frame);
    note_step(observer, frame, 0);
    if (!frame->too_long && count <= SIGNATURE_CALLS)
        body_in(observer, observer->observation->bodies, frame->function,
                calls_from(observer->callees, frame->first_callee), count)
            ->count = 1;
}

/* ---- calls ------------------------------------------------------------------------------------ */

/* What a call counts as: where the places of requests are luck, who tells them tells none. */
static guint32 place_requests(DtObserver *observer, guint32 function)
{
    if (!observer->table->places)
        return function;
    const DtRequestPlaces *places = &observer->table->places[function];
    const guint32 result = observer->places_are_luck ? places->placeless : function;
    if (places->after != DT_PLACES_STAY)
        observer->places_are_luck = places->after == DT_PLACES_ARE_LUCK;
    return result;
}

static void note_asker(GArray *askers, guint32 function)
{
    for (guint i = 0; i < askers->len; i++)
        if (g_array_index(askers, guint32, i) == function)
            return;
    g_array_append_val(askers, function);
}

static void note_luck(DtObservation *observation, guint kind, const Frame *caller)
{
    if (kind & DT_KIND_RECEIVING)
        observation->luck |= DT_LUCK_RECEIVES;
    if (kind & DT_KIND_LOCKING)
        observation->luck |= DT_LUCK_LOCKS;
    if (kind & DT_KIND_SENDING && observation->luck & DT_LUCK_ASKS)
        observation->luck |= DT_LUCK_PASSED_ON;
    if (kind & DT_KIND_LUCKY) {
        observation->luck |= DT_LUCK_ASKS;
        note_asker(observation->askers, caller ? caller->function : 0);
    }
}

static void enter_call(DtObserver *observer, guint32 called)
{
    const guint32 function = place_requests(observer, called);
    Frame *caller = innermost(observer);
    guint kind = observer->kinds[function];
    gboolean hidden = caller && (caller->is_library || (observer->kinds[caller->function] & DT_KIND_POLLING));
    Frame frame = {.function = function,
                   .is_library = hidden || (kind & (DT_KIND_MPI | DT_KIND_MEMORY)) != 0,
                   .polled = (kind & DT_KIND_POLLING) != 0,
                   .first_entry = entry_count(observer)};
    if (!hidden) {
        observer->observation->last_entry = function;
        note_luck(observer->observation, observer->kinds[called], caller);
    }
    frame.counts = (!hidden && !frame.polled) || (kind & DT_KIND_ENDING);
    frame.first_callee = observer->callees->len;
    frame.first_of_act = observer->act_callees->len;
    if (frame.counts)
        note_entry(observer, caller, function);
    g_array_append_val(observer->frames, frame);
}

/* It made polls and no other call: as if it had not been called. */
static gboolean only_polled(const DtObserver *observer, const Frame *frame)
{
    return frame->counts && frame->polled && entry_count(observer) == frame->first_entry + 1 &&
           !(observer->kinds[frame->function] & DT_KIND_ENDING);
}

static void leave_call(DtObserver *observer)
{
    Frame *frame = innermost(observer);
    if (!frame)
        return;
    gboolean polls_only = only_polled(observer, frame);
    if (polls_only)
        take_back(observer);
    else if (!frame->is_library && !(observer->kinds[frame->function] & DT_KIND_LIBRARY))
        note_body(observer, frame);
    const Frame left = *frame;
    if (left.counts && !polls_only)
        settle_entries(observer);
    g_array_set_size(observer->callees, left.first_callee);
    g_array_set_size(observer->act_callees, left.first_of_act);
    g_array_set_size(observer->frames, observer->frames->len - 1);
    Frame *caller = innermost(observer);
    if (!caller)
        return;
    caller->polled |= polls_only || (left.polled && !left.counts);
    if (left.counts && !polls_only)
        note_callee(observer, caller, left.function);
}

static void follow_events(DtObserver *observer, const guint32 *events, gsize count)
{
    for (gsize i = 0; i < count; i++) {
        if (events[i] == DT_EVENT_RETURN)
            leave_call(observer);
        else
            enter_call(observer, events[i]);
    }
}

/* ---- what repeats -------------------------------------------------------------------------------- */

/* All that what comes next depends on, between two times of a batch whose calls are whole: the frames are the same. */
typedef struct {
    guint pending, callees, luck, askers;
    gboolean polled, too_long, places_are_luck;
    guint32 last_callee;
    guint32 of_innermost[SIGNATURE_ROOM + 1];     /* its callees so far */
    guint64 lengths[DT_SEQUENCES], library_calls; /* these only grow */
} State;

static State state_of(DtObserver *observer)
{
    const Frame *frame = innermost(observer);
    State state = {.pending = observer->pending->len,
                   .luck = observer->observation->luck,
                   .askers = observer->observation->askers->len,
                   .places_are_luck = observer->places_are_luck,
                   .library_calls = observer->library_calls};
    for (guint kind = 0; kind < DT_SEQUENCES; kind++)
        state.lengths[kind] = observer->sequences[kind].length;
    if (!frame)
        return state;
    state.polled = frame->polled;
    state.too_long = frame->too_long;
    state.last_callee = frame->last_callee;
    for (guint i = frame->first_callee; i < observer->callees->len; i++)
        state.of_innermost[state.callees++] = g_array_index(observer->callees, guint32, i);
    return state;
}

static gboolean same_state(const State *a, const State *b)
{
    return a->pending == b->pending && a->callees == b->callees && a->luck == b->luck && a->askers == b->askers &&
           a->polled == b->polled && a->too_long == b->too_long && a->places_are_luck == b->places_are_luck &&
           a->last_callee == b->last_callee && memcmp(a->of_innermost, b->of_innermost, sizeof a->of_innermost) == 0;
}

/* The latest `period` symbols of a sequence come `times` more. */
static void repeat_symbols(GrowingSequence *sequence, guint64 period, guint64 times)
{
    fold_batch(sequence);
    if (period > 0)
        dt_nlr_folder_repeat(sequence->folder, (gsize)period, times);
    sequence->length += period * times;
}

static void count_again(DtGramMap *map, const GArray *indices, guint64 times)
{
    for (guint i = 0; i < indices->len; i++)
        g_array_index(map->grams, DtGram, g_array_index(indices, guint, i)).count += times;
}

/* What the innermost function called and what it had done in one time of a batch, `times` more. `called`: before it. */
static void repeat_acts(DtObserver *observer, guint called, guint64 times)
{
    Frame *frame = innermost(observer);
    const guint end = observer->act_callees->len;
    for (guint64 time = 0; frame && end > called && time < times && !frame->long_act; time++) {
        for (guint i = called; i < end; i++)
            add_to_act(observer, frame, g_array_index(observer->act_callees, guint32, i));
    }
    count_again(observer->observation->acts, observer->acts_noted, times);
    count_again(observer->observation->steps, observer->steps_noted, times);
}

/* Follows a batch until one more time changes nothing but lengths; the others are as that one. */
void dt_observer_follow(DtObserver *observer, const DtEventBatch *batch)
{
    for (guint64 left = batch->times; left > 0;) {
        const State before = batch->times > 1 ? state_of(observer) : (State){0};
        const guint called = observer->act_callees->len;
        g_array_set_size(observer->acts_noted, 0);
        g_array_set_size(observer->steps_noted, 0);
        follow_events(observer, batch->events, batch->count);
        if (--left == 0)
            break;
        const State after = state_of(observer);
        if (!same_state(&before, &after))
            continue;
        for (guint kind = 0; kind < DT_SEQUENCES; kind++)
            repeat_symbols(&observer->sequences[kind], after.lengths[kind] - before.lengths[kind], left);
        observer->library_calls += (after.library_calls - before.library_calls) * left;
        repeat_acts(observer, called, left);
        break;
    }
}

/* ---- the end ------------------------------------------------------------------------------------ */

/* Who was interrupted while it polled has not called what it polls in. */
static void forget_open_polls(DtObserver *observer)
{
    gboolean polled = FALSE;
    for (guint i = observer->frames->len; i > 0; --i) {
        Frame *frame = &g_array_index(observer->frames, Frame, i - 1);
        frame->polled |= polled;
        if (frame->counts && !only_polled(observer, frame))
            return;
        if (frame->counts)
            take_back(observer);
        polled = frame->polled;
    }
}

static void keep_open_calls(DtObserver *observer)
{
    for (guint i = 0; i < observer->frames->len; i++)
        g_array_append_val(observer->observation->open, g_array_index(observer->frames, Frame, i).function);
}

static DtSequence finish_sequence(DtObserver *observer, DtSequenceKind kind)
{
    GrowingSequence *sequence = &observer->sequences[kind];
    fold_batch(sequence);
    sequence->length = 0;
    DtAlphabet *alphabet = observer->table->alphabet;
    return (DtSequence){alphabet, dt_nlr_folder_finish(sequence->folder, alphabet->bodies)};
}

DtObservation *dt_observer_finish(DtObserver *observer)
{
    forget_open_polls(observer);
    settle_entries(observer);
    keep_open_calls(observer);
    DtObservation *observation = g_steal_pointer(&observer->observation);
    observation->entries = finish_sequence(observer, DT_SEQUENCE_ALL);
    observation->library = finish_sequence(observer, DT_SEQUENCE_LIBRARY);
    g_array_set_size(observer->frames, 0);
    g_array_set_size(observer->callees, 0);
    g_array_set_size(observer->act_callees, 0);
    start_trace(observer);
    return observation;
}
