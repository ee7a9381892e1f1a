/* kind: p2p-truncation 3.2.4
 * set: held-out
 * ranks: 4
 * 0 none ends ends: results of any length, asked for by a probe
 * 1 error fails fails proves: one more result than the fixed room holds
 * 2 none ends ends: fixed room; the longest result just fits
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define ROOM 12

static int length_of(int rank)
{
    return VARIANT == 1 ? 4 * rank + 1 : 4 * rank;
}

static void produce(int rank)
{
    int count = length_of(rank);
    int *found = malloc((size_t)count * sizeof *found);
    for (int i = 0; i < count; i++)
        found[i] = i * rank;
    MPI_Send(found, count, MPI_INT, 0, 3, MPI_COMM_WORLD); /* HERE */
    free(found);
}

static int consume(void)
{
    MPI_Status status;
    int count = ROOM;
#if VARIANT == 0
    MPI_Probe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    int *found = malloc((size_t)count * sizeof *found);
    MPI_Recv(found, count, MPI_INT, status.MPI_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(found);
#else
    int found[ROOM];
    MPI_Recv(found, ROOM, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status); /* HERE */
    MPI_Get_count(&status, MPI_INT, &count);
#endif
    return count;
}

int main(int argc, char **argv)
{
    int rank, size, total = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; rank == 0 && i < size; i++)
        total += consume();
    if (rank != 0)
        produce(rank);
    printf("%d: %d\n", rank, total);
    MPI_Finalize();
    return 0;
}
