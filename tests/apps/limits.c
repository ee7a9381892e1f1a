/* A program of few calls that needs what limits of memory leave: limits DO... of "memory", "threads", "main", "thread";
 * says what it got. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, MEMORY = 40 << 20, MAIN_DEPTH = 100000, THREAD_DEPTH = 20000 };

static unsigned descend(unsigned depth)
{
    volatile unsigned here = depth;
    return depth ? descend(depth - 1) + (here != depth) + 1 : 0;
}

static void *work(void *argument)
{
    unsigned *depth = argument;
    *depth = descend(*depth);
    return argument;
}

static unsigned use_memory(void)
{
    char *memory = malloc(MEMORY);
    if (memory)
        memset(memory, 1, MEMORY);
    unsigned got = memory ? (unsigned)memory[MEMORY - 1] : 0;
    free(memory);
    return got;
}

static unsigned use_threads(unsigned depth)
{
    pthread_t threads[THREADS];
    unsigned depths[THREADS], sum = 0;
    for (int i = 0; i < THREADS; i++) {
        depths[i] = depth;
        int error = pthread_create(&threads[i], NULL, work, &depths[i]);
        if (error) {
            printf("pthread_create: %s\n", strerror(error));
            exit(1);
        }
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += depths[i];
    }
    return sum;
}

int main(int count, char **what)
{
    for (int i = 1; i < count; i++) {
        unsigned got = strcmp(what[i], "memory") == 0    ? use_memory()
                       : strcmp(what[i], "threads") == 0 ? use_threads(100)
                       : strcmp(what[i], "thread") == 0  ? use_threads(THREAD_DEPTH)
                                                         : descend(MAIN_DEPTH);
        printf("%s %u\n", what[i], got);
    }
    return 0;
}
