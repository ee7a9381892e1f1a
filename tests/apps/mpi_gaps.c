/*
 * mpi_gaps STEPS: works for known times between its calls of MPI. Prints by rank, when all has ended: RANK CALL STEP
 * NS, what passed before that call by the time stamp counter. Rank 1 works three times as long before MPI_Allreduce in
 * the second half of the steps.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

enum { MOST_STEPS = 1000, REDUCE = 0, BARRIER = 1 };
#define INLINED static inline __attribute__((always_inline))

static uint64_t passed[2][MOST_STEPS], since;
static double ticks_a_ns;

/* Nothing that is traced, as the tracer's own work would be in what passed. */
INLINED void work(double ns, uint64_t *took)
{
    uint64_t end = since + (uint64_t)(ns * ticks_a_ns), now;
    while ((now = __rdtsc()) < end)
        continue;
    *took = now - since;
}

static double nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void measure_ticks(void)
{
    uint64_t first = __rdtsc();
    double begin = nanoseconds();
    while (nanoseconds() < begin + 20e6)
        continue;
    ticks_a_ns = (double)(__rdtsc() - first) / (nanoseconds() - begin);
}

int main(int argc, char **argv)
{
    int rank, sum, one = 1, steps = argc > 1 ? atoi(argv[1]) : 20;
    steps = steps < MOST_STEPS ? steps : MOST_STEPS;
    measure_ticks();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    since = __rdtsc();
    for (int step = 0; step < steps; step++) {
        int slow = rank == 1 && step >= steps / 2;
        work(slow ? 6e6 : 2e6, &passed[REDUCE][step]);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        since = __rdtsc();
        work(0.5e6, &passed[BARRIER][step]);
        MPI_Barrier(MPI_COMM_WORLD);
        since = __rdtsc();
    }
    MPI_Finalize();
    for (int step = 0; step < steps; step++)
        printf("%d MPI_Allreduce %d %.0f\n%d MPI_Barrier %d %.0f\n", rank, step,
               (double)passed[REDUCE][step] / ticks_a_ns, rank, step, (double)passed[BARRIER][step] / ticks_a_ns);
    return 0;
}
