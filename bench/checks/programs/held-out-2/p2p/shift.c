/* kind: p2p-envelope 3.10
 * set: held-out-2
 * ranks: 4
 * 0 none ends ends: a torus: each gives to the right and takes from the left
 * 1 error hangs hangs proves: it takes another tag than the left one gives
 * 2 none ends ends: an open line, with MPI_PROC_NULL at its ends
 * 3 error hangs hangs proves: it gives to the right, and waits for the right one, too
 * 4 none ends ends: in one buffer, by MPI_Sendrecv_replace
 */
#include <mpi.h>
#include <stdio.h>

static double shift(double value, int left, int right, int step)
{
    double got = value;
    int tag = 7 + step % 3;
#if VARIANT == 4
    MPI_Sendrecv_replace(&got, 1, MPI_DOUBLE, right, tag, left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#else
    int from = VARIANT == 3 && step == 4 ? right : left;
    MPI_Sendrecv(&value, 1, MPI_DOUBLE, right, tag, &got, 1, MPI_DOUBLE, from,
                 VARIANT == 1 && step == 4 ? tag + 1 : tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE */
#endif
    return got;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    if (VARIANT == 2) {
        left = rank == 0 ? MPI_PROC_NULL : rank - 1;
        right = rank == size - 1 ? MPI_PROC_NULL : rank + 1;
    }
    double value = rank;
    for (int step = 0; step < 6; step++)
        value = shift(value, left, right, step);
    printf("%d: %g\n", rank, value);
    MPI_Finalize();
    return 0;
}
