/*
 * The steady state: the loop on top of a fully reduced stack, and input that
 * repeats what it stands for. The stack inside an iteration is then that of the
 * iteration before, but for the loop's own count; so nothing else can happen
 * than at counts with which the loop was seen elsewhere
 * (docs/algorithms/nlr.md).
 */
#include "nlr/folder.h"

enum { LEAST_REACH = 32 };

static inline DtElement top_of(const DtNlrFolder *folder)
{
    return folder->stack.elements[folder->stack.top];
}

/* The loop was seen with this count, before what the next iteration begins with. */
static gboolean may_deviate(const DtNlrFolder *folder, DtElement loop, const DtLoopBody *body)
{
    return dt_element_count(loop) <= body->largest_count &&
           *dt_seen_followed(&folder->stack.seen, loop, body->first_symbol) != 0;
}

void dt_folder_expect(DtNlrFolder *folder, gsize next)
{
    DtElement loop = top_of(folder);
    const DtLoopBody *body = dt_loop_table_get(folder->bodies, dt_element_body(loop));
    gboolean known = body->symbols <= MIN(next, DT_HISTORY_SYMBOLS);
    folder->steady = known && dt_element_count(loop) < folder->max_count && !may_deviate(folder, loop, body);
    folder->period = (gsize)body->symbols;
    folder->matched = 0;
    folder->reach = MAX(folder->period, LEAST_REACH);
}

/*
 * Counts up to `iterations` of the loop on top; returns how many, and whether something
 * else has to happen before the next one. Counts never seen take no time.
 */
static guint64 count_iterations(DtNlrFolder *folder, guint64 iterations, gboolean *stopped)
{
    DtElement loop = top_of(folder);
    const DtLoopBody *body = dt_loop_table_get(folder->bodies, dt_element_body(loop));
    guint64 most = MIN(iterations, folder->max_count - dt_element_count(loop));
    guint64 done = 0;
    for (;;) {
        guint32 noted = dt_loop_body_next_noted(body, (guint32)(dt_element_count(loop) + done));
        if (noted == 0 || noted - dt_element_count(loop) > most)
            break;
        done = noted - dt_element_count(loop);
        DtElement longer = loop + done;
        if (*dt_seen_alone(&folder->stack.seen, longer) == 0)
            continue;
        dt_stack_set_top(&folder->stack, longer);
        *stopped = dt_folder_reduce(folder) || may_deviate(folder, longer, body);
        if (*stopped)
            return done;
    }
    dt_stack_set_top(&folder->stack, loop + most);
    *stopped = loop + most == dt_element_loop(dt_element_body(loop), folder->max_count);
    if (*stopped)
        dt_folder_reduce(folder);
    return most;
}

/*
 * Takes symbols that match, from `next` on in the history; returns how many. If that are
 * not all, or `changed`, the loop on top is another one, or its next iteration is.
 */
static guint64 take_matching(DtNlrFolder *folder, guint64 count, gsize next, gboolean *changed)
{
    guint64 iterations = (folder->matched + count) / folder->period;
    *changed = FALSE;
    if (iterations == 0) {
        folder->matched += (gsize)count;
        return count;
    }
    guint64 taken = count_iterations(folder, iterations, changed) * folder->period - folder->matched;
    if (*changed) {
        dt_folder_expect(folder, next + (gsize)taken);
        return taken;
    }
    folder->matched = (gsize)(count - taken);
    return count;
}

gsize dt_folder_compare(DtNlrFolder *folder, gsize next)
{
    gsize most = MIN(folder->history.length - next, folder->reach);
    gsize equal = dt_history_match(&folder->history, next, folder->period, most);
    gboolean changed = FALSE;
    gsize taken = equal > 0 ? (gsize)take_matching(folder, equal, next, &changed) : 0;
    if (changed)
        return next + taken;
    if (equal < most)
        dt_folder_settle(folder);
    folder->reach = MIN(folder->reach * 2, DT_HISTORY_SYMBOLS);
    return next + taken;
}

guint64 dt_folder_skip(DtNlrFolder *folder, gsize period, guint64 count)
{
    guint64 covered = dt_element_count(top_of(folder)) * (guint64)folder->period + folder->matched;
    if (period % folder->period != 0 || period > covered)
        return 0;
    gboolean changed;
    guint64 taken = take_matching(folder, count, folder->history.length, &changed);
    dt_history_skip(&folder->history, period, taken);
    return taken;
}

/* ---- the iteration that breaks off -------------------------------------------------------- */

static void push_all(DtStack *stack, const DtLoopBody *body)
{
    for (gsize i = 0; i < body->length; i++)
        dt_stack_push(stack, body->elements[i]);
}

/* `iterations` whole ones of a loop whose other ones did not come. */
static void push_iterations(DtNlrFolder *folder, DtElement loop, guint32 iterations)
{
    const DtLoopBody *body = dt_loop_table_get(folder->bodies, dt_element_body(loop));
    if (iterations >= folder->min_repeat) {
        dt_stack_push(&folder->stack, dt_element_loop(dt_element_body(loop), iterations));
        return;
    }
    for (guint32 i = 0; i < iterations; i++)
        push_all(&folder->stack, body);
}

/* What the first symbols of a body stand for while it is being made. */
static void push_beginning(DtNlrFolder *folder, const DtLoopBody *body, guint64 symbols)
{
    for (gsize i = 0; symbols > 0; i++) {
        DtElement element = body->elements[i];
        if (!dt_element_is_loop(element)) {
            dt_stack_push(&folder->stack, element);
            symbols--;
            continue;
        }
        const DtLoopBody *inner = dt_loop_table_get(folder->bodies, dt_element_body(element));
        guint64 all = dt_element_count(element) * inner->symbols;
        if (symbols >= all) {
            dt_stack_push(&folder->stack, element);
            symbols -= all;
            continue;
        }
        push_iterations(folder, element, (guint32)(symbols / inner->symbols));
        body = inner;
        symbols %= inner->symbols;
        i = (gsize)-1;
    }
}

void dt_folder_settle(DtNlrFolder *folder)
{
    const DtLoopBody *body = dt_loop_table_get(folder->bodies, dt_element_body(top_of(folder)));
    folder->steady = FALSE;
    push_beginning(folder, body, folder->matched);
    folder->matched = 0;
}
