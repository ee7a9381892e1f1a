/* kind: p2p-unsafe 3.5
 * set: open
 * ranks: 4
 * 0 none ends ends: even ranks send first, odd ranks receive first
 * 1 warning ends ends suggests: everybody sends first, which needs buffering
 * 2 none ends ends: nonblocking sends, then receives, then the wait
 * 3 none ends ends: everybody sends first, buffered, into a buffer that is attached
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void trade(const int *mine, int *theirs, int partner, int rank)
{
    MPI_Comm world = MPI_COMM_WORLD;
#if VARIANT == 1
    MPI_Send(mine, 4, MPI_INT, partner, 0, world); /* HERE */
    MPI_Recv(theirs, 4, MPI_INT, partner, 0, world, MPI_STATUS_IGNORE);
#elif VARIANT == 2
    MPI_Request request;
    MPI_Isend(mine, 4, MPI_INT, partner, 0, world, &request);
    MPI_Recv(theirs, 4, MPI_INT, partner, 0, world, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#elif VARIANT == 3
    MPI_Bsend(mine, 4, MPI_INT, partner, 0, world);
    MPI_Recv(theirs, 4, MPI_INT, partner, 0, world, MPI_STATUS_IGNORE);
#else
    if (rank % 2 == 0)
        MPI_Send(mine, 4, MPI_INT, partner, 0, world);
    MPI_Recv(theirs, 4, MPI_INT, partner, 0, world, MPI_STATUS_IGNORE);
    if (rank % 2 == 1)
        MPI_Send(mine, 4, MPI_INT, partner, 0, world);
#endif
    (void)rank;
}

int main(int argc, char **argv)
{
    int rank, mine[4] = {0}, theirs[4], size = 100 * (MPI_BSEND_OVERHEAD + 16);
    void *room = malloc((size_t)size);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Buffer_attach(room, size);
    for (int i = 0; i < 10; i++) {
        trade(mine, theirs, rank ^ 1, rank);
        mine[0] = theirs[0] + rank;
    }
    MPI_Buffer_detach(&room, &size);
    free(room);
    printf("%d: %d\n", rank, mine[0]);
    MPI_Finalize();
    return 0;
}
