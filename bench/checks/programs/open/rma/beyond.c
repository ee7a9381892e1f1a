/* kind: rma-range 11.3
 * set: open
 * ranks: 2
 * 0 none ends ends: the displacement counts doubles, as the window's unit is
 * 1 error fails|ends|crashes ends proves: the displacement counts bytes
 * 2 error fails|ends|crashes ends proves: one cell beyond the window's end
 */
#include <mpi.h>
#include <stdio.h>

#define CELLS 64

static void put_last(double value, int to, MPI_Win win)
{
    MPI_Aint place = CELLS - 1;
#if VARIANT == 1
    place *= (MPI_Aint)sizeof(double);
#elif VARIANT == 2
    place++;
#endif
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, win);
    MPI_Put(&value, 1, MPI_DOUBLE, to, place, 1, MPI_DOUBLE, win); /* HERE */
    MPI_Win_unlock(to, win);
}

int main(int argc, char **argv)
{
    static double cells[CELLS * 10];
    int rank;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(cells, CELLS * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        put_last(0.5, 1, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    printf("%g\n", cells[CELLS - 1]);
    MPI_Finalize();
    return 0;
}
