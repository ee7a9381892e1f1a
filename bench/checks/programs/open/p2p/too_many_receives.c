/* kind: p2p-unmatched-receive 3.5
 * set: open
 * ranks: 3
 * 0 none ends ends: rank 0 receives once from each
 * 1 error hangs hangs proves: rank 0 receives from itself, too, and has sent nothing to itself
 * 2 error hangs hangs proves: rank 0 waits for one more message of anybody
 */
#include <mpi.h>
#include <stdio.h>

static double gather_slowly(double mine, int rank, int size)
{
    double value, sum = mine;
    if (rank != 0) {
        MPI_Send(&mine, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        return mine;
    }
#if VARIANT == 2
    for (int i = 0; i < size; i++) {
        MPI_Recv(&value, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE 2 */
        sum += value;
    }
#else
    for (int i = VARIANT == 1 ? 0 : 1; i < size; i++) {
        MPI_Recv(&value, 1, MPI_DOUBLE, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE 1 */
        sum += value;
    }
#endif
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("%g\n", gather_slowly(rank + 1.0, rank, size));
    MPI_Finalize();
    return 0;
}
