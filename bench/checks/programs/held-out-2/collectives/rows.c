/* kind: coll-root 5.6
 * set: held-out-2
 * ranks: 4
 * 0 none ends ends: rows of other lengths are scattered from the last rank
 * 1 error ends|hangs|fails|crashes ends|hangs|fails|crashes proves: one takes rank 0 for the root
 * 2 none ends ends: the root is another one in each step
 * 3 error fails fails proves: the root is the number of ranks
 */
#include <mpi.h>
#include <stdio.h>

#define MOST 8

static int root_of(int step, int rank, int size)
{
    if (VARIANT == 1 && rank == 1 && step == 2)
        return 0;
    if (VARIANT == 2)
        return step % size;
    return VARIANT == 3 ? size : size - 1;
}

int main(int argc, char **argv)
{
    int rank, size, counts[16], places[16], all[MOST * 16] = {0}, row[MOST];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < size; i++)
        counts[i] = 2 + i, places[i] = i * MOST;
    for (int step = 0; step < 4; step++)
        MPI_Scatterv(all, counts, places, MPI_INT, row, counts[rank], MPI_INT, root_of(step, rank, size),
                     MPI_COMM_WORLD); /* HERE */
    printf("%d\n", row[0]);
    MPI_Finalize();
    return 0;
}
