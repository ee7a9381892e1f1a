/* kind: window-leak 11.2.5
 * set: open
 * ranks: 2
 * 0 none ends ends: a window made and freed
 * 1 warning ends ends|crashes proves: a window never freed
 * 2 none ends ends: two windows of the same memory, one after the other
 */
#include <mpi.h>
#include <stdio.h>

static void publish(double *table, int count, int other)
{
    MPI_Win win;
    double mine = other;
    MPI_Win_create(table, count * (MPI_Aint)sizeof *table, sizeof *table, MPI_INFO_NULL, MPI_COMM_WORLD,
                   &win); /* HERE */
    MPI_Win_fence(0, win);
    MPI_Put(&mine, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    if (VARIANT != 1)
        MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    double table[4] = {0};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < (VARIANT == 2 ? 2 : 1); i++)
        publish(table, 4, 1 - rank);
    printf("%g\n", table[0]);
    MPI_Finalize();
    return 0;
}
