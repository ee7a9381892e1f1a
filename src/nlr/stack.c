/* The stack of folding: elements, prefix hashes, gram chains, waiting loops. */
#include "nlr/stack.h"

#include "nlr/sequence.h"

enum { LEAST_CAPACITY = 1024, LEAST_BUCKET_BITS = 10, MOST_BUCKET_BITS = 20 };

/* No element: loop ids end below DT_LOOP_TABLE_LIMIT. */
#define IMPOSSIBLE G_MAXUINT64

/*
 * Two equal grams of a reduced stack are more than width / (T - 1) apart, else they
 * would overlap into a repetition. A rung that looks at distances up to a fixed
 * multiple of its width therefore sees a bounded number of candidates, whatever
 * the input.
 */
static const struct {
    gsize width, most_lag;
} LADDER[DT_STACK_MAX_RUNGS] = {{8, 64}, {64, 4096}, {512, 32768}, {4096, DT_NLR_MAX_K}};

/* ---- making ----------------------------------------------------------------------- */

static void rung_init(DtGramRung *rung, gsize width, gsize least_lag, gsize most_lag)
{
    guint bits = LEAST_BUCKET_BITS;
    while (bits < MOST_BUCKET_BITS && ((gsize)1 << bits) < most_lag * 8)
        bits++;
    rung->width = width;
    rung->least_lag = least_lag;
    rung->most_lag = most_lag;
    rung->shift = 64 - bits;
    rung->power = 1;
    for (gsize i = 0; i < width; i++)
        rung->power *= DT_SEQUENCE_MULTIPLIER;
    rung->heads = g_new0(DtPosition, (gsize)1 << bits);
    rung->previous = NULL;
}

static void set_capacity(DtStack *stack, gsize capacity)
{
    gsize old = stack->capacity;
    DtElement *base = old == 0 ? NULL : stack->elements - DT_STACK_SHORT_LAGS;
    base = g_renew(DtElement, base, capacity + DT_STACK_SHORT_LAGS);
    stack->elements = base + DT_STACK_SHORT_LAGS;
    stack->prefixes = g_renew(guint64, stack->prefixes, capacity);
    stack->next_waiting = g_renew(DtPosition, stack->next_waiting, capacity);
    stack->waiting = g_renew(DtPosition, stack->waiting, capacity);
    memset(stack->waiting + old, 0, (capacity - old) * sizeof *stack->waiting);
    for (guint i = 0; i < stack->rung_count; i++)
        stack->rungs[i].previous = g_renew(DtPosition, stack->rungs[i].previous, capacity);
    gsize old_powers = MIN(old, stack->longest_body + 1);
    gsize powers = MIN(capacity, stack->longest_body + 1);
    stack->powers = g_renew(guint64, stack->powers, powers);
    for (gsize i = old_powers; i < powers; i++)
        stack->powers[i] = i == 0 ? 1 : stack->powers[i - 1] * DT_SEQUENCE_MULTIPLIER;
    stack->capacity = capacity;
}

void dt_stack_init(DtStack *stack, guint longest_body, DtLoopTable *table)
{
    memset(stack, 0, sizeof *stack);
    stack->table = table;
    dt_seen_loops_init(&stack->seen);
    stack->longest_body = longest_body;
    gsize covered = DT_STACK_SHORT_LAGS;
    for (guint i = 0; i < DT_STACK_MAX_RUNGS && covered < longest_body; i++) {
        gsize most = MIN(LADDER[i].most_lag, longest_body);
        rung_init(&stack->rungs[stack->rung_count++], LADDER[i].width, covered + 1, most);
        covered = most;
    }
    set_capacity(stack, LEAST_CAPACITY);
    for (int i = -DT_STACK_SHORT_LAGS; i <= 0; i++)
        stack->elements[i] = IMPOSSIBLE;
    stack->prefixes[0] = 0;
}

void dt_stack_clear(DtStack *stack)
{
    dt_seen_loops_clear(&stack->seen);
    g_free(stack->elements - DT_STACK_SHORT_LAGS);
    g_free(stack->prefixes);
    g_free(stack->powers);
    g_free(stack->waiting);
    g_free(stack->next_waiting);
    for (guint i = 0; i < stack->rung_count; i++) {
        g_free(stack->rungs[i].heads);
        g_free(stack->rungs[i].previous);
    }
}

/* ---- pushing and popping ------------------------------------------------------------- */

/* Elements come and go at the top only, so whatever is undone is always the head of its list. */

static inline DtPosition *bucket_of(const DtStack *stack, const DtGramRung *rung, DtPosition end)
{
    guint64 hash = stack->prefixes[end] - stack->prefixes[end - rung->width] * rung->power;
    return &rung->heads[hash >> rung->shift];
}

static inline void chain(DtStack *stack, DtPosition position)
{
    for (guint i = 0; i < stack->rung_count && position >= stack->rungs[i].width; i++) {
        DtPosition *head = bucket_of(stack, &stack->rungs[i], position);
        stack->rungs[i].previous[position] = *head;
        *head = position;
    }
}

static inline void unchain(DtStack *stack, DtPosition position)
{
    for (guint i = 0; i < stack->rung_count && position >= stack->rungs[i].width; i++)
        *bucket_of(stack, &stack->rungs[i], position) = stack->rungs[i].previous[position];
}

void dt_stack_set_top(DtStack *stack, DtElement element)
{
    stack->elements[stack->top] = element;
    /* NOLINTNEXTLINE(clang-analyzer-*): the arrays have room from the start */
    stack->prefixes[stack->top] = dt_sequence_hash_append(stack->prefixes[stack->top - 1], element);
}

/* A loop counts as seen while an element is above it: the count of the one on top still changes. */
static inline void cover(DtStack *stack, DtElement loop, DtElement above)
{
    ++*dt_seen_alone(&stack->seen, loop);
    ++*dt_seen_followed(&stack->seen, loop, dt_loop_table_first_symbol(stack->table, above));
    dt_loop_table_note_count(stack->table, loop);
}

static inline void uncover(DtStack *stack, DtElement loop, DtElement above)
{
    --*dt_seen_alone(&stack->seen, loop);
    --*dt_seen_followed(&stack->seen, loop, dt_loop_table_first_symbol(stack->table, above));
}

void dt_stack_see_body(DtStack *stack, const DtLoopBody *body, int sign)
{
    for (gsize i = 0; i < body->length; i++) {
        DtElement element = body->elements[i];
        if (!dt_element_is_loop(element))
            continue;
        *dt_seen_alone(&stack->seen, element) += (guint32)sign;
        dt_loop_table_note_count(stack->table, element);
        if (i + 1 == body->length)
            continue;
        guint32 next = dt_loop_table_first_symbol(stack->table, body->elements[i + 1]);
        *dt_seen_followed(&stack->seen, element, next) += (guint32)sign;
    }
}

/* The place after the next iteration of the loop on top. */
static void wait_for_iteration(DtStack *stack, DtPosition position, DtElement loop)
{
    gsize end = position + dt_loop_table_get(stack->table, dt_element_body(loop))->length;
    while (end >= stack->capacity)
        set_capacity(stack, stack->capacity * 2);
    stack->next_waiting[position] = stack->waiting[end];
    stack->waiting[end] = position;
}

void dt_stack_push(DtStack *stack, DtElement element)
{
    if (stack->top > 0) {
        DtElement below = stack->elements[stack->top];
        chain(stack, stack->top);
        if (dt_element_is_loop(below))
            cover(stack, below, element);
    }
    DtPosition position = ++stack->top;
    if (position == stack->capacity)
        set_capacity(stack, stack->capacity * 2);
    dt_stack_set_top(stack, element);
    if (dt_element_is_loop(element))
        wait_for_iteration(stack, position, element);
}

void dt_stack_pop(DtStack *stack, gsize count)
{
    for (; count > 0; count--) {
        DtPosition position = stack->top--;
        DtElement element = stack->elements[position];
        if (dt_element_is_loop(element)) {
            gsize length = dt_loop_table_get(stack->table, dt_element_body(element))->length;
            stack->waiting[position + length] = stack->next_waiting[position];
        }
        if (stack->top == 0)
            continue;
        unchain(stack, stack->top);
        if (dt_element_is_loop(stack->elements[stack->top]))
            uncover(stack, stack->elements[stack->top], element);
    }
}

/* ---- finding ---------------------------------------------------------------------------- */

/* TRUE if the topmost `times` blocks of `length` elements are equal. */
static gboolean repeats(const DtStack *stack, gsize length, guint times)
{
    DtPosition top = stack->top;
    if (length * times > top || stack->elements[top - length] != stack->elements[top])
        return FALSE;
    guint64 hash = dt_stack_hash(stack, top, length);
    for (guint i = 1; i < times; i++)
        if (dt_stack_hash(stack, (DtPosition)(top - i * length), length) != hash)
            return FALSE;
    const DtElement *end = stack->elements + top + 1;
    return dt_elements_equal(end - (times - 1) * length, end - times * length, (times - 1) * length);
}

static gsize find_short_repeat(const DtStack *stack, guint times)
{
    const DtElement *top = stack->elements + stack->top;
    guint equal = 0;
    for (guint lag = 1; lag <= DT_STACK_SHORT_LAGS; lag++)
        equal |= (guint)(*(top - lag) == *top) << lag;
    for (guint lag = 1; equal >> lag != 0 && lag <= stack->longest_body; lag++)
        if ((equal >> lag & 1) != 0 && repeats(stack, lag, times))
            return lag;
    return 0;
}

static gsize find_repeat_on_rung(const DtStack *stack, const DtGramRung *rung, guint times)
{
    DtPosition top = stack->top;
    for (DtPosition at = *bucket_of(stack, rung, top); at != 0 && top - at <= rung->most_lag; at = rung->previous[at])
        if (top - at >= rung->least_lag && repeats(stack, top - at, times))
            return top - at;
    return 0;
}

gsize dt_stack_find_repeat(const DtStack *stack, guint times)
{
    gsize length = find_short_repeat(stack, times);
    for (guint i = 0; length == 0 && i < stack->rung_count && stack->top >= stack->rungs[i].width; i++)
        length = find_repeat_on_rung(stack, &stack->rungs[i], times);
    return length;
}

DtPosition dt_stack_find_loop(const DtStack *stack)
{
    DtPosition top = stack->top;
    for (DtPosition at = stack->waiting[top]; at != 0; at = stack->next_waiting[at]) {
        DtElement loop = stack->elements[at];
        const DtLoopBody *body = dt_loop_table_get(stack->table, dt_element_body(loop));
        if (body->elements[body->length - 1] == stack->elements[top] &&
            body->hash == dt_stack_hash(stack, top, body->length) &&
            dt_elements_equal(body->elements, stack->elements + at + 1, body->length))
            return at;
    }
    return 0;
}
