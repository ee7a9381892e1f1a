/* kind: p2p-wildcard 3.5
 * set: held-out
 * ranks: 3
 * 0 none ends ends: two receives of anybody, two senders
 * 1 error hangs|ends hangs|ends suggests: a receive of anybody may take the message that the next receive names
 * 2 none ends ends: a receive of anybody, with a tag that one sender alone uses
 * 3 none ends ends: MPI_Mprobe and MPI_Mrecv take what was seen
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static int collect(void)
{
    int first = 0, second = 0;
#if VARIANT == 3
    MPI_Message message;
    MPI_Status status;
    MPI_Mprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(&first, 1, MPI_INT, &message, &status);
    MPI_Recv(&second, 1, MPI_INT, 3 - status.MPI_SOURCE, 0, MPI_COMM_WORLD, &status);
#else
    MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, VARIANT == 2 ? 2 : 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  /* HERE */
    MPI_Recv(&second, 1, MPI_INT, VARIANT == 0 ? MPI_ANY_SOURCE : 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE */
#endif
    return first * 10 + second;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        printf("%d\n", collect());
    } else {
        usleep(rank == 2 ? 200000 : 0);
        MPI_Send(&rank, 1, MPI_INT, 0, VARIANT == 2 && rank == 2 ? 2 : 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
