/* kind: p2p-unmatched-receive 3.5
 * set: held-out
 * ranks: 2
 * 0 none ends ends: a message to itself, its receive posted before
 * 1 error hangs hangs proves: a synchronous send to itself before the receive
 * 2 error hangs hangs proves: a receive from itself before the send
 * 3 none ends ends: a message to itself by MPI_Sendrecv_replace
 */
#include <mpi.h>
#include <stdio.h>

static int keep(int value, int rank)
{
    int kept = value;
#if VARIANT == 0
    MPI_Request request;
    MPI_Irecv(&kept, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &request);
    MPI_Send(&value, 1, MPI_INT, rank, 5, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#elif VARIANT == 1
    MPI_Ssend(&value, 1, MPI_INT, rank, 5, MPI_COMM_WORLD); /* HERE 1 */
    MPI_Recv(&kept, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#elif VARIANT == 2
    MPI_Recv(&kept, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE 2 */
    MPI_Send(&value, 1, MPI_INT, rank, 5, MPI_COMM_WORLD);
#else
    MPI_Sendrecv_replace(&kept, 1, MPI_INT, rank, 5, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
    return kept;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("%d\n", keep(rank + 40, rank));
    MPI_Finalize();
    return 0;
}
