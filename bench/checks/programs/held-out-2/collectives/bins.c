/* kind: coll-signature 5.9
 * set: held-out-2
 * ranks: 4
 * 0 none ends ends: histograms of equal length are added up
 * 1 error fails|ends|hangs|crashes fails|ends|hangs|crashes proves: rank 1 has one bin fewer
 * 2 error ends ends proves: rank 1 adds up floats, the others integers of the same size
 * 3 none ends ends: there are no bins at all
 * 4 error fails|ends|hangs|crashes fails|ends|hangs|crashes proves: rank 2 is told of fewer bins than are broadcast
 */
#include <mpi.h>
#include <stdio.h>

#define BINS 32

static void fill(int *bins, int count, int rank)
{
    for (int i = 0; i < 200 && count > 0; i++)
        bins[(i * 7 + rank) % count]++;
}

int main(int argc, char **argv)
{
    int bins[BINS] = {0}, all[BINS] = {0}, edges[BINS + 1] = {0}, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int count = VARIANT == 3 ? 0 : VARIANT == 1 && rank == 1 ? BINS - 1 : BINS;
    MPI_Bcast(edges, VARIANT == 4 && rank == 2 ? BINS - 2 : BINS + 1, MPI_INT, 0, MPI_COMM_WORLD); /* HERE 4 */
    fill(bins, count, rank);
    MPI_Allreduce(bins, all, count, VARIANT == 2 && rank == 1 ? MPI_FLOAT : MPI_INT, MPI_SUM,
                  MPI_COMM_WORLD); /* HERE 1 2 */
    printf("%d\n", all[3]);
    MPI_Finalize();
    return 0;
}
