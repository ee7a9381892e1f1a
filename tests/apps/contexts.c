/* User-level threads: makecontext and swapcontext, and a switch written by hand, each between a dozen stacks that are
 * suspended deep in calls of their own, in turns; contexts that end through uc_link; stacks that are used again. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { FIBERS = 12, TURNS = 40, STACK_BYTES = 64 << 10 };

static int turns_left[FIBERS], finished;
static long sums[FIBERS];

/* ---- one body for both kinds ---- */

typedef void yield_function(int fiber);

static long descend(int fiber, int depth, yield_function *yield)
{
    if (depth == 0) {
        yield(fiber);
        return fiber;
    }
    long below = descend(fiber, depth - 1, yield);
    if (depth % 3 == 0)
        yield(fiber);
    return below + depth;
}

static void run_fiber(int fiber, yield_function *yield)
{
    while (turns_left[fiber]-- > 0)
        sums[fiber] += descend(fiber, 3 + (fiber + turns_left[fiber]) % 7, yield);
    finished++;
}

static void report(const char *kind)
{
    long total = 0;
    for (int i = 0; i < FIBERS; i++)
        total += sums[i] * (i + 1);
    printf("%s: %d finished, %ld\n", kind, finished, total);
}

static void prepare(void)
{
    finished = 0;
    for (int i = 0; i < FIBERS; i++) {
        turns_left[i] = TURNS;
        sums[i] = 0;
    }
}

/* ---- ucontext ---- */

static ucontext_t scheduler, contexts[FIBERS];

static void yield_context(int fiber)
{
    swapcontext(&contexts[fiber], &scheduler);
}

static void context_main(int fiber)
{
    run_fiber(fiber, yield_context);
}

static void run_contexts(char *const *stacks)
{
    prepare();
    for (int i = 0; i < FIBERS; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = stacks[i];
        contexts[i].uc_stack.ss_size = STACK_BYTES;
        contexts[i].uc_link = &scheduler;
        makecontext(&contexts[i], (void (*)(void))context_main, 1, i);
    }
    for (int i = 0; finished < FIBERS; i = (i + 5) % FIBERS)
        if (turns_left[i] >= 0)
            swapcontext(&scheduler, &contexts[i]);
    report("ucontext");
}

/* ---- by hand ---- */

void switch_stacks(void **save, void *to);
__asm__(".text\n"
        ".globl switch_stacks\n"
        ".type switch_stacks, @function\n"
        "switch_stacks:\n"
        "    push %rbp\n"
        "    push %rbx\n"
        "    push %r12\n"
        "    push %r13\n"
        "    push %r14\n"
        "    push %r15\n"
        "    mov %rsp, (%rdi)\n"
        "    mov %rsi, %rsp\n"
        "    pop %r15\n"
        "    pop %r14\n"
        "    pop %r13\n"
        "    pop %r12\n"
        "    pop %rbx\n"
        "    pop %rbp\n"
        "    ret\n"
        ".size switch_stacks, . - switch_stacks\n");

static void *scheduler_sp, *fiber_sp[FIBERS];
static int starting;

static void yield_by_hand(int fiber)
{
    switch_stacks(&fiber_sp[fiber], scheduler_sp);
}

static void fiber_main(void)
{
    int fiber = starting;
    run_fiber(fiber, yield_by_hand);
    yield_by_hand(fiber);
    abort();
}

static void run_by_hand(char *const *stacks)
{
    prepare();
    for (int i = 0; i < FIBERS; i++) {
        uint64_t *top = (uint64_t *)(stacks[i] + STACK_BYTES);
        memset(top - 16, 0, 16 * sizeof *top);
        top[-2] = (uint64_t)fiber_main; /* where the switch returns to; the stack is then as after a call */
        fiber_sp[i] = top - 8;
    }
    for (int i = 0; finished < FIBERS; i = (i + 7) % FIBERS) {
        starting = i;
        if (turns_left[i] >= 0)
            switch_stacks(&scheduler_sp, fiber_sp[i]);
    }
    report("by hand");
}

int main(void)
{
    char *stacks[FIBERS];
    for (int i = 0; i < FIBERS; i++)
        stacks[i] = malloc(STACK_BYTES);
    for (int round = 0; round < 3; round++) {
        run_contexts(stacks);
        run_by_hand(stacks);
    }
    return 0;
}
