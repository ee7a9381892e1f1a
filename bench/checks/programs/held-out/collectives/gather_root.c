/* kind: coll-root 5.5
 * set: held-out
 * ranks: 4
 * 0 none ends ends: gathered at rank 0 of the own row; the roots differ in the world
 * 1 error hangs hangs proves: two ranks believe that the last rank gathers
 */
#include <mpi.h>
#include <stdio.h>

static void output(const int *mine, int rank, int size, MPI_Comm row)
{
    int all[8] = {0};
#if VARIANT == 1
    MPI_Gather(mine, 1, MPI_INT, all, 1, MPI_INT, rank < 2 ? 0 : size - 1, MPI_COMM_WORLD); /* HERE */
#endif
    MPI_Gather(mine, 1, MPI_INT, all, 1, MPI_INT, 0, row);
    if (rank == 0)
        printf("%d of %d\n", all[1], size);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Comm row;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
    output(&rank, rank, size, row);
    MPI_Comm_free(&row);
    MPI_Finalize();
    return 0;
}
