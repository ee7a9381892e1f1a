/* kind: rma-data 11.3.2
 * set: held-out
 * ranks: 2
 * 0 none ends ends: what MPI_Get brings is used after the flush
 * 1 error ends ends nothing: it is used before (no call tells so)
 * 2 error ends ends proves: it is sent on before the flush
 * 3 none ends ends: MPI_Rget, and a wait for its request
 */
#include <mpi.h>
#include <stdio.h>

static int fetch(int target, MPI_Win win)
{
    int value = 0, seen;
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
#if VARIANT == 3
    MPI_Request request;
    MPI_Rget(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
    MPI_Get(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win); /* HERE 2 */
#endif
    seen = VARIANT == 1 ? value : 0; /* HERE 1 */
    if (VARIANT == 2)
        MPI_Sendrecv(&value, 1, MPI_INT, target, 0, &seen, 1, MPI_INT, target, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE); /* HERE 2 */
    if (VARIANT != 3)
        MPI_Win_flush(target, win);
    MPI_Win_unlock(target, win);
    return value + seen;
}

int main(int argc, char **argv)
{
    int rank, *mine;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    *mine = rank + 1;
    MPI_Win_unlock(rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d\n", fetch(1 - rank, win));
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
