/* kind: rma-lock 11.5.3
 * set: open
 * ranks: 3
 * 0 none ends ends: locks of two targets at once, taken in one order by all
 * 1 warning ends|hangs ends|hangs suggests: taken in different orders by two ranks at the same time
 * 2 error fails|hangs|ends|crashes fails proves: the same target locked twice
 * 3 error fails|ends|hangs|crashes fails proves: unlocked without a lock
 */
#include <mpi.h>
#include <stdio.h>

static void move(int from, int to, MPI_Win win)
{
    int amount = 0;
#if VARIANT != 3
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, from, 0, win); /* HERE 1 2 */
#endif
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, win); /* HERE 1 2 */
    MPI_Get(&amount, 1, MPI_INT, to, 0, 1, MPI_INT, win);
    MPI_Win_unlock(to, win);
    MPI_Win_unlock(from, win); /* HERE 3 */
}

int main(int argc, char **argv)
{
    int rank, *account;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof *account, sizeof *account, MPI_INFO_NULL, MPI_COMM_WORLD, &account, &win);
    *account = 10;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        move(0, VARIANT == 2 ? 0 : 2, win);
    if (VARIANT != 1)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2)
        move(VARIANT == 1 ? 2 : 0, VARIANT == 1 ? 0 : 2, win);
    MPI_Win_free(&win);
    printf("%d\n", rank);
    MPI_Finalize();
    return 0;
}
