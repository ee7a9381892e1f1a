/* kind: coll-missing-member 5.13
 * set: held-out
 * ranks: 3
 * 0 none ends ends: all leave the loop in the same step, by a common decision
 * 1 error hangs hangs proves: each leaves the loop when its own error is small
 * 2 error hangs hangs proves: rank 0 alone makes the barrier before it writes
 */
#include <mpi.h>
#include <stdio.h>

static double solve(int rank)
{
    double error = 1, common = 1;
    for (int step = 0; step < 50; step++) {
        error /= 2 + rank;
        MPI_Allreduce(&error, &common, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD); /* HERE 1 */
        if ((VARIANT == 1 ? error : common) < 1e-6)
            break;
    }
    return common;
}

static void report(double error, int rank)
{
    if (rank == 0) {
        if (VARIANT == 2)
            MPI_Barrier(MPI_COMM_WORLD); /* HERE 2 */
        printf("%g\n", error);
    }
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    report(solve(rank), rank);
    MPI_Finalize();
    return 0;
}
