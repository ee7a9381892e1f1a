/* kind: p2p-ready-send 3.4
 * set: open
 * ranks: 3
 * 0 none ends ends: receives posted, then a barrier, then ready sends
 * 1 error ends|fails ends|fails proves: the barrier stands before the receives are posted
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size, values[8] = {0};
    MPI_Request requests[8];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (VARIANT == 1) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            sleep(1);
    }
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, i, 0, MPI_COMM_WORLD, &requests[i - 1]);
    if (VARIANT == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Waitall(size - 1, requests, MPI_STATUSES_IGNORE);
        printf("%d\n", values[1] + values[2]);
    } else {
        MPI_Rsend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /* HERE */
    }
    MPI_Finalize();
    return 0;
}
