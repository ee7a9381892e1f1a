/* kind: coll-signature 5.9
 * set: held-out
 * ranks: 3
 * 0 none ends ends: sums of as many values on each rank
 * 1 error hangs ends proves: the last rank has one value less
 * 2 error fails fails proves: int on one rank, long on the others
 */
#include <mpi.h>
#include <stdio.h>

static void totals(int rank, int size)
{
    long mine[8] = {1, 2, 3, 4, 5, 6, 7, 8}, all[8] = {0};
    int count = 8;
    MPI_Datatype type = MPI_LONG;
    if (VARIANT == 1 && rank == size - 1)
        count--;
    if (VARIANT == 2 && rank == size - 1)
        type = MPI_INT;
    MPI_Allreduce(mine, all, count, type, MPI_SUM, MPI_COMM_WORLD); /* HERE */
    printf("%ld\n", all[0]);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    totals(rank, size);
    MPI_Finalize();
    return 0;
}
