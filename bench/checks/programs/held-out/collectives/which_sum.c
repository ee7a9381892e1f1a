/* kind: coll-order 5.13
 * set: held-out
 * ranks: 3
 * 0 none ends ends: everybody calls MPI_Allreduce, at two places of the code
 * 1 error hangs hangs proves: one rank calls MPI_Reduce where the others call MPI_Allreduce
 * 2 error hangs hangs proves: one rank calls MPI_Barrier where the others call MPI_Allreduce
 */
#include <mpi.h>
#include <stdio.h>

static double norm(double mine, int verbose)
{
    double sum = 0;
    if (verbose) {
#if VARIANT == 1
        MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); /* HERE 1 */
#elif VARIANT == 2
        MPI_Barrier(MPI_COMM_WORLD); /* HERE 2 */
#else
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#endif
        printf("norm %g\n", sum);
    } else {
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* HERE */
    }
    return sum;
}

int main(int argc, char **argv)
{
    int rank;
    double x = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++)
        x = norm(x * rank, rank == 0);
    MPI_Finalize();
    return 0;
}
