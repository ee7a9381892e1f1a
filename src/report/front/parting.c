/* Both sequences are gone through together; loops with the same body, at the same time, take one step. */
#include "report/front/parting.h"

#include <string.h>

/* Elements of a sequence or of a loop's body, and how many passes of them are still to come. */
typedef struct {
    DtElements elements;
    gsize at;
    guint64 passes;
} Level;

typedef struct {
    const DtLoopTable *table;
    GArray *levels; /* (element-type Level) innermost last */
    guint64 done;   /* calls that are behind it */
} Cursor;

/* The last calls that both have made. */
typedef struct {
    guint32 calls[DT_PARTING_BEFORE];
    guint count;
} Recent;

static Cursor cursor_new(const DtLoopTable *table, DtElements elements, gsize from)
{
    Cursor cursor = {table, g_array_new(FALSE, FALSE, sizeof(Level)), 0};
    Level top = {elements, from, 1};
    g_array_append_val(cursor.levels, top);
    return cursor;
}

/* The next element; FALSE at the end. */
static gboolean peek(Cursor *cursor, DtElement *element)
{
    while (cursor->levels->len > 0) {
        Level *level = &g_array_index(cursor->levels, Level, cursor->levels->len - 1);
        if (level->at == level->elements.length && level->passes > 1) {
            level->passes--;
            level->at = 0;
        }
        if (level->at < level->elements.length) {
            *element = level->elements.elements[level->at];
            return TRUE;
        }
        g_array_set_size(cursor->levels, cursor->levels->len - 1);
    }
    return FALSE;
}

static void step(Cursor *cursor)
{
    g_array_index(cursor->levels, Level, cursor->levels->len - 1).at++;
}

/* A loop whose count is left open goes round once. */
static guint64 passes_of(DtElement loop)
{
    return MAX(dt_element_count(loop), 1);
}

static void enter(Cursor *cursor, DtElement loop, guint64 passes)
{
    step(cursor);
    Level inner = {dt_loop_table_body(cursor->table, dt_element_body(loop)), 0, passes};
    if (passes > 0)
        g_array_append_val(cursor->levels, inner);
}

/* The next call, loops entered; 0 at the end. Returns are none. */
static guint32 peek_call(Cursor *cursor)
{
    DtElement element;
    while (peek(cursor, &element)) {
        if (dt_element_is_loop(element))
            enter(cursor, element, passes_of(element));
        else if ((dt_element_symbol(element) & DT_SYMBOL_RETURN) != 0)
            step(cursor);
        else
            return dt_element_symbol(element);
    }
    return 0;
}

static guint32 take_call(Cursor *cursor)
{
    guint32 call = peek_call(cursor);
    if (call != 0) {
        step(cursor);
        cursor->done++;
    }
    return call;
}

/* Collects the last calls of a sequence, the last one first, until there are enough. */
static void collect_last(const DtLoopTable *table, DtElements elements, guint32 *calls, guint *count, guint wanted)
{
    for (gsize i = elements.length; i-- > 0 && *count < wanted;) {
        DtElement element = elements.elements[i];
        if (!dt_element_is_loop(element)) {
            if ((dt_element_symbol(element) & DT_SYMBOL_RETURN) == 0)
                calls[(*count)++] = dt_element_symbol(element);
            continue;
        }
        for (guint64 pass = passes_of(element); pass > 0 && *count < wanted; pass--) {
            guint so_far = *count;
            collect_last(table, dt_loop_table_body(table, dt_element_body(element)), calls, count, wanted);
            if (*count == so_far)
                break;
        }
    }
}

static void remember(Recent *recent, guint32 call)
{
    if (recent->count == DT_PARTING_BEFORE) {
        memmove(recent->calls, recent->calls + 1, sizeof(recent->calls) - sizeof(recent->calls[0]));
        recent->count--;
    }
    recent->calls[recent->count++] = call;
}

static guint64 calls_of(const DtLoopTable *table, DtElements elements, guint64 passes)
{
    return passes * dt_nlr_expanded_length(table, elements);
}

/* Both skip what they have in common of the loops that come next: all passes that both make. */
static void skip_loop(Cursor *normal, Cursor *faulty, DtElement a, DtElement b, Recent *recent)
{
    guint64 common = MIN(passes_of(a), passes_of(b));
    DtElements body = dt_loop_table_body(normal->table, dt_element_body(a));
    guint32 last[DT_PARTING_BEFORE];
    guint count = 0;
    DtElement pass[] = {dt_element_loop(dt_element_body(a), (guint32)common)};
    collect_last(normal->table, (DtElements){pass, 1}, last, &count, DT_PARTING_BEFORE);
    while (count > 0)
        remember(recent, last[--count]);
    enter(normal, a, passes_of(a) - common);
    enter(faulty, b, passes_of(b) - common);
    normal->done += calls_of(normal->table, body, common);
    faulty->done += calls_of(faulty->table, body, common);
}

/* TRUE if both are at loops of one body. */
static gboolean at_alike_loops(Cursor *normal, Cursor *faulty, DtElement *a, DtElement *b)
{
    return peek(normal, a) && peek(faulty, b) && dt_element_is_loop(*a) && dt_element_is_loop(*b) &&
           dt_element_body(*a) == dt_element_body(*b);
}

static guint32 compared(const DtFunctions *functions, guint32 call, gboolean by_name)
{
    return call != 0 && by_name ? dt_functions_base(functions, call) : call;
}

/* Goes on until the next calls are different ones. FALSE: there are none, or it takes too long. */
static gboolean go_to_parting(Cursor *normal, Cursor *faulty, const DtFunctions *functions, gboolean by_name,
                              Recent *recent, guint *steps)
{
    for (; *steps > 0; (*steps)--) {
        DtElement a, b;
        if (at_alike_loops(normal, faulty, &a, &b)) {
            skip_loop(normal, faulty, a, b, recent);
            continue;
        }
        guint32 one = peek_call(normal), other = peek_call(faulty);
        if (compared(functions, one, by_name) != compared(functions, other, by_name))
            return TRUE;
        if (one == 0)
            return FALSE;
        remember(recent, other);
        take_call(normal);
        take_call(faulty);
    }
    return FALSE;
}

/* The call that never returned is told as the end. */
static void drop_open(DtPartingSide *side, const DtFunctions *functions, guint32 open)
{
    guint32 *calls = side->last_count > 0 ? side->last : side->after;
    guint *count = side->last_count > 0 ? &side->last_count : &side->count;
    if (open != 0 && *count > 0 &&
        dt_functions_base(functions, calls[*count - 1]) == dt_functions_base(functions, open))
        (*count)--;
}

static void tell_side(Cursor *cursor, const DtDiffNlrReport *what, DtElements all, guint32 open, DtPartingSide *side)
{
    guint64 calls = calls_of(cursor->table, all, 1);
    guint64 left = calls > cursor->done ? calls - cursor->done : 0;
    gboolean few = left <= G_N_ELEMENTS(side->after);
    guint shown = few ? G_N_ELEMENTS(side->after) : DT_PARTING_AFTER;
    for (guint32 call; side->count < shown && (call = take_call(cursor)) != 0;)
        side->after[side->count++] = call;
    if (peek_call(cursor) != 0) {
        guint32 last[DT_PARTING_LAST];
        guint count = 0;
        collect_last(cursor->table, all, last, &count, DT_PARTING_LAST);
        while (count > 0)
            side->last[side->last_count++] = last[--count];
        guint64 told = cursor->done + side->last_count;
        side->left_out = calls > told ? calls - told : 0;
    }
    drop_open(side, what->functions, open);
}

/* ---- which one ----------------------------------------------------------------------- */

/* What stands behind a word of the reason, up to the next blank that ends a name; NULL: the word is not there. */
static char *name_behind(const char *reason, const char *word)
{
    const char *begin = reason ? strstr(reason, word) : NULL;
    if (!begin)
        return NULL;
    begin += strlen(word);
    return g_strndup(begin, strcspn(begin, " ,;("));
}

void dt_parting_told_calls(const char *reason, char **called, char **normally)
{
    *called = name_behind(reason, " calls ");
    *normally = name_behind(reason, " where ");
    if (!*normally)
        *normally = name_behind(reason, " leaves out ");
}

static gboolean has_name(const DtFunctions *functions, guint32 call, const char *name)
{
    return !name || (call != 0 && strstr(dt_functions_get(functions, call)->name, name));
}

/* TRUE if the reason does not tell of other calls. */
static gboolean is_told(const DtFunctions *functions, guint32 normal, guint32 faulty, const char *reason)
{
    g_autofree char *called = NULL, *normally = NULL;
    dt_parting_told_calls(reason, &called, &normally);
    return has_name(functions, faulty, called) && has_name(functions, normal, normally);
}

/* ---- all together -------------------------------------------------------------------- */

/* Where a difference begins, in elements and calls. */
typedef struct {
    gsize normal, faulty;
    guint64 normal_done, faulty_done;
    Recent recent; /* of the common stretch before it */
} Start;

static void go_behind(Start *start, const DtLoopTable *table, const DtDiffBlock *block)
{
    start->normal += block->normal.length;
    start->faulty += block->faulty.length;
    start->normal_done += calls_of(table, block->normal, 1);
    start->faulty_done += calls_of(table, block->faulty, 1);
    start->recent.count = 0;
    if (!block->common)
        return;
    guint32 last[DT_PARTING_BEFORE];
    guint count = 0;
    collect_last(table, block->faulty, last, &count, DT_PARTING_BEFORE);
    while (count > 0)
        remember(&start->recent, last[--count]);
}

/* `told`: whether the reason tells of it. */
static gboolean find_at(const DtDiffNlrReport *what, const Start *start, gboolean by_name, const char *reason,
                        guint *steps, DtParting *parting, gboolean *told)
{
    DtElements before = dt_nlr_elements(what->diff->normal), after = dt_nlr_elements(what->diff->faulty);
    Cursor normal = cursor_new(what->table, before, start->normal);
    Cursor faulty = cursor_new(what->table, after, start->faulty);
    Recent recent = start->recent;
    normal.done = start->normal_done;
    faulty.done = start->faulty_done;
    gboolean found = go_to_parting(&normal, &faulty, what->functions, by_name, &recent, steps);
    if (found) {
        *told = is_told(what->functions, peek_call(&normal), peek_call(&faulty), reason);
        *parting = (DtParting){.done = faulty.done, .before_count = recent.count};
        memcpy(parting->before, recent.calls, sizeof(recent.calls));
        tell_side(&normal, what, before, what->diff->normal_open, &parting->normal);
        tell_side(&faulty, what, after, what->diff->faulty_open, &parting->faulty);
    }
    g_array_unref(normal.levels);
    g_array_unref(faulty.levels);
    return found;
}

/* Where it crashed is the end. */
static gboolean tells_end(const char *reason)
{
    return reason && g_str_has_prefix(reason, "died of signal ");
}

static gboolean find(const DtDiffNlrReport *what, gboolean by_name, const char *reason, DtParting *parting)
{
    Start start = {0, 0, 0, 0, {{0}, 0}};
    guint steps = DT_PARTING_STEPS;
    gboolean any = FALSE;
    for (guint i = 0; i < what->diff->blocks->len && steps > 0; i++) {
        const DtDiffBlock *block = &g_array_index(what->diff->blocks, DtDiffBlock, i);
        DtParting here;
        gboolean told = FALSE;
        if (!block->common && find_at(what, &start, by_name, reason, &steps, &here, &told) && (told || !any)) {
            here.first = !any;
            here.told = told && (!tells_end(reason) || i + 1 == what->diff->blocks->len);
            *parting = here;
            any = TRUE;
            if (here.told)
                return TRUE;
        }
        go_behind(&start, what->table, block);
    }
    return any;
}

/* "exchange calls MPI_Send (halo.c:41) with tag 98, normally tag 99; ..." */
static gboolean tells_arguments(const char *reason)
{
    g_autofree char *first = reason ? g_strndup(reason, strcspn(reason, ";")) : NULL;
    const char *with = first && strstr(first, " calls ") ? strstr(first, " with ") : NULL;
    return with && strstr(with, ", normally ");
}

gboolean dt_parting_find(const DtDiffNlrReport *what, const char *reason, DtParting *parting)
{
    if (tells_arguments(reason) && find(what, FALSE, reason, parting) && parting->told)
        return TRUE;
    return find(what, TRUE, reason, parting) || find(what, FALSE, reason, parting);
}
