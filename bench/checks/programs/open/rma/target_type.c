/* kind: rma-datatype 11.3.1
 * set: open
 * ranks: 2
 * 0 none ends ends: contiguous at the origin, strided at the target, the same signature
 * 1 error ends|fails ends|fails proves: doubles at the origin, as many bytes of floats at the target
 * 2 error fails|ends|crashes ends proves: more at the origin than at the target
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    double grid[16] = {0}, column[4] = {1, 2, 3, 4};
    int rank;
    MPI_Win win;
    MPI_Datatype strided;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &strided);
    MPI_Type_commit(&strided);
    MPI_Win_create(grid, sizeof grid, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
#if VARIANT == 0
    MPI_Put(column, 4, MPI_DOUBLE, 1 - rank, 1, 1, strided, win);
#elif VARIANT == 1
    MPI_Put(column, 4, MPI_DOUBLE, 1 - rank, 1, 8, MPI_FLOAT, win); /* HERE 1 */
#else
    MPI_Put(column, 4, MPI_DOUBLE, 1 - rank, 1, 2, MPI_DOUBLE, win); /* HERE 2 */
#endif
    MPI_Win_fence(0, win);
    printf("%g\n", grid[5]);
    MPI_Win_free(&win);
    MPI_Type_free(&strided);
    MPI_Finalize();
    return 0;
}
