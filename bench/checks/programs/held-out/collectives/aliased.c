/* kind: coll-buffers 2.3
 * set: held-out
 * ranks: 3
 * 0 none ends ends: the sum of all replaces the own value, by MPI_IN_PLACE
 * 1 error fails|ends fails|ends proves: one array is both send and receive buffer
 * 2 none ends ends: MPI_IN_PLACE at the root of a reduction, the plain buffer elsewhere
 * 3 error fails|ends fails|ends proves: the receive buffer begins within the send buffer
 */
#include <mpi.h>
#include <stdio.h>

static void sum(double *values, int count, int rank)
{
    MPI_Comm world = MPI_COMM_WORLD;
#if VARIANT == 1
    MPI_Allreduce(values, values, count, MPI_DOUBLE, MPI_SUM, world); /* HERE 1 */
#elif VARIANT == 2
    if (rank == 0)
        MPI_Reduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, 0, world);
    else
        MPI_Reduce(values, NULL, count, MPI_DOUBLE, MPI_SUM, 0, world);
#elif VARIANT == 3
    MPI_Allreduce(values, values + count / 2, count, MPI_DOUBLE, MPI_SUM, world); /* HERE 3 */
#else
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, world);
#endif
    (void)rank;
}

int main(int argc, char **argv)
{
    double values[8] = {1, 1};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sum(values, 4, rank);
    printf("%g\n", values[0]);
    MPI_Finalize();
    return 0;
}
