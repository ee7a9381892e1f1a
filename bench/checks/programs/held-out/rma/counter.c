/* kind: rma-epoch 11.5.3
 * set: held-out
 * ranks: 3
 * 0 none ends ends: a shared counter read and raised in a lock epoch
 * 1 error fails|ends|hangs|crashes fails proves: raised without a lock
 * 2 error fails|ends|hangs|crashes fails proves: the lock is of another rank than the counter
 * 3 none ends ends: MPI_Win_lock_all for the whole run, flushed after each use
 */
#include <mpi.h>
#include <stdio.h>

static long next(MPI_Win win, int rank)
{
    long one = 1, old = -1;
#if VARIANT == 0 || VARIANT == 2
    MPI_Win_lock(MPI_LOCK_SHARED, VARIANT == 2 ? rank : 0, 0, win);
#endif
    MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 0, MPI_SUM, win); /* HERE */
#if VARIANT == 0 || VARIANT == 2
    MPI_Win_unlock(VARIANT == 2 ? rank : 0, win);
#elif VARIANT == 3
    MPI_Win_flush(0, win);
#endif
    (void)rank;
    return old;
}

int main(int argc, char **argv)
{
    int rank;
    long *counter, sum = 0;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(rank == 0 ? sizeof *counter : 0, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &win);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        *counter = 0;
        MPI_Win_unlock(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (VARIANT == 3)
        MPI_Win_lock_all(0, win);
    for (int i = 0; i < 5; i++)
        if (VARIANT != 2 || rank != 0)
            sum += next(win, rank);
    if (VARIANT == 3)
        MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    printf("%ld\n", sum);
    MPI_Finalize();
    return 0;
}
