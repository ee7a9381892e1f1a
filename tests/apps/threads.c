/*
 * Threads in numbers, each doing the same, thread by thread reproducible work.
 *
 *     threads together COUNT ROUNDS    all at once; they end when all have done their rounds
 *     threads sequence COUNT ROUNDS    one after the other
 *     threads wait COUNT ROUNDS        as together, then "ready" on stdout, and all wait for the end of stdin
 *
 * The main thread does the same rounds before the others start and after they have ended.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long rounds;
static pthread_barrier_t done;

unsigned leaf(unsigned state)
{
    return state * 1664525u + 1013904223u;
}

unsigned deep(unsigned state, int depth)
{
    state = leaf(state);
    return depth > 0 ? deep(state, depth - 1) : state;
}

unsigned step(unsigned state)
{
    if (state >> 30 == 0)
        return deep(state, (int)(state >> 8 & 15));
    for (unsigned i = state >> 12 & 3; i > 0; i--)
        state = leaf(state);
    return leaf(state);
}

unsigned work(unsigned state)
{
    for (long i = 0; i < rounds; i++)
        state = step(state);
    return state;
}

void *short_thread(void *number)
{
    return (void *)(size_t)work((unsigned)(size_t)number);
}

void *long_thread(void *number)
{
    void *result = short_thread(number);
    pthread_barrier_wait(&done);
    pthread_barrier_wait(&done);
    return result;
}

static void in_sequence(long count)
{
    for (long i = 0; i < count; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, short_thread, (void *)(i + 1)) != 0)
            exit(1);
        pthread_join(thread, NULL);
    }
}

static void together(long count, int wait)
{
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    pthread_barrier_init(&done, NULL, (unsigned)count + 1);
    for (long i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, long_thread, (void *)(i + 1)) != 0)
            exit(1);
    pthread_barrier_wait(&done);
    if (wait) {
        puts("ready");
        fflush(stdout);
        while (getchar() != EOF) {
        }
    }
    pthread_barrier_wait(&done);
    for (long i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    long count = atol(argv[2]);
    rounds = atol(argv[3]);
    unsigned first = work(0);
    if (strcmp(argv[1], "sequence") == 0)
        in_sequence(count);
    else
        together(count, strcmp(argv[1], "wait") == 0);
    printf("%u %u\n", first, work(first));
    return 0;
}
