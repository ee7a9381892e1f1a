/* The open calls while events go by. */
#include "decoder/decoder.h"

struct DtCallStack {
    guint32 *frames;
    guint depth, capacity;
    guint64 unmatched_returns;
};

DtCallStack *dt_call_stack_new(void)
{
    return g_new0(DtCallStack, 1);
}

void dt_call_stack_free(DtCallStack *stack)
{
    if (!stack)
        return;
    g_free(stack->frames);
    g_free(stack);
}

void dt_call_stack_reset(DtCallStack *stack)
{
    stack->depth = 0;
    stack->unmatched_returns = 0;
}

guint32 dt_call_stack_apply(DtCallStack *stack, guint32 event)
{
    if (event == DT_EVENT_RETURN) {
        if (stack->depth > 0)
            return stack->frames[--stack->depth];
        stack->unmatched_returns++;
        return 0;
    }
    if (stack->depth == stack->capacity) {
        stack->capacity = stack->capacity ? 2 * stack->capacity : 64;
        stack->frames = g_renew(guint32, stack->frames, stack->capacity);
    }
    stack->frames[stack->depth++] = event;
    return event;
}

guint dt_call_stack_depth(const DtCallStack *stack)
{
    return stack->depth;
}

const guint32 *dt_call_stack_frames(const DtCallStack *stack)
{
    return stack->frames;
}

guint64 dt_call_stack_unmatched_returns(const DtCallStack *stack)
{
    return stack->unmatched_returns;
}
