/* User-level threads that move from one kernel thread to another while calls of theirs are open, and are taken up there
 * before the thread that they leave has called anything. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

enum { THREADS = 4, FIBERS = 24, TURNS = 300, STACK_BYTES = 64 << 10 };
enum { READY, RUNNING, FINISHED };

static struct fiber {
    ucontext_t context, *scheduler;
    atomic_int state;
    int turns_left;
    long sum;
} fibers[FIBERS];
static atomic_int finished;

static void yield(struct fiber *fiber)
{
    swapcontext(&fiber->context, fiber->scheduler);
}

static long descend(struct fiber *fiber, int depth)
{
    if (depth == 0) {
        yield(fiber);
        return 1;
    }
    long below = descend(fiber, depth - 1);
    if (depth % 4 == 0)
        yield(fiber);
    return below + depth;
}

static long descend_elsewhere(struct fiber *fiber, int depth)
{
    return 2 * descend(fiber, depth);
}

static void run_fiber(int number)
{
    struct fiber *fiber = &fibers[number];
    while (fiber->turns_left-- > 0)
        fiber->sum += fiber->turns_left % 2 ? descend(fiber, 5 + number % 3) : descend_elsewhere(fiber, 3 + number % 5);
    fiber->turns_left = -1;
    swapcontext(&fiber->context, fiber->scheduler);
}

static void *run_thread(void *unused)
{
    ucontext_t scheduler;
    while (finished < FIBERS)
        for (int i = 0; i < FIBERS; i++) {
            int state = READY;
            if (!atomic_compare_exchange_strong(&fibers[i].state, &state, RUNNING))
                continue;
            fibers[i].scheduler = &scheduler;
            swapcontext(&scheduler, &fibers[i].context);
            finished += fibers[i].turns_left < 0;
            fibers[i].state = fibers[i].turns_left < 0 ? FINISHED : READY;
        }
    return unused;
}

static void prepare(void)
{
    for (int i = 0; i < FIBERS; i++) {
        struct fiber *fiber = &fibers[i];
        fiber->turns_left = TURNS;
        getcontext(&fiber->context);
        fiber->context.uc_stack.ss_sp = malloc(STACK_BYTES);
        fiber->context.uc_stack.ss_size = STACK_BYTES;
        makecontext(&fiber->context, (void (*)(void))run_fiber, 1, i);
    }
}

int main(void)
{
    pthread_t threads[THREADS];
    long sum = 0;
    prepare();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run_thread, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < FIBERS; i++)
        sum += fibers[i].sum * (i + 1);
    printf("%d finished, %ld\n", finished, sum);
    return 0;
}
