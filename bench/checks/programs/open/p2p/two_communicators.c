/* kind: p2p-envelope 3.2.4
 * set: open
 * ranks: 4
 * 0 none ends ends: equal tags and ranks in two communicators do not disturb each other
 * 1 error hangs hangs proves: sent in the duplicate, received in the world
 * 2 error hangs hangs proves: the rank in the half is taken for that in the world
 */
#include <mpi.h>
#include <stdio.h>

static int pass(MPI_Comm half, MPI_Comm own, int value)
{
    int rank, size, got = -1;
    MPI_Request request;
    MPI_Comm_rank(half, &rank);
    MPI_Comm_size(half, &size);
#if VARIANT == 2
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Isend(&value, 1, MPI_INT, to, 3, VARIANT == 1 ? own : half, &request);
    MPI_Recv(&got, 1, MPI_INT, from, 3, half, MPI_STATUS_IGNORE); /* HERE */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (VARIANT == 0)
        MPI_Sendrecv(&value, 1, MPI_INT, to, 3, &got, 1, MPI_INT, from, 3, own, MPI_STATUS_IGNORE);
    return got;
}

int main(int argc, char **argv)
{
    MPI_Comm half, own;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Comm_dup(half, &own);
    printf("%d: %d\n", rank, pass(half, own, rank));
    MPI_Comm_free(&own);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
