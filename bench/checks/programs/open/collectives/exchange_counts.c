/* kind: coll-signature 5.8
 * set: open
 * ranks: 3
 * 0 none ends ends: MPI_Alltoallv with the counts that MPI_Alltoall told, some of them zero
 * 1 error fails fails proves: the receive counts are one's own send counts
 * 2 none ends ends: send counts as vectors, receive counts as doubles
 */
#include <mpi.h>
#include <stdio.h>

#define MOST 8

static void places_of(const int *counts, int *places, int size)
{
    places[0] = 0;
    for (int i = 1; i < size; i++)
        places[i] = places[i - 1] + counts[i - 1];
}

static double exchange(const int *out, int rank, int size)
{
    double send[MOST * 4] = {0}, receive[MOST * 4] = {0};
    int in[MOST], out_places[MOST], in_places[MOST], twice[MOST];
    MPI_Datatype pair;
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++) {
        if (VARIANT == 1)
            in[i] = out[i];
        twice[i] = 2 * in[i];
    }
    places_of(out, out_places, size);
    places_of(VARIANT == 2 ? twice : in, in_places, size);
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    MPI_Type_commit(&pair);
#if VARIANT == 2
    MPI_Alltoallv(send, out, out_places, pair, receive, twice, in_places, MPI_DOUBLE, MPI_COMM_WORLD);
#else
    MPI_Alltoallv(send, out, out_places, MPI_DOUBLE, receive, in, in_places, MPI_DOUBLE, MPI_COMM_WORLD); /* HERE */
#endif
    MPI_Type_free(&pair);
    return receive[0] + rank;
}

int main(int argc, char **argv)
{
    int rank, size, out[MOST];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < size; i++)
        out[i] = (rank + 2 * i) % 3;
    printf("%g\n", exchange(out, rank, size));
    MPI_Finalize();
    return 0;
}
