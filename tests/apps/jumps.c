/* siglongjmp out of a timer's handler, from any instruction, off the normal and off an alternate stack; longjmp over
 * many frames; calls go on being counted right afterwards. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

enum { ESCAPES = 1500 };

static sigjmp_buf escape;
static jmp_buf over;
static volatile sig_atomic_t armed;
static volatile int work;

static int handled(int depth)
{
    return depth ? handled(depth - 1) + 1 : 0;
}

static void on_alarm(int number)
{
    (void)number;
    if (!armed)
        return;
    armed = 0;
    siglongjmp(escape, 1 + handled(3));
}

static int climb(int depth)
{
    work++;
    return depth ? climb(depth - 1) + 1 : 0;
}

static void fall(int depth)
{
    if (depth == 0)
        longjmp(over, 1);
    fall(depth - 1);
    work++;
}

static int jump_over(volatile int depth)
{
    if (setjmp(over))
        return depth;
    fall(depth);
    return -1;
}

static int spin_until_thrown_out(void)
{
    int value = sigsetjmp(escape, 1);
    if (value)
        return value;
    armed = 1;
    for (;;)
        climb(9);
}

int main(void)
{
    stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
    sigaltstack(&stack, NULL);
    const struct itimerval interval = {{0, 200}, {0, 200}};
    long sum = 0;
    for (int round = 0; round < 2; round++) {
        struct sigaction action = {.sa_handler = on_alarm, .sa_flags = round ? SA_ONSTACK : 0};
        sigaction(SIGALRM, &action, NULL);
        setitimer(ITIMER_REAL, &interval, NULL);
        for (int i = 0; i < ESCAPES; i++)
            sum += spin_until_thrown_out() + jump_over(i % 20) + climb(i % 30);
    }
    printf("%ld\n", sum);
    return 0;
}
