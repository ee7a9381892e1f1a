/* kind: p2p-truncation 3.2.4
 * set: open
 * ranks: 3
 * 0 none ends ends: partial sums go round, the receiver has room for more than comes
 * 1 error fails fails proves: the receiver has room for half of the message
 * 2 none ends ends: the receiver has exactly the room, counted in a type twice as large
 */
#include <mpi.h>
#include <stdio.h>

#define LENGTH 8

static void shift(const double *mine, double *other, int room, int rank, int size)
{
    MPI_Request request;
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    MPI_Type_commit(&pair);
#if VARIANT == 2
    MPI_Irecv(other, room / 4, pair, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &request);
#else
    MPI_Irecv(other, room, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &request); /* HERE */
#endif
    MPI_Send(mine, LENGTH, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD); /* HERE */
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                    /* HERE */
    MPI_Type_free(&pair);
}

int main(int argc, char **argv)
{
    double mine[LENGTH], other[2 * LENGTH], sum = 0;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < LENGTH; i++)
        mine[i] = rank + i;
    for (int step = 0; step < size - 1; step++) {
        shift(mine, other, VARIANT == 1 ? LENGTH / 2 : 2 * LENGTH, rank, size);
        for (int i = 0; i < LENGTH; i++)
            sum += mine[i] = other[i];
    }
    printf("%d: %g\n", rank, sum);
    MPI_Finalize();
    return 0;
}
