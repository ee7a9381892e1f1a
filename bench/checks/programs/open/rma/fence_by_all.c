/* kind: rma-sync 11.5.1
 * set: open
 * ranks: 3
 * 0 none ends ends: everybody makes each fence
 * 1 error hangs hangs proves: a rank without data leaves out the last fence
 * 2 error hangs|fails|ends fails proves: a fence while a lock is held
 */
#include <mpi.h>
#include <stdio.h>

static void scatter(int *table, int rank, int size, MPI_Win win)
{
    MPI_Win_fence(0, win);
    for (int i = 0; i < size && rank == 0; i++)
        MPI_Put(&table[size + i], 1, MPI_INT, i, 0, 1, MPI_INT, win);
    if (VARIANT == 2 && rank == 1)
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win); /* HERE 2 */
    if (VARIANT != 1 || rank != size - 1)
        MPI_Win_fence(0, win); /* HERE */
    if (VARIANT == 2 && rank == 1)
        MPI_Win_unlock(0, win); /* HERE 2 */
}

int main(int argc, char **argv)
{
    int rank, size, table[8] = {0, 0, 0, 3, 4, 5};
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(table, size * (int)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    scatter(table, rank, size, win);
    printf("%d\n", table[0]);
    MPI_Win_free(&win); /* HERE 1 */
    MPI_Finalize();
    return 0;
}
