/*
 * mpi_times STEPS: functions that work for a while, and what each took by the program's own reading of the time stamp
 * counter. Prints by rank, when all has ended: RANK function NAME CALLS NS    while it was the innermost of them RANK
 * call NAME CALLS NS        of MPI RANK step NUMBER NS            outside of MPI Rank 1 is slow in `late` in the second
 * half of the steps.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

enum { MAIN, STEP, LEAF, PAIR, PING, PONG, LATE, CHURN, TINY, SENDRECV, ALLREDUCE, BARRIER, COUNTED };
enum { MOST_STEPS = 1000, PAIRS = 10, CHURNED = 500, WORDS = 100 };
#define INLINED static inline __attribute__((always_inline))

static const char *const names[COUNTED] = {"main", "step",  "leaf", "pair",         "ping",          "pong",
                                           "late", "churn", "tiny", "MPI_Sendrecv", "MPI_Allreduce", "MPI_Barrier"};
static uint64_t ticks[COUNTED], calls[COUNTED], of_step[MOST_STEPS + 1], since;
static int current, step_number;
static double ticks_a_ns;

/* What passed is that of the function that was at work. */
INLINED int turn_to(int function)
{
    uint64_t now = __rdtsc(), passed = now - since;
    int before = current;
    ticks[current] += passed;
    if (current < SENDRECV)
        of_step[step_number] += passed;
    since = now;
    current = function;
    return before;
}

INLINED int begin(int function)
{
    calls[function]++;
    return turn_to(function);
}

INLINED void spin(double ns)
{
    uint64_t end = __rdtsc() + (uint64_t)(ns * ticks_a_ns);
    while (__rdtsc() < end)
        continue;
}

static void leaf(void)
{
    int before = begin(LEAF);
    spin(2e6);
    turn_to(before);
}

static void ping(void)
{
    int before = begin(PING);
    spin(200e3);
    turn_to(before);
}

static void pong(void)
{
    int before = begin(PONG);
    spin(40e3);
    turn_to(before);
}

static void pair(void)
{
    int before = begin(PAIR);
    for (int i = 0; i < PAIRS; i++) {
        ping();
        pong();
    }
    turn_to(before);
}

static void late(int slow)
{
    int before = begin(LATE);
    spin(slow ? 8e6 : 100e3);
    turn_to(before);
}

static int tiny(int value)
{
    return value * 3 + 1;
}

static int churn(void)
{
    int before = begin(CHURN), sum = 0;
    for (int i = 0; i < CHURNED; i++)
        sum += tiny(i);
    calls[TINY] += CHURNED;
    turn_to(before);
    return sum;
}

static void communicate(int rank, int ranks)
{
    static double out[WORDS], in[WORDS];
    double sum;
    int before = begin(SENDRECV);
    MPI_Sendrecv(out, WORDS, MPI_DOUBLE, (rank + 1) % ranks, 0, in, WORDS, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    begin(ALLREDUCE);
    MPI_Allreduce(&in[0], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    turn_to(before);
}

static void step(int rank, int ranks, int slow)
{
    int before = begin(STEP);
    leaf();
    pair();
    late(slow);
    churn();
    communicate(rank, ranks);
    turn_to(before);
}

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Over 20 ms. */
static void find_rate(void)
{
    double from = now_ns();
    uint64_t ticks_before = __rdtsc();
    while (now_ns() - from < 20e6)
        continue;
    ticks_a_ns = (double)(__rdtsc() - ticks_before) / (now_ns() - from);
}

static void tell(int rank, int steps)
{
    for (int i = STEP; i < COUNTED; i++)
        printf("%d %s %s %llu %.0f\n", rank, i < SENDRECV ? "function" : "call", names[i], (unsigned long long)calls[i],
               (double)ticks[i] / ticks_a_ns);
    for (int i = 0; i < steps; i++)
        printf("%d step %d %.0f\n", rank, i, (double)of_step[i] / ticks_a_ns);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int rank, ranks, steps = argc > 1 ? atoi(argv[1]) : 20;
    if (steps > MOST_STEPS)
        return 2;
    find_rate();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    since = __rdtsc();
    current = MAIN;
    int before = begin(BARRIER);
    MPI_Barrier(MPI_COMM_WORLD);
    turn_to(before);
    for (step_number = 0; step_number < steps; step_number++)
        step(rank, ranks, rank == 1 && step_number >= steps / 2);
    turn_to(MAIN);
    MPI_Finalize();
    tell(rank, steps);
    return 0;
}
