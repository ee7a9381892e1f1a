/* For sanitizers and valgrind: threads, locks, the heap, a child. With an argument: a use after free. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static __attribute__((noinline)) long sum_up(long n)
{
    volatile long value = n;
    return value <= 0 ? 0 : value + sum_up(value - 1);
}

static void *work(void *unused)
{
    for (int i = 0; i < 200; i++) {
        long *value = malloc(sizeof *value);
        *value = sum_up(i % 20);
        pthread_mutex_lock(&lock);
        total += *value;
        pthread_mutex_unlock(&lock);
        free(value);
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[4];
    (void)argv;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", total);
    fflush(stdout);
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit((int)sum_up(10));
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    fflush(stdout);
    if (argc > 1) {
        volatile char *gone = malloc(10);
        free((void *)gone);
        gone[3] = 1;
    }
    return 4;
}
