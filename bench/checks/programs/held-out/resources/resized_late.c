/* kind: datatype-not-committed 4.1.9
 * set: held-out
 * ranks: 3
 * 0 none ends ends: the resized type is committed, the one it is made of is not
 * 1 error fails fails proves: the type before resizing is committed, the resized one is not
 */
#include <mpi.h>
#include <stdio.h>

#define N 3

int main(int argc, char **argv)
{
    int rank, size, all[N * N] = {0}, mine[N];
    MPI_Datatype column, narrow;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < N; i++)
        mine[i] = 10 * rank + i;
    MPI_Type_vector(N, 1, size, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, sizeof(int), &narrow);
    MPI_Type_commit(VARIANT == 1 ? &column : &narrow);
    MPI_Gather(mine, N, MPI_INT, all, 1, narrow, 0, MPI_COMM_WORLD); /* HERE */
    MPI_Type_free(&narrow);
    MPI_Type_free(&column);
    if (rank == 0)
        printf("%d %d\n", all[1], all[N]);
    MPI_Finalize();
    return 0;
}
