/*
 * What a traced thread costs, for bench/tracer:
 *
 *     threads COUNT CALLS
 *
 * starts COUNT threads at once, of which each makes about CALLS calls in an order that is hard to predict, and prints
 * the resident memory in kB while all of them are there.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWN __attribute__((noinline, noclone, noipa))

static pthread_barrier_t all_done, may_end;
static long calls_each;

OWN static uint32_t add(uint32_t x)
{
    return x + 0x9e3779b9u;
}

OWN static uint32_t multiply(uint32_t x)
{
    return x * 1664525u + 1013904223u;
}

OWN static uint32_t fold(uint32_t x)
{
    return add(x) ^ x >> 7;
}

OWN static uint32_t mix(uint32_t x)
{
    return x & 4096 ? fold(multiply(x)) : multiply(fold(x));
}

static void *thread(void *seed)
{
    static uint32_t (*const functions[])(uint32_t) = {add, multiply, fold, mix};
    uint32_t x = (uint32_t)(uintptr_t)seed;
    for (long i = 0; i < calls_each; i++)
        x = functions[x >> 13 & 3](multiply(x));
    pthread_barrier_wait(&all_done);
    pthread_barrier_wait(&may_end);
    return (void *)(uintptr_t)x;
}

static long resident_kb(void)
{
    char line[256];
    long kb = -1;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmRSS: %ld", &kb) == 1)
            break;
    if (status)
        fclose(status);
    return kb;
}

int main(int argc, char **argv)
{
    long count = argc > 2 ? atol(argv[1]) : 0;
    pthread_t *threads = calloc(count > 0 ? (size_t)count : 1, sizeof *threads);
    if (count < 1 || !threads) {
        fprintf(stderr, "usage: threads COUNT CALLS\n");
        return 2;
    }
    calls_each = atol(argv[2]) / 2;
    pthread_barrier_init(&all_done, NULL, (unsigned)count + 1);
    pthread_barrier_init(&may_end, NULL, (unsigned)count + 1);
    for (long i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, thread, (void *)(uintptr_t)(i + 1)) != 0) {
            perror("pthread_create");
            return 1;
        }
    pthread_barrier_wait(&all_done);
    printf("%ld\n", resident_kb());
    pthread_barrier_wait(&may_end);
    for (long i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    return 0;
}
