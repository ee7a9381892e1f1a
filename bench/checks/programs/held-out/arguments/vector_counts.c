/* kind: argument-count 5.6
 * set: held-out
 * ranks: 3
 * 0 none ends ends: MPI_Scatterv with counts of zero
 * 1 error fails fails proves: a count of MPI_Scatterv is negative
 * 2 error fails fails proves: a negative count makes a datatype
 */
#include <mpi.h>
#include <stdio.h>

static void split(int *counts, int *places, int size, int total)
{
    for (int i = 0; i < size; i++) {
        counts[i] = total > 4 ? 4 : total;
        places[i] = 4 * i;
        total -= VARIANT == 1 ? 5 : counts[i];
    }
}

int main(int argc, char **argv)
{
    int rank, size, counts[8], places[8], all[16] = {1, 2, 3, 4, 5, 6, 7, 8}, mine[8] = {0};
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    split(counts, places, size, 8);
    MPI_Type_contiguous(VARIANT == 2 ? rank - size : 1, MPI_INT, &type); /* HERE 2 */
    MPI_Type_commit(&type);
    MPI_Scatterv(all, counts, places, type, mine, counts[rank], type, 0, MPI_COMM_WORLD); /* HERE 1 */
    MPI_Type_free(&type);
    printf("%d\n", mine[0]);
    MPI_Finalize();
    return 0;
}
