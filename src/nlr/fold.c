/* Folding: the stack is reduced after every push. */
#include "nlr/fold.h"

#include "nlr/sequence.h"
#include "nlr/stack.h"

struct DtNlrFolder {
    guint min_repeat;
    guint32 max_count;
    DtStack stack;
    DtLoopTable *bodies; /* of this sequence, also those that did not last */
};

DtNlrFolder *dt_nlr_folder_new_limited(guint k, guint min_repeat, guint32 max_count)
{
    DtNlrFolder *folder = g_new0(DtNlrFolder, 1);
    folder->min_repeat = MAX(min_repeat, 2);
    folder->max_count = MAX(max_count, folder->min_repeat);
    folder->bodies = dt_loop_table_new();
    dt_stack_init(&folder->stack, CLAMP(k, 1, DT_NLR_MAX_K));
    return folder;
}

DtNlrFolder *dt_nlr_folder_new(guint k, guint min_repeat)
{
    return dt_nlr_folder_new_limited(k, min_repeat, G_MAXUINT32);
}

void dt_nlr_folder_free(DtNlrFolder *folder)
{
    if (folder == NULL)
        return;
    dt_stack_clear(&folder->stack);
    dt_loop_table_free(folder->bodies);
    g_free(folder);
}

/* ---- reductions ------------------------------------------------------------------------ */

/* The top is one more iteration of the loop under it. */
static gboolean extend_loop(DtNlrFolder *folder)
{
    DtStack *stack = &folder->stack;
    DtPosition at = dt_stack_find_loop(stack, folder->bodies);
    if (at == 0)
        return FALSE;
    DtElement loop = stack->elements[at];
    if (dt_element_count(loop) >= folder->max_count)
        return FALSE;
    dt_stack_pop(stack, stack->top - at, folder->bodies);
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
    guint32 body = dt_loop_table_intern(folder->bodies, block, length, dt_stack_hash(stack, stack->top, length));
    dt_stack_pop(stack, length * folder->min_repeat, folder->bodies);
    dt_stack_push(stack, dt_element_loop(body, folder->min_repeat), length);
    return TRUE;
}

void dt_nlr_folder_push(DtNlrFolder *folder, const guint32 *symbols, gsize count)
{
    for (gsize i = 0; i < count; i++) {
        dt_stack_push(&folder->stack, symbols[i], 0);
        while (extend_loop(folder) || make_loop(folder)) {
        }
    }
}

/* ---- the end ------------------------------------------------------------------------------ */

DtLooseNlr *dt_nlr_folder_finish_loose(DtNlrFolder *folder)
{
    DtStack *stack = &folder->stack;
    DtLooseNlr *loose = dt_loose_nlr_new(folder->bodies, (DtElements){stack->elements + 1, stack->top});
    /* Popping empties every chain and list, at the cost of what is there and not of what could be. */
    dt_stack_pop(stack, stack->top, folder->bodies);
    dt_loop_table_clear(folder->bodies);
    return loose;
}

DtNlr *dt_nlr_folder_finish(DtNlrFolder *folder, DtLoopTable *table)
{
    return dt_loose_nlr_intern(dt_nlr_folder_finish_loose(folder), table);
}
