/* kind: rma-range 11.3
 * set: held-out
 * ranks: 3
 * 0 none ends ends: windows of different sizes; those without memory are asked for nothing
 * 1 error fails|ends|crashes fails proves: a get from a rank whose window is empty
 * 2 none ends ends: a get from MPI_PROC_NULL, and of nothing from an empty window
 * 3 error fails|ends|crashes fails proves: a get with a displacement below zero
 */
#include <mpi.h>
#include <stdio.h>

static double look(int at, MPI_Win win)
{
    double value = 0;
    MPI_Win_lock(MPI_LOCK_SHARED, at == MPI_PROC_NULL ? 0 : at, 0, win);
    if (VARIANT == 3)
        MPI_Get(&value, 1, MPI_DOUBLE, at, -1, 1, MPI_DOUBLE, win); /* HERE 3 */
    else
        MPI_Get(&value, 1, MPI_DOUBLE, at, 2, 1, MPI_DOUBLE, win); /* HERE 1 */
    MPI_Win_unlock(at == MPI_PROC_NULL ? 0 : at, win);
    return value;
}

int main(int argc, char **argv)
{
    static double room[16];
    double *cells = &room[8], value = 0;
    int rank;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(rank == 0 ? cells : NULL, rank == 0 ? 8 * sizeof(double) : 0, sizeof(double), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &win);
    if (rank == 1)
        value = look(VARIANT == 1 ? 2 : VARIANT == 2 ? MPI_PROC_NULL : 0, win);
    if (rank == 1 && VARIANT == 2) {
        MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
        MPI_Get(&value, 0, MPI_DOUBLE, 2, 0, 0, MPI_DOUBLE, win);
        MPI_Win_unlock(2, win);
    }
    MPI_Win_free(&win);
    printf("%g\n", value);
    MPI_Finalize();
    return 0;
}
