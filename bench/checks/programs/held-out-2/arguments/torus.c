/* kind: argument-topology 7.5
 * set: held-out-2
 * ranks: 4
 * 0 none ends ends: a torus of 2 by 2
 * 1 error fails fails proves: a grid of more places than there are ranks
 * 2 error fails|ends fails proves: a shift along the third of two dimensions
 * 3 none ends ends: a smaller grid, and those outside of it stand aside
 * 4 error/comm-null fails|crashes fails|crashes proves: those outside of it ask for their place, too
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int dims[2] = {2, 2}, periods[2] = {1, 1}, place[2] = {-1, -1}, left, right, rank;
    MPI_Comm grid;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (VARIANT == 1)
        dims[1] = 3;
    if (VARIANT >= 3)
        dims[1] = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid); /* HERE 1 */
    if (grid != MPI_COMM_NULL || VARIANT == 4) {
        MPI_Cart_coords(grid, grid == MPI_COMM_NULL ? 0 : rank, 2, place); /* HERE 4 */
        MPI_Cart_shift(grid, VARIANT == 2 ? 2 : 1, 1, &left, &right);      /* HERE 2 */
        MPI_Sendrecv(&rank, 1, MPI_INT, right, 0, &place[0], 1, MPI_INT, left, 0, grid, MPI_STATUS_IGNORE);
        MPI_Comm_free(&grid);
    }
    printf("%d %d\n", place[0], place[1]);
    MPI_Finalize();
    return 0;
}
