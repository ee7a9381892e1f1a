/* kind: argument-topology 7.5
 * set: held-out
 * ranks: 4
 * 0 none ends ends: MPI_Dims_create with one dimension given, and a grid that all have part in
 * 1 error fails fails proves: the grid is larger than the communicator
 * 2 error fails fails proves: MPI_Dims_create with a dimension that does not divide the number of ranks
 * 3 error fails fails proves: coordinates that the grid does not have
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int size, rank, at[2] = {0, VARIANT == 3 ? 7 : 1}, dims[2] = {0, VARIANT == 2 ? 3 : 2}, periodic[2] = {1, 0};
    MPI_Comm grid;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims); /* HERE 2 */
    if (VARIANT == 1)
        dims[0]++;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, 1, &grid); /* HERE 1 */
    MPI_Cart_rank(grid, at, &rank);                               /* HERE 3 */
    MPI_Comm_free(&grid);
    printf("%d\n", rank);
    MPI_Finalize();
    return 0;
}
