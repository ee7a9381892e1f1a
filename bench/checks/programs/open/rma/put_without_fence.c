/* kind: rma-epoch 11.5
 * set: open
 * ranks: 2
 * 0 none ends ends: puts between fences
 * 1 error fails|ends|hangs|crashes fails proves: a put before the first fence
 * 2 error fails|ends|hangs|crashes fails proves: a put after a fence that ended all epochs
 */
#include <mpi.h>
#include <stdio.h>

static void push(double value, int to, MPI_Win win)
{
    static double last; /* until the epoch ends */
    last = value;
    MPI_Put(&last, 1, MPI_DOUBLE, to, 0, 1, MPI_DOUBLE, win); /* HERE */
}

int main(int argc, char **argv)
{
    double *room;
    int rank;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof *room, sizeof *room, MPI_INFO_NULL, MPI_COMM_WORLD, &room, &win);
    *room = 0;
    if (VARIANT == 1)
        push(1.5, 1 - rank, win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    if (VARIANT != 1)
        push(2.5, 1 - rank, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (VARIANT == 2)
        push(3.5, 1 - rank, win);
    printf("%g\n", *room);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
