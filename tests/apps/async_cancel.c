/* Asynchronous cancellation at any instruction of deep traced calls: the cleanup handlers of all levels must run,
 * whether the signal hits the program's code or what was put in front of it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 300, LEVELS = 5 };

static volatile int work;
static int cleaned, ready;

static void clean(void *unused)
{
    (void)unused;
    __atomic_fetch_add(&cleaned, 1, __ATOMIC_RELAXED);
}

static void touch(void)
{
    work++;
}

static void recurse(int depth)
{
    if (depth)
        recurse(depth - 1);
    touch();
}

static void spin(void)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
    for (;;)
        recurse(6);
}

static void descend(int level)
{
    pthread_cleanup_push(clean, NULL);
    if (level > 1)
        descend(level - 1);
    else
        spin();
    pthread_cleanup_pop(0);
}

static void *run(void *unused)
{
    descend(LEVELS);
    return unused;
}

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t thread;
        pthread_create(&thread, NULL, run, NULL);
        while (!__atomic_exchange_n(&ready, 0, __ATOMIC_ACQUIRE))
            usleep(10);
        for (volatile int wait = round * 7 % 400; wait > 0; wait--)
            continue;
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
    printf("%d of %d cleaned up\n", cleaned, ROUNDS * LEVELS);
    return 0;
}
