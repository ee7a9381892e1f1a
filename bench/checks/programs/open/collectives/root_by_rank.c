/* kind: coll-root 5.4
 * set: open
 * ranks: 3
 * 0 none ends ends: the rank that owns the block broadcasts, and all know who it is
 * 1 error ends ends proves: everybody names itself as the root
 * 2 error ends ends proves: one rank is a step ahead in who owns the block
 */
#include <mpi.h>
#include <stdio.h>

static void factor(double *block, int k, int rank, int size)
{
    int owner = k % size;
#if VARIANT == 1
    owner = rank;
#elif VARIANT == 2
    if (rank == size - 1)
        owner = (k + 1) % size;
#endif
    if (rank == owner)
        block[0] = k;
    MPI_Bcast(block, 4, MPI_DOUBLE, owner, MPI_COMM_WORLD); /* HERE */
}

int main(int argc, char **argv)
{
    double block[4] = {0};
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int k = 0; k < 3; k++)
        factor(block, k, rank, size);
    printf("%g\n", block[0]);
    MPI_Finalize();
    return 0;
}
