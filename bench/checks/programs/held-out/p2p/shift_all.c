/* kind: p2p-unsafe 3.5
 * set: held-out
 * ranks: 3
 * 0 none ends ends: MPI_Sendrecv round the circle
 * 1 warning ends ends suggests: MPI_Send round the circle, then MPI_Recv
 * 2 none ends ends: MPI_Send along a line that ends with a null process
 */
#include <mpi.h>
#include <stdio.h>

static double shift(double value, int rank, int size)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    double got = value;
#if VARIANT == 0
    MPI_Sendrecv(&value, 1, MPI_DOUBLE, right, 9, &got, 1, MPI_DOUBLE, left, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#else
    if (VARIANT == 2) {
        right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
        left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    }
    MPI_Send(&value, 1, MPI_DOUBLE, right, 9, MPI_COMM_WORLD); /* HERE */
    MPI_Recv(&got, 1, MPI_DOUBLE, left, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
    return got;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double value = rank;
    for (int i = 0; i < 2 * size; i++)
        value = shift(value, rank, size);
    printf("%d: %g\n", rank, value);
    MPI_Finalize();
    return 0;
}
