/* For engines that need no dynamic loader: threads, and signals on an alternate stack, one left by siglongjmp. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static char stack_memory[65536];
static sigjmp_buf escape_to;
static int escaping;

int work(int depth)
{
    int below = depth > 0 ? work(depth - 1) : 0;
    __asm__ volatile("" : "+r"(below));
    return below + 1;
}

void *run(void *depth)
{
    work((int)(long)depth);
    return NULL;
}

void handle(int number)
{
    work(number - SIGUSR1);
    if (escaping)
        siglongjmp(escape_to, 1);
}

void stumble(void)
{
    raise(SIGUSR1);
    work(0);
}

void escape(void)
{
    escaping = 1;
    if (sigsetjmp(escape_to, 1) == 0)
        raise(SIGUSR1);
    work(0);
}

int main(void)
{
    stack_t stack = {.ss_sp = stack_memory, .ss_size = sizeof stack_memory};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    pthread_t threads[2];
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    stumble();
    escape();
    puts("done");
    return 0;
}
