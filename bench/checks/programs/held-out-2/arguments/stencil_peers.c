/* kind: argument-rank 3.2.3
 * set: held-out-2
 * ranks: 3
 * 0 none ends ends: at the edges there is MPI_PROC_NULL
 * 1 error fails fails proves: the last rank sends to one that is not there
 * 2 error/argument-tag fails fails proves: a tag below zero
 * 3 error/argument-count fails fails proves: a count below zero
 * 4 none ends ends: a count of zero, and a null buffer
 */
#include <mpi.h>
#include <stdio.h>

static int cells(int rank, int step)
{
    if (VARIANT == 4)
        return 0;
    return VARIANT == 3 && rank == 1 && step == 2 ? -2 : 4;
}

int main(int argc, char **argv)
{
    double own[4] = {0}, other[4] = {0};
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int up = rank + 1 < size || VARIANT == 1 ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    for (int step = 0; step < 3; step++) {
        int tag = VARIANT == 2 ? 1 - step : step;
        MPI_Request request;
        MPI_Irecv(other, 4, MPI_DOUBLE, down, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        MPI_Send(VARIANT == 4 ? NULL : own, cells(rank, step), MPI_DOUBLE, up, tag, MPI_COMM_WORLD); /* HERE */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    printf("%g\n", other[0]);
    MPI_Finalize();
    return 0;
}
