/* kind: rma-sync 11.5.2
 * set: held-out
 * ranks: 3
 * 0 none ends ends: one target, two origins: post, start, complete, wait
 * 1 error hangs hangs proves: the target posts to one origin only
 * 2 error hangs hangs proves: an origin never completes
 */
#include <mpi.h>
#include <stdio.h>

static void target(MPI_Group others, MPI_Group one, MPI_Win win)
{
    MPI_Win_post(VARIANT == 1 ? one : others, 0, win); /* HERE 1 */
    MPI_Win_wait(win);                                 /* HERE 2 */
}

static void origin(int rank, MPI_Group target, MPI_Win win)
{
    MPI_Win_start(target, 0, win); /* HERE 1 */
    MPI_Put(&rank, 1, MPI_INT, 0, rank, 1, MPI_INT, win);
    if (VARIANT != 2 || rank != 2)
        MPI_Win_complete(win); /* HERE */
}

int main(int argc, char **argv)
{
    int rank, table[3] = {0}, zero = 0, one = 1;
    MPI_Group world, first, second, others;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(table, sizeof table, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &zero, &first);
    MPI_Group_incl(world, 1, &one, &second);
    MPI_Group_excl(world, 1, &zero, &others);
    if (rank == 0)
        target(others, second, win);
    else
        origin(rank, first, win);
    MPI_Group_free(&others);
    MPI_Group_free(&second);
    MPI_Group_free(&first);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
    printf("%d\n", table[2]);
    MPI_Finalize();
    return 0;
}
