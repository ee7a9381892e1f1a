// Terminating functions called where calls above have been left without a return: by exceptions, in their cleanup and
// where they are caught; by siglongjmp out of a handler; by setcontext and swapcontext.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

#define PLAIN __attribute__((noinline, noclone))

static volatile int sum, steps;
static sigjmp_buf back;
static ucontext_t caller, fiber;
static char stack[64 << 10];

extern "C" {

PLAIN void leaf()
{
    sum = sum + 1;
}

PLAIN void step()
{
    steps = steps + 1;
    leaf();
    leaf();
}

struct Cleanup {
    ~Cleanup()
    {
        leaf();
    }
};

PLAIN void descend(int depth)
{
    leaf();
    if (depth == 0)
        throw depth;
    Cleanup cleanup;
    descend(depth - 1);
    step();
}

PLAIN void catching()
{
    try {
        descend(2);
    } catch (int) {
        leaf();
    }
    leaf();
}

PLAIN void handler(int)
{
    leaf();
    siglongjmp(back, 1);
}

PLAIN void interrupted()
{
    leaf();
    raise(SIGUSR1);
    step();
}

PLAIN void jumping()
{
    if (sigsetjmp(back, 1) == 0)
        interrupted();
    leaf();
    leaf();
}

PLAIN void on_fiber()
{
    leaf();
    swapcontext(&fiber, &caller);
    leaf();
    setcontext(&caller);
}

PLAIN void swapping()
{
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = stack;
    fiber.uc_stack.ss_size = sizeof stack;
    makecontext(&fiber, on_fiber, 0);
    swapcontext(&caller, &fiber);
    leaf();
    swapcontext(&caller, &fiber);
    leaf();
}
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? argv[1][0] - '0' : 1;
    signal(SIGUSR1, handler);
    for (int i = 0; i < rounds; i++) {
        catching();
        jumping();
        swapping();
    }
    printf("%d %d\n", sum, steps);
    return 0;
}
