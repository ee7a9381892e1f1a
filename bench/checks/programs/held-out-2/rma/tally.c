/* kind: rma-conflict 11.7
 * set: held-out-2
 * ranks: 3
 * 0 none ends ends: all accumulate into the same cell
 * 1 error ends ends proves: two put into the same cell between the same fences
 * 2 error ends ends proves: one puts where another accumulates
 * 3 none ends ends: each puts into a cell of its own
 * 4 error ends ends proves: one gets what another puts between the same fences
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, cells[4] = {0}, one = 1, got = 0;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(cells, sizeof cells, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    for (int step = 0; step < 2; step++) {
        if (VARIANT == 0 || (VARIANT == 2 && rank == 1))
            MPI_Accumulate(&one, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_SUM, win); /* HERE 2 */
        else if (VARIANT == 3)
            MPI_Put(&one, 1, MPI_INT, 0, rank, 1, MPI_INT, win);
        else if (rank == 2 || (VARIANT == 1 && rank == 1))
            MPI_Put(&one, 1, MPI_INT, 0, 2, 1, MPI_INT, win); /* HERE 1 2 4 */
        else if (VARIANT == 4 && rank == 1)
            MPI_Get(&got, 1, MPI_INT, 0, 2, 1, MPI_INT, win); /* HERE 4 */
        MPI_Win_fence(0, win);
    }
    MPI_Win_free(&win);
    printf("%d %d\n", cells[2], got);
    MPI_Finalize();
    return 0;
}
