/* kind: coll-buffers 5.5
 * set: open
 * ranks: 3
 * 0 none ends ends: MPI_IN_PLACE as the send buffer at the root of a gather
 * 1 error fails|crashes fails|crashes proves: MPI_IN_PLACE as the send buffer on a rank that is not the root
 * 2 none ends ends: MPI_IN_PLACE as the receive buffer at the root of a scatter
 * 3 error fails|ends fails|ends proves: the root's own part of the gathered array is its send buffer
 */
#include <mpi.h>
#include <stdio.h>

static void gather(int *all, int *mine, int rank)
{
    MPI_Comm world = MPI_COMM_WORLD;
    void *from = mine;
    if (VARIANT == 1 || (VARIANT == 0 && rank == 0))
        from = MPI_IN_PLACE;
    if (VARIANT == 3 && rank == 0)
        from = all;
#if VARIANT == 2
    if (rank == 0)
        MPI_Scatter(all, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, 0, world);
    else
        MPI_Scatter(NULL, 0, MPI_INT, from, 1, MPI_INT, 0, world);
#else
    MPI_Gather(from, 1, MPI_INT, all, 1, MPI_INT, 0, world); /* HERE */
#endif
}

int main(int argc, char **argv)
{
    int rank, all[8] = {5, 6, 7};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int mine = rank;
    gather(all, &mine, rank);
    printf("%d %d\n", all[0], mine);
    MPI_Finalize();
    return 0;
}
