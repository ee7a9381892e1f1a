/* kind: rma-conflict 11.7
 * set: held-out
 * ranks: 3
 * 0 none ends ends: odd and even cells, put at once through vector types
 * 1 error ends ends proves: blocks of three cells that begin two cells apart
 * 2 error ends ends proves: sum and product accumulated in one cell in one epoch
 * 3 none ends ends: blocks that overlap, in epochs of exclusive locks
 */
#include <mpi.h>
#include <stdio.h>

static void store(const int *data, int rank, MPI_Win win, MPI_Datatype odd)
{
    int at = rank - 1;
#if VARIANT == 0
    MPI_Put(data, 3, MPI_INT, 0, at, 1, odd, win);
#elif VARIANT == 1
    MPI_Put(data, 3, MPI_INT, 0, 2 * at, 3, MPI_INT, win); /* HERE 1 */
#elif VARIANT == 2
    MPI_Accumulate(data, 1, MPI_INT, 0, 0, 1, MPI_INT, at ? MPI_SUM : MPI_PROD, win); /* HERE 2 */
#else
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(data, 3, MPI_INT, 0, 2 * at, 3, MPI_INT, win);
    MPI_Win_unlock(0, win);
#endif
    (void)odd;
}

int main(int argc, char **argv)
{
    int cells[8] = {0}, data[3] = {1, 2, 3}, rank;
    MPI_Win win;
    MPI_Datatype odd;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(3, 1, 2, MPI_INT, &odd);
    MPI_Type_commit(&odd);
    MPI_Win_create(cells, sizeof cells, sizeof *cells, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (VARIANT != 3)
        MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    if (rank != 0)
        store(data, rank, win, odd);
    if (VARIANT != 3)
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
    MPI_Type_free(&odd);
    printf("%d\n", cells[1]);
    MPI_Finalize();
    return 0;
}
