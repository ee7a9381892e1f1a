/* kind: p2p-wildcard 3.5
 * set: open
 * ranks: 3
 * 0 none ends ends: the length of anybody, then the data of the same sender
 * 1 error fails fails proves: two wildcards in a row, which mix up the senders of length and data
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void offer(int rank)
{
    int length = rank * 100;
    double *data = calloc((size_t)length, sizeof *data);
    usleep(rank == 2 ? 200000 : 0);
    MPI_Send(&length, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    usleep(rank == 1 ? 600000 : 0);
    MPI_Send(data, length, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD); /* HERE */
    free(data);
}

static int accept_one(void)
{
    MPI_Status status;
    int length;
    MPI_Recv(&length, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
    double *data = malloc((size_t)length * sizeof *data);
    int from = VARIANT == 1 ? MPI_ANY_SOURCE : status.MPI_SOURCE;
    MPI_Recv(data, length, MPI_DOUBLE, from, 2, MPI_COMM_WORLD, &status); /* HERE */
    free(data);
    return length;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0)
        offer(rank);
    else
        printf("%d\n", accept_one() + accept_one());
    MPI_Finalize();
    return 0;
}
