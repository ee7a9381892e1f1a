/* kind: rma-sync 11.5.2
 * set: held-out-2
 * ranks: 3
 * 0 none ends ends: rank 0 puts into the windows of the others in turn, which expose them
 * 1 error hangs hangs proves: the origin never completes its epoch
 * 2 error hangs hangs proves: one of the targets exposes nothing
 * 3 none ends ends: the target asks whether the epoch is over, until it is
 */
#include <mpi.h>
#include <stdio.h>

static void put_to(MPI_Win win, MPI_Group targets, int first, int last, int step)
{
    double value = 10 + step;
    MPI_Win_start(targets, 0, win); /* HERE 2 */
    for (int to = first; to <= last; to++)
        MPI_Put(&value, 1, MPI_DOUBLE, to, 0, 1, MPI_DOUBLE, win); /* HERE 2 */
    if (VARIANT != 1)
        MPI_Win_complete(win); /* HERE 2 */
}

int main(int argc, char **argv)
{
    double cell = 0;
    int rank, zero = 0;
    MPI_Win win;
    MPI_Group world, origin, targets;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&cell, sizeof cell, sizeof cell, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &zero, &origin);
    for (int step = 1; step <= 2; step++) {
        int first = VARIANT % 3 == 0 ? step : 1, last = VARIANT % 3 == 0 ? step : 2, over = VARIANT != 3,
            ranks[2] = {first, last};
        MPI_Group_incl(world, last - first + 1, ranks, &targets);
        if (rank == 0)
            put_to(win, targets, first, last, step);
        else if (rank >= first && rank <= last && !(VARIANT == 2 && rank == 2 && step == 2)) {
            MPI_Win_post(origin, 0, win);
            while (!over)
                MPI_Win_test(win, &over);
            if (VARIANT != 3)
                MPI_Win_wait(win); /* HERE 1 */
        }
        MPI_Group_free(&targets);
        MPI_Barrier(MPI_COMM_WORLD); /* HERE 1 2 */
    }
    MPI_Group_free(&origin);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
    printf("%g\n", cell);
    MPI_Finalize();
    return 0;
}
