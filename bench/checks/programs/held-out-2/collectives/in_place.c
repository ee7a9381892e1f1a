/* kind: coll-buffers 5.2.1
 * set: held-out-2
 * ranks: 3
 * 0 none ends ends: all reduce in place
 * 1 error fails|ends fails|ends proves: the same array is given and taken
 * 2 error fails fails|crashes proves: not only the root of a reduction says MPI_IN_PLACE
 * 3 none ends ends: the root alone gathers in place
 */
#include <mpi.h>
#include <stdio.h>

#define CELLS 4

int main(int argc, char **argv)
{
    double cells[CELLS] = {1, 2, 3, 4}, all[3 * CELLS] = {0};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 2; step++) {
#if VARIANT == 0
        MPI_Allreduce(MPI_IN_PLACE, cells, CELLS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#elif VARIANT == 1
        MPI_Allreduce(cells, cells, CELLS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* HERE */
#elif VARIANT == 2
        MPI_Reduce(MPI_IN_PLACE, cells, CELLS, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); /* HERE */
#else
        MPI_Gather(rank == 0 ? MPI_IN_PLACE : cells, CELLS, MPI_DOUBLE, all, CELLS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
#endif
    }
    printf("%g %g\n", cells[0], all[0]);
    MPI_Finalize();
    return 0;
}
