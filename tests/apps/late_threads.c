/*
 * Three threads of which each comes late to some barriers, and how long that made the others wait, by the program's own
 * clock: a line each
 *     WAITER LATE NANOSECONDS
 */
#include <omp.h>
#include <stdio.h>
#include <time.h>

enum { THREADS = 3, STEPS = 9, LATE = 10000000 };
static long long begin[STEPS][THREADS];

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void come(int step, int thread)
{
    const struct timespec time = {0, step % THREADS == thread ? LATE : 0};
    nanosleep(&time, NULL);
    begin[step][thread] = now();
}

static void tell(const long long *step)
{
    int late = 0;
    for (int thread = 1; thread < THREADS; thread++)
        late = step[thread] > step[late] ? thread : late;
    for (int thread = 0; thread < THREADS; thread++)
        if (thread != late)
            printf("%d %d %lld\n", thread, late, step[late] - step[thread]);
}

int main(void)
{
#pragma omp parallel num_threads(THREADS)
    for (int step = 0; step < STEPS; step++) {
        come(step, omp_get_thread_num());
#pragma omp barrier
    }
    for (int step = 0; step < STEPS; step++)
        tell(begin[step]);
    return 0;
}
