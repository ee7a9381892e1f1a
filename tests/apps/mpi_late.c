/*
 * Ranks that come late to known calls, and how long that made others wait, by the program's own clock: a line each
 *     FUNCTION WAITER LATE NANOSECONDS
 * of the function in which it happened. 4 ranks. `mpi-late MILLISECONDS`: the unit of the delays.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RANKS = 4, LARGE = 1 << 20, MOST_STEPS = 16 };

static int rank, data[RANKS], large[LARGE];
static long unit;                   /* nanoseconds */
static long long begin[MOST_STEPS]; /* of the call of each step, by this rank */
static int step;

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void sleep_for(int units)
{
    const struct timespec time = {0, units * unit};
    nanosleep(&time, NULL);
}

/* The call behind it begins. */
static void stamp(void)
{
    begin[step] = now();
}

static void late_sender(void)
{
    if (rank == 0) {
        sleep_for(4);
        stamp();
        MPI_Send(data, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    } else if (rank == 1) {
        stamp();
        MPI_Recv(data, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void any_sender(void)
{
    if (rank == 2) {
        sleep_for(3);
        stamp();
        MPI_Send(data, 1, MPI_INT, 3, 5, MPI_COMM_WORLD);
    } else if (rank == 3) {
        stamp();
        MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void late_receiver(void)
{
    if (rank == 2) {
        stamp();
        MPI_Ssend(large, LARGE, MPI_INT, 3, 2, MPI_COMM_WORLD);
    } else if (rank == 3) {
        sleep_for(4);
        stamp();
        MPI_Recv(large, LARGE, MPI_INT, 2, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Rank 3 waits for the last of three. */
static void all_requests(void)
{
    if (rank == 3) {
        MPI_Request requests[RANKS - 1];
        for (int i = 0; i < RANKS - 1; i++)
            MPI_Irecv(&data[i], 1, MPI_INT, i, 3, MPI_COMM_WORLD, &requests[i]);
        stamp();
        MPI_Waitall(RANKS - 1, requests, MPI_STATUSES_IGNORE);
    } else {
        sleep_for(rank == 1 ? 5 : rank);
        stamp();
        MPI_Send(data, 1, MPI_INT, 3, 3, MPI_COMM_WORLD);
    }
}

static void persistent(void)
{
    MPI_Request request;
    if (rank == 0) {
        MPI_Recv_init(data, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        stamp();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    } else if (rank == 1) {
        sleep_for(3);
        stamp();
        MPI_Send(data, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
    }
}

static void barrier(void)
{
    sleep_for(rank == 2 ? 5 : rank);
    stamp();
    MPI_Barrier(MPI_COMM_WORLD);
}

static void allreduce(void)
{
    int sum = 0;
    sleep_for(rank == 1 ? 5 : rank);
    stamp();
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void broadcast(void)
{
    sleep_for(rank == 1 ? 4 : 0);
    stamp();
    MPI_Bcast(data, RANKS, MPI_INT, 1, MPI_COMM_WORLD);
}

static void reduce(void)
{
    int sum = 0;
    sleep_for(rank == 3 ? 4 : 0);
    stamp();
    MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

/* Two halves of the ranks, each by itself. */
static void halves(MPI_Comm half)
{
    sleep_for(rank < 2 ? 0 : 4);
    stamp();
    MPI_Barrier(half);
}

static void settle(void)
{
    step++;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void tell(const char *function, int of, int waiter, int late, const long long *all)
{
    long long wait = all[late * MOST_STEPS + of] - all[waiter * MOST_STEPS + of];
    if (wait > 0)
        printf("%s %d %d %lld\n", function, waiter, late, wait);
}

static void tell_for_all(const char *function, int of, const long long *all)
{
    int late = 0;
    for (int i = 1; i < RANKS; i++)
        late = all[i * MOST_STEPS + of] > all[late * MOST_STEPS + of] ? i : late;
    for (int i = 0; i < RANKS; i++)
        tell(function, of, i, late, all);
}

static void tell_all(const long long *all)
{
    tell("late_sender", 0, 1, 0, all);
    tell("any_sender", 1, 3, 2, all);
    tell("late_receiver", 2, 2, 3, all);
    tell("all_requests", 3, 3, 1, all);
    tell("persistent", 4, 0, 1, all);
    tell_for_all("barrier", 5, all);
    tell_for_all("allreduce", 6, all);
    for (int i = 0; i < RANKS; i++)
        tell("broadcast", 7, i, 1, all);
    int last = 0;
    for (int i = 1; i < RANKS; i++)
        last = all[i * MOST_STEPS + 8] > all[last * MOST_STEPS + 8] ? i : last;
    tell("reduce", 8, 0, last, all);
    for (int i = 0; i < 2; i++) {
        tell("halves", 9, i, 1 - i, all);
        tell("halves", 9, 2 + i, 3 - i, all);
    }
}

int main(int argc, char **argv)
{
    static void (*const steps[])(void) = {late_sender, any_sender, late_receiver, all_requests, persistent,
                                          barrier,     allreduce,  broadcast,     reduce};
    long long all[RANKS * MOST_STEPS];
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    unit = (argc > 1 ? atol(argv[1]) : 10) * 1000000L;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < (int)(sizeof steps / sizeof *steps); i++) {
        steps[i]();
        settle();
    }
    halves(half);
    settle();
    MPI_Gather(begin, MOST_STEPS, MPI_LONG_LONG, all, MOST_STEPS, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    if (rank == 0)
        tell_all(all);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
