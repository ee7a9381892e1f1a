/* kind: p2p-ready-send 3.4
 * set: held-out
 * ranks: 2
 * 0 none ends ends: a ready send after the receiver said that its receive is posted
 * 1 error ends|fails ends|fails proves: a ready send long before the receive is posted
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static void give(int value)
{
    if (VARIANT == 0)
        MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Rsend(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD); /* HERE */
    if (VARIANT == 1)
        MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
}

static int take(void)
{
    int value = 0;
    MPI_Request request;
    if (VARIANT == 1)
        MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &request);
    if (VARIANT == 0)
        MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return value;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        give(5);
    else
        printf("%d\n", take());
    MPI_Finalize();
    return 0;
}
