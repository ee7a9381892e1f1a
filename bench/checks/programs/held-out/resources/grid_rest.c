/* kind: comm-null 7.5.1
 * set: held-out
 * ranks: 4
 * 0 none ends ends: a grid of three of four ranks; the fourth has no part in it
 * 1 error fails fails proves: the fourth asks the null communicator for its neighbours
 */
#include <mpi.h>
#include <stdio.h>

static MPI_Comm make_grid(void)
{
    MPI_Comm grid;
    int dims[2] = {3, 1}, periodic[2] = {1, 0};
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, 0, &grid);
    return grid;
}

static int smooth(MPI_Comm grid, int value)
{
    int up, down, got = value;
    MPI_Cart_shift(grid, 0, 1, &up, &down); /* HERE */
    MPI_Sendrecv(&value, 1, MPI_INT, down, 0, &got, 1, MPI_INT, up, 0, grid, MPI_STATUS_IGNORE);
    MPI_Cart_shift(grid, 1, 1, &up, &down);
    MPI_Sendrecv(&value, 1, MPI_INT, down, 0, &got, 1, MPI_INT, up, 0, grid, MPI_STATUS_IGNORE);
    return got;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm grid = make_grid();
    if (VARIANT == 1 || grid != MPI_COMM_NULL) {
        printf("%d: %d\n", rank, smooth(grid, rank));
        MPI_Comm_free(&grid);
    }
    MPI_Finalize();
    return 0;
}
