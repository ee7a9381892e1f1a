/* Hangs in a way of choice after some good rounds of a ring exchange and a reduction. Rank 2 is the culprit. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { CULPRIT = 2, ROUNDS = 5 };

static int rank, size, numbers[4];

static int is(const char *kind, const char *other)
{
    return strcmp(kind, other) == 0;
}

static void round_of_work(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, sum;
    MPI_Sendrecv(numbers, 1, MPI_INT, right, 1, numbers + 1, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(numbers, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Everybody receives first. */
static void cycle(void)
{
    MPI_Recv(numbers, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(numbers, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD);
}

/* The culprit receives a message that nobody sends; the others are at a collective call without it. */
static void absent(void)
{
    if (rank == CULPRIT)
        MPI_Recv(numbers, 1, MPI_INT, 3, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Pairs exchange; the culprit's message has another tag. */
static void exchange_tag(void)
{
    int partner = rank ^ 1;
    if (rank % 2 == 0) {
        MPI_Send(numbers, 1, MPI_INT, partner, rank == CULPRIT ? 8 : 7, MPI_COMM_WORLD);
        MPI_Recv(numbers, 1, MPI_INT, partner, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(numbers, 1, MPI_INT, partner, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(numbers, 1, MPI_INT, partner, 7, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The culprit's message goes to its partner's other neighbour. */
static void exchange_peer(void)
{
    int partner = rank ^ 1;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Irecv(numbers + 2, 1, MPI_INT, partner, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(numbers, 1, MPI_INT, rank == CULPRIT ? 0 : partner, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The culprit reduces to all where the others broadcast. */
static void other_call(void)
{
    if (rank == CULPRIT)
        MPI_Allreduce(numbers, numbers + 1, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(numbers, numbers + 1, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Rank 0 waits for any of its workers; the culprit waits for rank 0, the others for the culprit. */
static void any(void)
{
    MPI_Request requests[64];
    int index;
    if (rank == 0) {
        for (int i = 1; i < size; i++)
            MPI_Irecv(numbers, 1, MPI_INT, i, 4, MPI_COMM_WORLD, &requests[i - 1]);
        MPI_Waitany(size - 1, requests, &index, MPI_STATUS_IGNORE);
    } else if (rank == CULPRIT) {
        MPI_Recv(numbers, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(numbers, 1, MPI_INT, CULPRIT, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < ROUNDS; i++)
        round_of_work();
    if (is(kind, "cycle"))
        cycle();
    else if (is(kind, "absent"))
        absent();
    else if (is(kind, "tag"))
        exchange_tag();
    else if (is(kind, "peer"))
        exchange_peer();
    else if (is(kind, "other"))
        other_call();
    else if (is(kind, "any"))
        any();
    MPI_Finalize();
    return 0;
}
