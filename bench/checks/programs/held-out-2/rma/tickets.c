/* kind: rma-epoch 11.5
 * set: held-out-2
 * ranks: 3
 * 0 none ends ends: tickets are drawn between MPI_Win_lock_all and MPI_Win_unlock_all
 * 1 error fails|ends fails proves: drawn without any lock
 * 2 error fails|ends|hangs|crashes fails|ends|hangs|crashes proves: the last lock is never given back
 * 3 none ends ends: two windows' owners are locked at once, shared
 * 4 error fails|ends|crashes|hangs fails proves: a lock is given back that was not taken
 */
#include <mpi.h>
#include <stdio.h>

static int draw(MPI_Win win, int last)
{
    const int one = 1;
    int ticket = -1;
    if (VARIANT == 0)
        MPI_Win_lock_all(0, win);
    else if (VARIANT != 1)
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win); /* HERE 2 */
    if (VARIANT == 3)
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 0, MPI_SUM, win); /* HERE 1 */
    if (VARIANT == 3)
        MPI_Win_unlock(1, win);
    if (VARIANT == 0)
        MPI_Win_unlock_all(win);
    else if (VARIANT == 2 && last)
        MPI_Win_flush(0, win);
    else if (VARIANT != 1)
        MPI_Win_unlock(VARIANT == 4 && last ? 2 : 0, win); /* HERE 4 */
    return ticket;
}

int main(int argc, char **argv)
{
    int rank, *counter, ticket = 0;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &win);
    *counter = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++)
        ticket = draw(win, i == 2 && rank == 1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win); /* HERE 2 */
    printf("%d\n", ticket);
    MPI_Finalize();
    return 0;
}
