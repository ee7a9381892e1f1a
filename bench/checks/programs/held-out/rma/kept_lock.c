/* kind: rma-lock 11.5.3
 * set: held-out
 * ranks: 2
 * 0 none ends ends: an early return that gives the lock back
 * 1 error hangs|fails|ends fails proves: an early return that keeps the lock
 * 2 none ends ends: shared locks of two ranks at once
 */
#include <mpi.h>
#include <stdio.h>

static int take(int target, MPI_Win win)
{
    int left = 0, minus = -1;
    MPI_Win_lock(VARIANT == 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win); /* HERE */
    MPI_Fetch_and_op(&minus, &left, MPI_INT, target, 0, MPI_SUM, win);
    MPI_Win_flush(target, win);
    if (VARIANT == 1 && left <= 0)
        return 0;
    MPI_Win_unlock(target, win);
    return left > 0;
}

int main(int argc, char **argv)
{
    int rank, taken = 0, *stock;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof *stock, sizeof *stock, MPI_INFO_NULL, MPI_COMM_WORLD, &stock, &win);
    *stock = 3;
    MPI_Barrier(MPI_COMM_WORLD);
    while (take(0, win))
        taken++;
    printf("%d: %d\n", rank, taken);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
