/* kind: rma-data 11.7
 * set: open
 * ranks: 2
 * 0 none ends ends: the own window is written between a fence and the next, puts come in another epoch
 * 1 error ends ends nothing: the cell that the other puts into is written meanwhile (no call tells so)
 * 2 error ends ends proves: a message is received into the cell that the other puts into
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    double cells[2] = {0}, mine;
    int rank;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine = rank;
    MPI_Win_create(cells, sizeof cells, sizeof *cells, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int step = 0; step < 3; step++) {
        MPI_Win_fence(0, win);
        if (VARIANT == 0) {
            cells[0] = step;
            MPI_Win_fence(0, win);
        }
        MPI_Put(&mine, 1, MPI_DOUBLE, 1 - rank, 0, 1, MPI_DOUBLE, win); /* HERE 2 */
#if VARIANT == 1
        cells[0] = step; /* HERE 1 */
#elif VARIANT == 2
        MPI_Sendrecv(&mine, 1, MPI_DOUBLE, 1 - rank, 0, cells, 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, /* HERE 2 */
                     MPI_STATUS_IGNORE);
#endif
        MPI_Win_fence(0, win);
    }
    MPI_Win_free(&win);
    printf("%g\n", cells[0]);
    MPI_Finalize();
    return 0;
}
