/* kind: window-leak 11.2.3
 * set: held-out
 * ranks: 2
 * 0 none ends ends: shared memory of the ranks of a node, window and communicator freed
 * 1 warning ends ends proves: the window of each step stays
 */
#include <mpi.h>
#include <stdio.h>

static int step(MPI_Comm node, int value)
{
    MPI_Win win;
    int *mine, *first, unit, rank;
    MPI_Aint bytes;
    MPI_Comm_rank(node, &rank);
    MPI_Win_allocate_shared(sizeof *mine, sizeof *mine, MPI_INFO_NULL, node, &mine, &win); /* HERE */
    MPI_Win_fence(0, win);
    *mine = value + rank;
    MPI_Win_fence(0, win);
    MPI_Win_shared_query(win, 0, &bytes, &unit, &first);
    value = *first;
    MPI_Win_fence(0, win);
    if (VARIANT == 0)
        MPI_Win_free(&win);
    return value;
}

int main(int argc, char **argv)
{
    MPI_Comm node;
    int value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    for (int i = 0; i < 3; i++)
        value = step(node, value + 1);
    MPI_Comm_free(&node);
    printf("%d\n", value);
    MPI_Finalize();
    return 0;
}
