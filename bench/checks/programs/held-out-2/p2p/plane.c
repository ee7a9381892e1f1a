/* kind: p2p-deadlock 3.5
 * set: held-out-2
 * ranks: 4
 * 0 none ends ends: even ranks send first, odd ones receive first
 * 1 error hangs hangs proves: all send synchronously before any receives
 * 2 none ends ends: all start to send, then receive, then wait
 * 3 error hangs hangs proves: all receive first
 * 4 warning/p2p-unsafe ends ends suggests: all send first, in standard mode: buffered here
 */
#include <mpi.h>
#include <stdio.h>

#define CELLS 16

static void exchange(const double *own, double *other, int rank, int peer)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int first = VARIANT == 0 ? rank < peer : VARIANT != 3;
    if (first && VARIANT == 2)
        MPI_Isend(own, CELLS, MPI_DOUBLE, peer, 5, MPI_COMM_WORLD, &request);
    else if (first && VARIANT == 1)
        MPI_Ssend(own, CELLS, MPI_DOUBLE, peer, 5, MPI_COMM_WORLD); /* HERE 1 */
    else if (first)
        MPI_Send(own, CELLS, MPI_DOUBLE, peer, 5, MPI_COMM_WORLD);                  /* HERE 4 */
    MPI_Recv(other, CELLS, MPI_DOUBLE, peer, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE 3 4 */
    if (!first)
        MPI_Send(own, CELLS, MPI_DOUBLE, peer, 5, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    double own[CELLS] = {1}, other[CELLS];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 3; step++) {
        exchange(own, other, rank, rank ^ 1);
        exchange(own, other, rank, rank ^ 2);
    }
    printf("%g\n", other[0]);
    MPI_Finalize();
    return 0;
}
