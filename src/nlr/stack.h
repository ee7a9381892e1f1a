/**
 * The stack of folding, with what finds equal stretches near its top: prefix
 * hashes, chains of equal grams, and for every place the loops that wait for the
 * top to come there.
 */
#ifndef DT_NLR_STACK_H
#define DT_NLR_STACK_H

#include "nlr/loop_table.h"
#include "nlr/seen_loops.h"

/** Position on the stack: 1 is the bottom element, 0 is none. */
typedef guint32 DtPosition;

enum { DT_STACK_SHORT_LAGS = 8, DT_STACK_MAX_RUNGS = 4 };

/**
 * Chains of the positions where equal grams (stretches of `width` elements) end;
 * only covered positions, those with an element above them, are chained.
 */
typedef struct {
    gsize width;
    gsize least_lag, most_lag; /* distances from the top that are looked up here */
    guint64 power;             /* DT_SEQUENCE_MULTIPLIER^width */
    guint shift;
    DtPosition *heads;    /* by bucket: the latest */
    DtPosition *previous; /* by position */
} DtGramRung;

typedef struct {
    DtPosition top;
    gsize capacity;
    DtElement *elements; /* by position; DT_STACK_SHORT_LAGS impossible ones below 1 */
    guint64 *prefixes;   /* by position: hash of the elements up to it */
    guint64 *powers;     /* of DT_SEQUENCE_MULTIPLIER, up to the longest body */
    gsize longest_body;
    /* By position: the latest loop whose next iteration would end there. A loop was made of blocks that
     * reached further up, so the place exists. */
    DtPosition *waiting;
    DtPosition *next_waiting; /* by position of a loop */
    guint rung_count;
    DtGramRung rungs[DT_STACK_MAX_RUNGS];
    DtLoopTable *table; /* borrowed: the bodies of its loops */
    DtSeenLoops seen;   /* those with an element above them, and those in bodies that were told */
} DtStack;

void dt_stack_init(DtStack *stack, guint longest_body, DtLoopTable *table);
void dt_stack_clear(DtStack *stack);

/** Puts an element on top. */
void dt_stack_push(DtStack *stack, DtElement element);
/** Takes the topmost `count` elements away. */
void dt_stack_pop(DtStack *stack, gsize count);
/** The loops in a body count as seen; or, with `sign` -1, no longer. */
void dt_stack_see_body(DtStack *stack, const DtLoopBody *body, int sign);
/** Gives the loop on top another count. */
void dt_stack_set_top(DtStack *stack, DtElement element);

/** Hash of the `length` elements that end at `end`; length at most the longest body. */
static inline guint64 dt_stack_hash(const DtStack *stack, DtPosition end, gsize length)
{
    return stack->prefixes[end] - stack->prefixes[end - length] * stack->powers[length];
}

/** Shortest block that stands `times` times on top, 0 if there is none. */
gsize dt_stack_find_repeat(const DtStack *stack, guint times);
/** The loop right under the top elements that are one more iteration of it, 0 if there is none. */
DtPosition dt_stack_find_loop(const DtStack *stack);

#endif
