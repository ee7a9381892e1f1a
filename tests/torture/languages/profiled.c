/* A sampling profiler: threads are interrupted ten thousand times a second, wherever they are, and the handler unwinds.
 * With an argument the profiler is that of a library. */
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLES = 2000, THREADS = 3, DEEPEST = 64 };

static atomic_long samples, empty;
static atomic_int over;
static int own;

static void on_profile(int number)
{
    void *frames[DEEPEST];
    (void)number;
    if (backtrace(frames, DEEPEST) < 2)
        empty++;
    samples++;
}

static int compare(const void *left, const void *right)
{
    return *(const int *)left - *(const int *)right;
}

static __attribute__((noinline)) long sum_up(long n)
{
    volatile long value = n;
    return value <= 0 ? 0 : value + sum_up(value - 1);
}

static void profile_this_thread(void)
{
    struct itimerspec often = {{0, 100000}, {0, 100000}};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
    timer_t timer;
    event._sigev_un._tid = gettid();
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &often, NULL) != 0)
        exit(1);
}

static void *work(void *unused)
{
    char text[64];
    if (own)
        profile_this_thread();
    while (!over) {
        int values[16];
        for (int i = 0; i < 16; i++)
            values[i] = (int)sum_up(i * 7 % 16);
        qsort(values, 16, sizeof *values, compare);
        snprintf(text, sizeof text, "%d", values[3]);
        free(malloc((size_t)values[15]));
    }
    return unused;
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    void *frames[DEEPEST];
    (void)argv;
    own = argc == 1;
    if (own) {
        backtrace(frames, DEEPEST); /* loads the unwinder, which a handler cannot */
        struct sigaction action = {.sa_handler = on_profile, .sa_flags = SA_RESTART};
        sigaction(SIGPROF, &action, NULL);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    while (own ? samples < SAMPLES : processor_seconds() < 0.3)
        sum_up(20);
    over = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%ld empty\n", (long)empty);
    return 9;
}
