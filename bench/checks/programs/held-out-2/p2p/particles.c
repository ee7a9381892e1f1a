/* kind: p2p-truncation 3.2.4
 * set: held-out-2
 * ranks: 2
 * 0 none ends ends: a count goes ahead, then that many particles come
 * 1 error fails fails proves: more particles come than there is room for
 * 2 error fails fails proves: the count is sent as long, and received as int
 * 3 none ends ends: there is always room for many more than come
 */
#include <mpi.h>
#include <stdio.h>

#define MOST 40

typedef struct {
    double x, y, vx;
} Particle;

static void give(const Particle *all, long count)
{
#if VARIANT == 2
    MPI_Send(&count, 1, MPI_LONG, 1, 1, MPI_COMM_WORLD); /* HERE */
#else
    int short_count = (int)count;
    MPI_Send(&short_count, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
#endif
    MPI_Send(all, (int)count * 3, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD); /* HERE 1 */
}

static int take(Particle *room)
{
    int count = 0;
    MPI_Recv(&count, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE 2 */
    int most = VARIANT == 1 ? 20 : VARIANT == 3 ? MOST : count;
    MPI_Recv(room, most * 3, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE 1 */
    return count;
}

int main(int argc, char **argv)
{
    Particle all[MOST] = {{1, 2, 3}};
    int rank, last = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 4; step++) {
        if (rank == 0)
            give(all, 12 + 4 * step);
        else
            last = take(all);
    }
    printf("%d: %d\n", rank, last);
    MPI_Finalize();
    return 0;
}
