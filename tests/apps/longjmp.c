/* Frames that never return: longjmp, siglongjmp out of a handler, error exits from deep recursion. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static jmp_buf escape;
static sigjmp_buf signal_escape;

void dive(int depth)
{
    if (depth == 0)
        longjmp(escape, 1);
    dive(depth - 1);
    __asm__ volatile("");
}

int attempt(int depth)
{
    if (setjmp(escape) != 0)
        return 1;
    dive(depth);
    return 0;
}

void on_signal(int number)
{
    (void)number;
    siglongjmp(signal_escape, 1);
}

int attempt_signal(void)
{
    if (sigsetjmp(signal_escape, 1) != 0)
        return 1;
    raise(SIGUSR1);
    return 0;
}

int main(void)
{
    int escapes = 0, signals = 0;
    signal(SIGUSR1, on_signal);
    for (int i = 0; i < 300; i++) {
        escapes += attempt(i % 40);
        signals += attempt_signal();
    }
    printf("%d %d\n", escapes, signals);
    return 0;
}
