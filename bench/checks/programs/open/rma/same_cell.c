/* kind: rma-conflict 11.7
 * set: open
 * ranks: 3
 * 0 none ends ends: each origin puts into a cell of its own
 * 1 error ends ends proves: two origins put into one cell in one epoch
 * 2 none ends ends: two origins add to one cell by MPI_Accumulate with one operation
 * 3 error ends ends proves: one origin puts into the cell that another gets
 */
#include <mpi.h>
#include <stdio.h>

static void write_cell(double *value, int rank, MPI_Win win)
{
    int cell = VARIANT == 0 ? rank : 1;
#if VARIANT == 2
    MPI_Accumulate(value, 1, MPI_DOUBLE, 0, cell, 1, MPI_DOUBLE, MPI_SUM, win);
#else
    if (VARIANT == 3 && rank == 2)
        MPI_Get(value, 1, MPI_DOUBLE, 0, cell, 1, MPI_DOUBLE, win); /* HERE 3 */
    else
        MPI_Put(value, 1, MPI_DOUBLE, 0, cell, 1, MPI_DOUBLE, win); /* HERE */
#endif
}

int main(int argc, char **argv)
{
    double cells[4] = {0}, value;
    int rank;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    value = rank;
    MPI_Win_create(cells, sizeof cells, sizeof *cells, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int step = 0; step < 3; step++) {
        MPI_Win_fence(0, win);
        if (rank != 0)
            write_cell(&value, rank, win);
        MPI_Win_fence(0, win);
    }
    printf("%g\n", cells[1]);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
