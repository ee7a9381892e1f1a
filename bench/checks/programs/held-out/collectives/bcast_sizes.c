/* kind: coll-signature 5.4
 * set: held-out
 * ranks: 3
 * 0 none ends ends: the length is broadcast first, then the data
 * 1 error ends fails proves: the others take the room for the length
 * 2 none ends ends: ten doubles at the root, five pairs at the others
 * 3 error ends fails proves: floats at the root, doubles at the others
 */
#include <mpi.h>
#include <stdio.h>

#define ROOM 32

static void read_table(double *table, int rank)
{
    int length = rank == 0 ? 10 : ROOM;
#if VARIANT != 1
    MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
#endif
#if VARIANT == 2
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    MPI_Type_commit(&pair);
    if (rank != 0)
        MPI_Bcast(table, length / 2, pair, 0, MPI_COMM_WORLD);
    else
        MPI_Bcast(table, length, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Type_free(&pair);
#elif VARIANT == 3
    MPI_Bcast(table, length, rank == 0 ? MPI_FLOAT : MPI_DOUBLE, 0, MPI_COMM_WORLD); /* HERE 3 */
#else
    MPI_Bcast(table, length, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* HERE 1 */
#endif
}

int main(int argc, char **argv)
{
    double table[ROOM] = {1, 2, 3};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    read_table(table, rank);
    printf("%g\n", table[2]);
    MPI_Finalize();
    return 0;
}
