/*
 * The count-blind NLR: inner trip counts are kept aside, so that bodies are equal whatever they are
 * (docs/algorithms/nlr.md). Level by level: the innermost loops of the folded sequence become single symbols, their
 * counts go to the records of their bodies, and the sequence of these is folded again.
 */
#include "nlr/count_record.h"
#include "nlr/fold.h"
#include "nlr/loop_table.h"
#include "nlr/sequence.h"

/* A symbol that stands for all iterations of a body: the body's id with this bit. No function's id has it. */
#define RUN 0x40000000u

/* Iterations that have come by and may be followed by more. */
typedef struct {
    gboolean there;
    guint32 body;
    guint64 count;
    gsize matched; /* symbols of an iteration that is not complete */
} Pending;

typedef struct {
    const DtLoopTable *from; /* bodies of the level at hand */
    DtLoopTable *bodies;     /* those found, with inner loops of no count */
    GPtrArray *records;      /* of their counts (element-type DtCountRecord) */
    GPtrArray *symbols;      /* of their iterations (element-type GArray of guint32) */
    guint32 earlier;         /* bodies found on earlier levels */
    DtNlrFolder *folder;     /* of the next level */
    guint64 emitted;         /* symbols that went there */
    Pending pending;
} Blinding;

/* ---- the next level's symbols ----------------------------------------------------------- */

static void emit_symbol(Blinding *blinding, guint32 symbol)
{
    dt_nlr_folder_push(blinding->folder, &symbol, 1);
    blinding->emitted++;
}

static const GArray *symbols_of(const Blinding *blinding, guint32 body)
{
    return blinding->symbols->pdata[body];
}

/* Counts are 32 bits wide: more are several runs. */
static void flush_symbols(Blinding *blinding)
{
    Pending pending = blinding->pending;
    blinding->pending.there = FALSE;
    for (guint64 left = pending.there ? pending.count : 0; left > 0; left -= MIN(left, G_MAXUINT32)) {
        dt_count_record_add(blinding->records->pdata[pending.body], (guint32)MIN(left, G_MAXUINT32));
        emit_symbol(blinding, RUN | pending.body);
    }
    for (gsize i = 0; pending.there && i < pending.matched; i++)
        emit_symbol(blinding, g_array_index(symbols_of(blinding, pending.body), guint32, i));
}

static void take_symbol(Blinding *blinding, guint32 symbol)
{
    Pending *pending = &blinding->pending;
    const GArray *body = pending->there ? symbols_of(blinding, pending->body) : NULL;
    if (!body || g_array_index(body, guint32, pending->matched) != symbol) {
        flush_symbols(blinding);
        emit_symbol(blinding, symbol);
        return;
    }
    if (++pending->matched == body->len) {
        pending->matched = 0;
        pending->count++;
    }
}

static DtElement element_of(guint32 symbol)
{
    return (symbol & RUN) != 0 && (symbol & DT_SYMBOL_RETURN) == 0 ? dt_element_loop(symbol & ~RUN, 0) : symbol;
}

static guint32 find_body(Blinding *blinding, DtElements elements)
{
    g_autofree DtElement *blind = g_new(DtElement, elements.length);
    for (gsize i = 0; i < elements.length; i++)
        blind[i] = element_of(dt_element_symbol(elements.elements[i]));
    guint32 known = dt_loop_table_count(blinding->bodies), copy = 0, body;
    guint64 hash = dt_sequence_hash(blind, elements.length);
    /* One that comes up again on a later level has counts of its own, which do not stand between the others. */
    do
        body = dt_loop_table_intern_copy(blinding->bodies, blind, elements.length, hash, copy++);
    while (body < blinding->earlier);
    if (body < known)
        return body;
    GArray *symbols = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (gsize i = 0; i < elements.length; i++) {
        guint32 symbol = dt_element_symbol(elements.elements[i]);
        g_array_append_val(symbols, symbol);
    }
    g_ptr_array_add(blinding->symbols, symbols);
    g_ptr_array_add(blinding->records, dt_count_record_new());
    return body;
}

static void take_innermost(Blinding *blinding, DtElements elements, guint32 count)
{
    Pending *pending = &blinding->pending;
    guint32 body = find_body(blinding, elements);
    if (!pending->there || pending->body != body || pending->matched > 0) {
        flush_symbols(blinding);
        *pending = (Pending){TRUE, body, 0, 0};
    }
    pending->count += count;
}

/* ---- a folded sequence ----------------------------------------------------------------------- */

static gboolean is_innermost(DtElements body)
{
    for (gsize i = 0; i < body.length; i++)
        if (dt_element_is_loop(body.elements[i]))
            return FALSE;
    return TRUE;
}

static void walk_elements(Blinding *blinding, DtElements elements);

static gboolean same_pending(Pending a, Pending b)
{
    return a.there == b.there && (!a.there || (a.body == b.body && a.count == b.count && a.matched == b.matched));
}

/* The lengths of all records (element-type guint64). */
static GArray *record_lengths(const Blinding *blinding)
{
    GArray *lengths = g_array_new(FALSE, FALSE, sizeof(guint64));
    for (guint i = 0; i < blinding->records->len; i++)
        g_array_append_val(lengths, ((const DtCountRecord *)blinding->records->pdata[i])->length);
    return lengths;
}

/* What the iteration since `lengths` and `emitted` gave comes `times` times more. */
static void repeat_latest(Blinding *blinding, const GArray *lengths, guint64 emitted, guint64 times)
{
    for (guint i = 0; i < blinding->records->len; i++) {
        DtCountRecord *record = blinding->records->pdata[i];
        dt_count_record_repeat(record, record->length - g_array_index(lengths, guint64, i), times);
    }
    dt_nlr_folder_repeat(blinding->folder, (gsize)(blinding->emitted - emitted), times);
    blinding->emitted += (blinding->emitted - emitted) * times;
}

/* Once an iteration ends as it began, the following ones give the same. */
static void walk_loop(Blinding *blinding, DtElements body, guint32 count)
{
    walk_elements(blinding, body);
    for (guint32 done = 1; done < count; done++) {
        Pending before = blinding->pending;
        guint64 emitted = blinding->emitted;
        g_autoptr(GArray) lengths = record_lengths(blinding);
        walk_elements(blinding, body);
        gsize given = (gsize)(blinding->emitted - emitted);
        if (same_pending(before, blinding->pending) && given >= 1 && given <= DT_NLR_MAX_PERIOD &&
            lengths->len == blinding->records->len) {
            repeat_latest(blinding, lengths, emitted, count - done - 1);
            return;
        }
    }
}

static void walk_elements(Blinding *blinding, DtElements elements)
{
    for (gsize i = 0; i < elements.length; i++) {
        DtElement element = elements.elements[i];
        if (!dt_element_is_loop(element)) {
            take_symbol(blinding, dt_element_symbol(element));
            continue;
        }
        DtElements body = dt_loop_table_body(blinding->from, dt_element_body(element));
        if (is_innermost(body))
            take_innermost(blinding, body, dt_element_count(element));
        else
            walk_loop(blinding, body, dt_element_count(element));
    }
}

/* ---- levels -------------------------------------------------------------------------------------- */

/* The next level of a folded sequence. */
static DtLooseNlr *next_level(Blinding *blinding, const DtLooseNlr *level)
{
    blinding->from = dt_loose_nlr_bodies(level);
    blinding->earlier = dt_loop_table_count(blinding->bodies);
    walk_elements(blinding, dt_loose_nlr_elements(level));
    flush_symbols(blinding);
    return dt_nlr_folder_finish_loose(blinding->folder);
}

/* Iterations of a run, and of all runs inside it. */
static guint64 count_run(DtCountCursor *const *cursors, const DtLoopTable *bodies, guint32 body, guint64 runs)
{
    guint64 count = dt_count_cursor_advance(cursors[body], runs);
    DtElements elements = dt_loop_table_body(bodies, body);
    for (gsize i = 0; i < elements.length; i++)
        if (dt_element_is_loop(elements.elements[i]))
            count_run(cursors, bodies, dt_element_body(elements.elements[i]), count);
    return count;
}

/* The symbols of the last level as elements; runs at the top get their counts. */
static DtElement *top_elements(const Blinding *blinding, DtElements last, const DtLoopTable *counts, DtNlr **folded)
{
    DtElement *top = g_new(DtElement, MAX(last.length, 1));
    g_autofree DtCountCursor **cursors = g_new(DtCountCursor *, blinding->records->len + 1);
    for (guint i = 0; i < blinding->records->len; i++)
        cursors[i] = dt_count_cursor_new(counts, dt_nlr_elements(folded[i]));
    for (gsize i = 0; i < last.length; i++) {
        top[i] = element_of(dt_element_symbol(last.elements[i]));
        if (dt_element_is_loop(top[i])) {
            guint32 body = dt_element_body(top[i]);
            top[i] = dt_element_loop(body, (guint32)count_run(cursors, blinding->bodies, body, 1));
        }
    }
    for (guint i = 0; i < blinding->records->len; i++)
        dt_count_cursor_free(cursors[i]);
    return top;
}

static DtLooseNlr *put_together(Blinding *blinding, const DtLooseNlr *last, guint64 symbols)
{
    guint count = blinding->records->len;
    g_autoptr(DtLoopTable) counts = dt_loop_table_new();
    g_autofree DtNlr **folded = g_new(DtNlr *, count + 1);
    for (guint i = 0; i < count; i++)
        folded[i] = dt_count_record_fold(blinding->records->pdata[i], blinding->folder, counts);
    DtElements elements = dt_loose_nlr_elements(last);
    g_autofree DtElement *top = top_elements(blinding, elements, counts, folded);
    DtLooseNlr *loose =
        dt_loose_nlr_new_with_counts(blinding->bodies, (DtElements){top, elements.length}, symbols, counts, folded);
    for (guint i = 0; i < count; i++)
        dt_nlr_free(folded[i]);
    return loose;
}

DtLooseNlr *dt_loose_nlr_count_blind(DtLooseNlr *plain, guint k, guint min_repeat)
{
    Blinding blinding = {.bodies = dt_loop_table_new(), .folder = dt_nlr_folder_new(k, min_repeat)};
    blinding.records = g_ptr_array_new_with_free_func((GDestroyNotify)dt_count_record_free);
    blinding.symbols = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    DtLooseNlr *level = plain;
    while (!is_innermost(dt_loose_nlr_elements(level))) {
        DtLooseNlr *next = next_level(&blinding, level);
        if (level != plain)
            dt_loose_nlr_free(level);
        level = next;
    }
    DtLooseNlr *result = put_together(&blinding, level, dt_loose_nlr_symbols(plain));
    if (level != plain)
        dt_loose_nlr_free(level);
    dt_loose_nlr_free(plain);
    g_ptr_array_unref(blinding.records);
    g_ptr_array_unref(blinding.symbols);
    dt_loop_table_free(blinding.bodies);
    dt_nlr_folder_free(blinding.folder);
    return result;
}
