/* Folding: the stack is reduced after every push, or the loop on top goes on. */
#include "nlr/folder.h"

DtNlrFolder *dt_nlr_folder_new_limited(guint k, guint min_repeat, guint32 max_count)
{
    DtNlrFolder *folder = g_new0(DtNlrFolder, 1);
    folder->min_repeat = MAX(min_repeat, 2);
    folder->max_count = MAX(max_count, folder->min_repeat);
    folder->bodies = dt_loop_table_new();
    dt_stack_init(&folder->stack, CLAMP(k, 1, DT_NLR_MAX_K), folder->bodies);
    dt_history_init(&folder->history);
    return folder;
}

DtNlrFolder *dt_nlr_folder_new(guint k, guint min_repeat)
{
    return dt_nlr_folder_new_limited(k, min_repeat, G_MAXUINT32);
}

void dt_nlr_folder_free(DtNlrFolder *folder)
{
    if (!folder)
        return;
    dt_stack_clear(&folder->stack);
    dt_history_clear(&folder->history);
    dt_loop_table_free(folder->bodies);
    g_free(folder);
}

/* ---- reductions ------------------------------------------------------------------------ */

/* The top is one more iteration of the loop under it. */
static gboolean extend_loop(DtNlrFolder *folder)
{
    DtStack *stack = &folder->stack;
    DtPosition at = dt_stack_find_loop(stack);
    if (at == 0)
        return FALSE;
    DtElement loop = stack->elements[at];
    if (dt_element_count(loop) >= folder->max_count)
        return FALSE;
    dt_stack_pop(stack, stack->top - at);
    dt_stack_set_top(stack, loop + 1); /* the count is in the low bits */
    return TRUE;
}

/* The top is min_repeat equal blocks: a new loop. */
static gboolean make_loop(DtNlrFolder *folder)
{
    DtStack *stack = &folder->stack;
    gsize length = dt_stack_find_repeat(stack, folder->min_repeat);
    if (length == 0 || dt_loop_table_count(folder->bodies) == DT_LOOP_TABLE_LIMIT)
        return FALSE;
    const DtElement *block = stack->elements + stack->top - length + 1;
    guint32 known = dt_loop_table_count(folder->bodies);
    guint32 body = dt_loop_table_intern(folder->bodies, block, length, dt_stack_hash(stack, stack->top, length));
    if (body == known)
        dt_stack_see_body(stack, dt_loop_table_get(folder->bodies, body), 1);
    dt_stack_pop(stack, length * folder->min_repeat);
    dt_stack_push(stack, dt_element_loop(body, folder->min_repeat));
    return TRUE;
}

gboolean dt_folder_reduce(DtNlrFolder *folder)
{
    gboolean changed = FALSE;
    while (extend_loop(folder) || make_loop(folder))
        changed = TRUE;
    return changed;
}

/* ---- symbols -------------------------------------------------------------------------------- */

/* The last `count` symbols of the history. */
static void fold_latest(DtNlrFolder *folder, gsize count)
{
    const gsize end = folder->history.length;
    gsize next = end - count;
    while (next < end) {
        if (folder->steady) {
            next = dt_folder_compare(folder, next);
            continue;
        }
        dt_stack_push(&folder->stack, folder->history.symbols[next++]);
        if (dt_folder_reduce(folder))
            dt_folder_expect(folder, next);
    }
}

void dt_nlr_folder_push(DtNlrFolder *folder, const guint32 *symbols, gsize count)
{
    while (count > 0) {
        gsize taken = dt_history_append(&folder->history, symbols, count);
        fold_latest(folder, taken);
        symbols += taken;
        count -= taken;
    }
}

void dt_nlr_folder_repeat(DtNlrFolder *folder, gsize period, guint64 times)
{
    g_return_if_fail(period <= MIN(folder->history.length, DT_NLR_MAX_PERIOD));
    guint64 left = period * times;
    while (left > 0) {
        guint64 taken = folder->steady ? dt_folder_skip(folder, period, left) : 0;
        if (taken == 0) {
            taken = dt_history_repeat(&folder->history, period, MIN(left, period));
            fold_latest(folder, (gsize)taken);
        }
        left -= taken;
    }
}

/* ---- the end ------------------------------------------------------------------------------ */

DtLooseNlr *dt_nlr_folder_finish_loose(DtNlrFolder *folder)
{
    DtStack *stack = &folder->stack;
    if (folder->steady)
        dt_folder_settle(folder);
    DtLooseNlr *loose = dt_loose_nlr_new(folder->bodies, (DtElements){stack->elements + 1, stack->top});
    /* Popping empties every chain and list, at the cost of what is there and not of what could be. */
    dt_stack_pop(stack, stack->top);
    for (guint32 body = 0; body < dt_loop_table_count(folder->bodies); body++)
        dt_stack_see_body(stack, dt_loop_table_get(folder->bodies, body), -1);
    dt_loop_table_clear(folder->bodies);
    folder->history.length = 0;
    return loose;
}

DtNlr *dt_nlr_folder_finish(DtNlrFolder *folder, DtLoopTable *table)
{
    return dt_loose_nlr_intern(dt_nlr_folder_finish_loose(folder), table, NULL);
}
