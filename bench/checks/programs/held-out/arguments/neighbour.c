/* kind: argument-rank 3.2.3
 * set: held-out
 * ranks: 3
 * 0 none ends ends: the ends of a line have MPI_PROC_NULL as neighbour
 * 1 error fails fails proves: the last rank sends to a rank that is not there
 * 2 error fails fails proves: the first rank receives from rank -3
 */
#include <mpi.h>
#include <stdio.h>

static double pass(double value, int rank, int size)
{
    double got = 0;
    int right = rank + 1, left = rank - 1;
    if (right >= size && VARIANT != 1)
        right = MPI_PROC_NULL;
    if (left < 0)
        left = VARIANT == 2 ? -3 : MPI_PROC_NULL;
    MPI_Request request;
    MPI_Irecv(&got, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &request); /* HERE 2 */
    MPI_Send(&value, 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);         /* HERE 1 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return got;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("%g\n", pass(rank, rank, size));
    MPI_Finalize();
    return 0;
}
