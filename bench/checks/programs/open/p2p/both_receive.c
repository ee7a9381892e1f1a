/* kind: p2p-deadlock 3.5
 * set: open
 * ranks: 2
 * 0 none ends ends: one side receives first, the other sends first
 * 1 error hangs hangs proves: both receive first
 * 2 error hangs hangs proves: both send synchronously first
 * 3 error hangs hangs proves: both send first more than is buffered
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void send(double *data, int count, int other)
{
#if VARIANT == 2
    MPI_Ssend(data, count, MPI_DOUBLE, other, 0, MPI_COMM_WORLD); /* HERE 2 */
#else
    MPI_Send(data, count, MPI_DOUBLE, other, 0, MPI_COMM_WORLD); /* HERE 3 */
#endif
}

static void swap(double *mine, double *theirs, int count, int rank)
{
    if (VARIANT == 1 || (VARIANT == 0 && rank == 1)) {
        MPI_Recv(theirs, count, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE 1 */
        send(mine, count, 1 - rank);
    } else {
        send(mine, count, 1 - rank);
        MPI_Recv(theirs, count, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    int count = VARIANT == 3 ? 1000000 : 100, rank;
    double *mine = calloc((size_t)count, sizeof *mine), *theirs = calloc((size_t)count, sizeof *theirs);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++)
        swap(mine, theirs, count, rank);
    printf("%g\n", theirs[0]);
    free(mine);
    free(theirs);
    MPI_Finalize();
    return 0;
}
