/*
 * Sequences, walked without unfolding what repeats.
 */
#include "verdict/observed/sequence.h"

#include <string.h>

#include "verdict/observed/calls.h"

/* ---- the alphabet ------------------------------------------------------------------------- */

DtAlphabet *dt_alphabet_new(void)
{
    DtAlphabet *alphabet = g_new0(DtAlphabet, 1);
    alphabet->symbols = g_array_new(FALSE, FALSE, sizeof(DtCallSymbol));
    alphabet->function_bodies = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
    alphabet->bodies = dt_loop_table_new();
    return alphabet;
}

void dt_alphabet_free(DtAlphabet *alphabet)
{
    if (!alphabet)
        return;
    g_array_unref(alphabet->symbols);
    g_hash_table_unref(alphabet->function_bodies);
    dt_loop_table_free(alphabet->bodies);
    g_free(alphabet->library_calls);
    g_free(alphabet);
}

static guint64 mix_into_hash(guint64 hash, guint64 value)
{
    hash = (hash ^ value) * G_GUINT64_CONSTANT(0xff51afd7ed558ccd);
    return hash ^ hash >> 32;
}

guint64 dt_body_signature(guint32 function, const guint32 *callees, guint count)
{
    /* From something else than 0, which mixed with 0 would stay so. */
    guint64 signature = mix_into_hash(mix_into_hash(G_GUINT64_CONSTANT(0x9e3779b97f4a7c15), count), function);
    for (guint i = 0; i < count; i++)
        signature = mix_into_hash(signature, callees[i]);
    return signature;
}

/* Of one iteration, if the element is a loop. */
static guint64 library_calls_of(const DtAlphabet *alphabet, DtElement element)
{
    if (dt_element_is_loop(element))
        return alphabet->library_calls[dt_element_body(element)];
    return (dt_alphabet_symbol(alphabet, dt_element_symbol(element))->kind & DT_KIND_LIBRARY) ? 1 : 0;
}

static guint64 iterations(DtElement element)
{
    return dt_element_is_loop(element) ? dt_element_count(element) : 1;
}

void dt_alphabet_complete(DtAlphabet *alphabet)
{
    guint32 count = dt_loop_table_count(alphabet->bodies);
    g_free(alphabet->library_calls);
    alphabet->library_calls = g_new0(guint64, (gsize)count + 1);
    /* The bodies in a body have lower numbers than it. */
    for (guint32 body = 0; body < count; body++) {
        DtElements elements = dt_loop_table_body(alphabet->bodies, body);
        for (gsize i = 0; i < elements.length; i++)
            alphabet->library_calls[body] +=
                iterations(elements.elements[i]) * library_calls_of(alphabet, elements.elements[i]);
    }
}

/* Of one iteration. */
static guint64 symbols_of(const DtAlphabet *alphabet, DtElement element)
{
    return dt_element_is_loop(element) ? dt_loop_table_body_symbols(alphabet->bodies, dt_element_body(element)) : 1;
}

/* ---- a position ------------------------------------------------------------------------------ */

gboolean dt_sequence_equal(const DtSequence *a, const DtSequence *b)
{
    DtElements left = dt_nlr_elements(a->nlr), right = dt_nlr_elements(b->nlr);
    return left.length == right.length &&
           (left.length == 0 || memcmp(left.elements, right.elements, left.length * sizeof(DtElement)) == 0);
}

/* Goes down to the symbol at `position`; returns the library calls before it. At the end of the sequence *symbol stays
 * as it is. */
static guint64 descend_into_loop(const DtSequence *sequence, guint64 position, guint32 *symbol)
{
    const DtAlphabet *alphabet = sequence->alphabet;
    DtElements elements = dt_nlr_elements(sequence->nlr);
    guint64 library = 0;
    for (gsize i = 0; i < elements.length; i++) {
        DtElement element = elements.elements[i];
        guint64 symbols = symbols_of(alphabet, element), times = MIN(iterations(element), position / symbols);
        library += times * library_calls_of(alphabet, element);
        position -= times * symbols;
        if (times == iterations(element))
            continue;
        if (!dt_element_is_loop(element)) {
            *symbol = dt_element_symbol(element);
            break;
        }
        elements = dt_loop_table_body(alphabet->bodies, dt_element_body(element));
        i = (gsize)-1;
    }
    return library;
}

guint32 dt_sequence_at(const DtSequence *sequence, guint64 position)
{
    guint32 symbol = 0;
    descend_into_loop(sequence, position, &symbol);
    return symbol;
}

guint64 dt_sequence_library_calls(const DtSequence *sequence, guint64 position)
{
    guint32 symbol = 0;
    return descend_into_loop(sequence, position, &symbol);
}

/* ---- a part of it ------------------------------------------------------------------------------- */

static void push_elements(const DtAlphabet *alphabet, DtNlrFolder *folder, DtElements elements, guint64 length);

/* So many symbols of the loop: one iteration, which repeats, and what is begun. */
static void push_loop(const DtAlphabet *alphabet, DtNlrFolder *folder, DtElement loop, guint64 length)
{
    const DtElements body = dt_loop_table_body(alphabet->bodies, dt_element_body(loop));
    const guint64 period = symbols_of(alphabet, loop), times = length / period;
    const gboolean repeats = period <= DT_NLR_MAX_PERIOD;
    for (guint64 i = 0; i < (repeats ? MIN(times, 1) : times); i++)
        push_elements(alphabet, folder, body, period);
    if (repeats && times > 1)
        dt_nlr_folder_repeat(folder, (gsize)period, times - 1);
    push_elements(alphabet, folder, body, length - times * period);
}

static void push_elements(const DtAlphabet *alphabet, DtNlrFolder *folder, DtElements elements, guint64 length)
{
    for (gsize i = 0; length > 0 && i < elements.length; i++) {
        const DtElement element = elements.elements[i];
        const guint64 symbols = MIN(length, symbols_of(alphabet, element) * iterations(element));
        const guint32 symbol = dt_element_is_loop(element) ? 0 : dt_element_symbol(element);
        if (dt_element_is_loop(element))
            push_loop(alphabet, folder, element, symbols);
        else
            dt_nlr_folder_push(folder, &symbol, 1);
        length -= symbols;
    }
}

DtSequence dt_sequence_first(const DtSequence *sequence, guint64 length, DtNlrFolder *folder)
{
    push_elements(sequence->alphabet, folder, dt_nlr_elements(sequence->nlr), length);
    return (DtSequence){sequence->alphabet, dt_nlr_folder_finish(folder, sequence->alphabet->bodies)};
}

/* ---- two sequences in step ---------------------------------------------------------------------- */

/* A place between two symbols of a sequence. */
typedef struct {
    DtElements elements;
    gsize next;
    guint32 done; /* iterations of the next element that are behind */
} Level;

typedef struct {
    const DtAlphabet *alphabet;
    GArray *levels; /* (element-type Level) innermost last */
} Cursor;

static void enter_elements(Cursor *cursor, DtElements elements)
{
    Level level = {elements, 0, 0};
    g_array_append_val(cursor->levels, level);
}

static Cursor cursor_at_start(const DtSequence *sequence)
{
    Cursor cursor = {sequence->alphabet, g_array_new(FALSE, FALSE, sizeof(Level))};
    enter_elements(&cursor, dt_nlr_elements(sequence->nlr));
    return cursor;
}

/* What comes next, a loop with the iterations that are left; FALSE at the end. */
static gboolean peek_element(Cursor *cursor, DtElement *element)
{
    while (cursor->levels->len > 0) {
        const Level *level = &g_array_index(cursor->levels, Level, cursor->levels->len - 1);
        if (level->next < level->elements.length) {
            *element = level->elements.elements[level->next];
            if (dt_element_is_loop(*element))
                *element = dt_element_loop(dt_element_body(*element), dt_element_count(*element) - level->done);
            return TRUE;
        }
        g_array_set_size(cursor->levels, cursor->levels->len - 1);
    }
    return FALSE;
}

/* Goes over iterations of the loop that comes next, or over the symbol. */
static void pass_iterations(Cursor *cursor, guint32 times)
{
    Level *level = &g_array_index(cursor->levels, Level, cursor->levels->len - 1);
    DtElement element = level->elements.elements[level->next];
    level->done += times;
    if (level->done == iterations(element)) {
        level->next++;
        level->done = 0;
    }
}

/* Goes into the next iteration of the loop that comes next. */
static void enter_loop(Cursor *cursor, DtElement loop)
{
    pass_iterations(cursor, 1);
    enter_elements(cursor, dt_loop_table_body(cursor->alphabet->bodies, dt_element_body(loop)));
}

/* Of two different elements, goes into that with the longer body; FALSE if they are two symbols. */
static gboolean unfold_longer(Cursor *a, DtElement left, Cursor *b, DtElement right)
{
    if (!dt_element_is_loop(left) && !dt_element_is_loop(right))
        return FALSE;
    if (dt_element_is_loop(left) && symbols_of(a->alphabet, left) >= symbols_of(b->alphabet, right))
        enter_loop(a, left);
    else
        enter_loop(b, right);
    return TRUE;
}

guint64 dt_sequence_common_prefix(const DtSequence *a, const DtSequence *b)
{
    if (a->nlr == b->nlr)
        return dt_sequence_length(a);
    Cursor first = cursor_at_start(a), second = cursor_at_start(b);
    DtElement left, right;
    guint64 length = 0;
    while (peek_element(&first, &left) && peek_element(&second, &right)) {
        gboolean loops = dt_element_is_loop(left) && dt_element_is_loop(right);
        if (loops ? dt_element_body(left) == dt_element_body(right) : left == right) {
            guint32 times = (guint32)MIN(iterations(left), iterations(right));
            length += times * symbols_of(a->alphabet, left);
            pass_iterations(&first, times);
            pass_iterations(&second, times);
        } else if (!unfold_longer(&first, left, &second, right)) {
            break;
        }
    }
    g_array_unref(first.levels);
    g_array_unref(second.levels);
    return length;
}

/* ---- grams ------------------------------------------------------------------------------------------ */

/* The first symbol of an element, or the last one. */
static guint32 edge_symbol(const DtAlphabet *alphabet, DtElement element, gboolean last)
{
    while (dt_element_is_loop(element)) {
        DtElements elements = dt_loop_table_body(alphabet->bodies, dt_element_body(element));
        element = elements.elements[last ? elements.length - 1 : 0];
    }
    return dt_element_symbol(element);
}

/* A gathering of grams: where they first occur, then how often. */
typedef struct {
    const DtAlphabet *alphabet;
    DtGramMap *grams;
    DtGramMap *bodies;         /* by number + 1: count = iterations of it in the whole sequence */
    guint64 position, library; /* symbols, and library calls, so far */
    gboolean has_last;
    guint32 last; /* symbol so far */
} Gathering;

static void see_gram(Gathering *gathering, guint64 key)
{
    guint known = gathering->grams->grams->len;
    DtGram *gram = dt_gram_map_get(gathering->grams, key);
    if (gathering->grams->grams->len > known) {
        gram->position = gathering->position;
        gram->step = gathering->library;
    }
}

/* `symbol` comes next: alone, and after the last one. */
static void see_next(Gathering *gathering, guint32 symbol)
{
    see_gram(gathering, dt_gram_single(symbol));
    if (gathering->has_last)
        see_gram(gathering, dt_gram_pair(gathering->last, symbol));
}

static void see_elements(Gathering *gathering, DtElements elements);

/* Of a body only its first iteration can have anything new, but for what joins it to the next one. */
static void see_loop(Gathering *gathering, DtElement loop)
{
    const DtAlphabet *alphabet = gathering->alphabet;
    guint32 body = dt_element_body(loop), first = edge_symbol(alphabet, loop, FALSE);
    guint64 position = gathering->position, library = gathering->library;
    if (dt_gram_map_find(gathering->bodies, (guint64)body + 1)) {
        see_next(gathering, first);
    } else {
        dt_gram_map_get(gathering->bodies, (guint64)body + 1);
        see_elements(gathering, dt_loop_table_body(alphabet->bodies, body));
    }
    gathering->has_last = TRUE;
    gathering->last = edge_symbol(alphabet, loop, TRUE);
    gathering->position = position + symbols_of(alphabet, loop);
    gathering->library = library + library_calls_of(alphabet, loop);
    see_next(gathering, first);
    gathering->position = position + iterations(loop) * symbols_of(alphabet, loop);
    gathering->library = library + iterations(loop) * library_calls_of(alphabet, loop);
}

/* Loops are nested at most log2 of the symbols deep. */
static void see_elements(Gathering *gathering, DtElements elements)
{
    for (gsize i = 0; i < elements.length; i++) {
        if (dt_element_is_loop(elements.elements[i])) {
            see_loop(gathering, elements.elements[i]);
            continue;
        }
        guint32 symbol = dt_element_symbol(elements.elements[i]);
        see_next(gathering, symbol);
        gathering->has_last = TRUE;
        gathering->last = symbol;
        gathering->position++;
        gathering->library += library_calls_of(gathering->alphabet, elements.elements[i]);
    }
}

static void count_gram(Gathering *gathering, guint64 key, guint64 times)
{
    dt_gram_map_get(gathering->grams, key)->count += times;
}

/* What elements, gone through `times` times, bring but for what is inside of its loops. */
static void count_elements(Gathering *gathering, DtElements elements, guint64 times)
{
    const DtAlphabet *alphabet = gathering->alphabet;
    for (gsize i = 0; i < elements.length; i++) {
        DtElement element = elements.elements[i];
        guint32 first = edge_symbol(alphabet, element, FALSE);
        if (i > 0)
            count_gram(gathering, dt_gram_pair(edge_symbol(alphabet, elements.elements[i - 1], TRUE), first), times);
        if (!dt_element_is_loop(element)) {
            count_gram(gathering, dt_gram_single(first), times);
            continue;
        }
        count_gram(gathering, dt_gram_pair(edge_symbol(alphabet, element, TRUE), first),
                   times * (iterations(element) - 1));
        dt_gram_map_get(gathering->bodies, (guint64)dt_element_body(element) + 1)->count += times * iterations(element);
    }
}

static gint compare_keys(gconstpointer a, gconstpointer b)
{
    guint64 first = *(const guint64 *)a, second = *(const guint64 *)b;
    return first < second ? -1 : first > second;
}

static void count_all(Gathering *gathering, DtElements elements)
{
    guint bodies = gathering->bodies->grams->len;
    g_autofree guint64 *keys = g_new(guint64, (gsize)bodies + 1);
    for (guint i = 0; i < bodies; i++)
        keys[i] = dt_gram_map_at(gathering->bodies, i)->key;
    qsort(keys, bodies, sizeof *keys, compare_keys);
    count_elements(gathering, elements, 1);
    /* From the outermost in: the bodies in a body have lower numbers than it. */
    for (guint i = bodies; i > 0; --i)
        count_elements(gathering, dt_loop_table_body(gathering->alphabet->bodies, (guint32)(keys[i - 1] - 1)),
                       dt_gram_map_find(gathering->bodies, keys[i - 1])->count);
}

DtGramMap *dt_sequence_grams(const DtSequence *sequence)
{
    g_autoptr(DtGramMap) bodies = dt_gram_map_new();
    Gathering gathering = {.alphabet = sequence->alphabet, .grams = dt_gram_map_new(), .bodies = bodies};
    DtElements elements = dt_nlr_elements(sequence->nlr);
    see_elements(&gathering, elements);
    count_all(&gathering, elements);
    return gathering.grams;
}
