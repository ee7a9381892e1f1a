/* Threads that end by pthread_cancel and by pthread_exit from deep calls, with cleanup handlers, while an interval
 * timer's handler runs on an alternate stack: every cleanup must run once, whoever unwinds through our calls. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

enum { ROUNDS = 20, DEPTH = 10 };

static volatile int work;
static int cleaned, waiting;

static void clean(void *unused)
{
    (void)unused;
    __atomic_fetch_add(&cleaned, 1, __ATOMIC_RELAXED);
}

static void wait_deep(int depth)
{
    if (depth)
        wait_deep(depth - 1);
    else
        for (__atomic_store_n(&waiting, 1, __ATOMIC_RELEASE);;)
            pause();
    work++;
}

static void exit_deep(int depth)
{
    if (depth)
        exit_deep(depth - 1);
    else
        pthread_exit(NULL);
    work++;
}

static void *cancelled(void *unused)
{
    pthread_cleanup_push(clean, NULL);
    wait_deep(DEPTH);
    pthread_cleanup_pop(1);
    return unused;
}

static void *exits(void *unused)
{
    pthread_cleanup_push(clean, NULL);
    exit_deep(DEPTH);
    pthread_cleanup_pop(1);
    return unused;
}

static void recurse(int depth)
{
    if (depth)
        recurse(depth - 1);
    work++;
}

static void on_alarm(int number)
{
    (void)number;
    recurse(3);
}

static void start_alarms(void)
{
    static const stack_t none;
    stack_t stack = none;
    stack.ss_size = 65536;
    stack.ss_sp = malloc(stack.ss_size);
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK | SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    const struct itimerval interval = {{0, 200}, {0, 200}};
    setitimer(ITIMER_REAL, &interval, NULL);
}

int main(void)
{
    start_alarms();
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[2];
        pthread_create(&threads[0], NULL, cancelled, NULL);
        pthread_create(&threads[1], NULL, exits, NULL);
        while (!__atomic_exchange_n(&waiting, 0, __ATOMIC_ACQUIRE))
            usleep(100);
        pthread_cancel(threads[0]);
        pthread_join(threads[0], NULL);
        pthread_join(threads[1], NULL);
    }
    for (int i = 0; i < 100000; i++)
        recurse(20);
    printf("%d of %d cleaned up\n", cleaned, 2 * ROUNDS);
    return 0;
}
