/* kind: coll-and-p2p 5.13
 * set: held-out
 * ranks: 2
 * 0 none ends ends: the message is received before the broadcast
 * 1 error hangs hangs proves: one receives before the broadcast what the other sends after it
 * 2 none ends ends: the receive is posted before the broadcast and completed behind it
 * 3 warning ends ends suggests: one sends before the broadcast what the other receives after it
 */
#include <mpi.h>
#include <stdio.h>

static int begin(int rank)
{
    int size = 10, extra = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 1) {
        if (VARIANT < 2)
            MPI_Recv(&extra, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE 1 */
        else if (VARIANT == 2)
            MPI_Irecv(&extra, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
    } else if (VARIANT == 0 || VARIANT == 3) {
        MPI_Send(&size, 1, MPI_INT, 1, 1, MPI_COMM_WORLD); /* HERE 3 */
    }
    MPI_Barrier(MPI_COMM_WORLD); /* HERE 1 */
    if (rank == 0 && (VARIANT == 1 || VARIANT == 2))
        MPI_Send(&size, 1, MPI_INT, 1, 1, MPI_COMM_WORLD); /* HERE 1 */
    if (rank == 1 && VARIANT == 3)
        MPI_Recv(&extra, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return size + extra;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("%d\n", begin(rank));
    MPI_Finalize();
    return 0;
}
