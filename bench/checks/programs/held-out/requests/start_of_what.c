/* kind: request-active 3.9
 * set: held-out
 * ranks: 2
 * 0 none ends ends: a persistent receive restarted after each test that has found it complete
 * 1 error fails fails proves: MPI_Start of an active request that MPI_Irecv made
 * 2 error fails|crashes fails|crashes proves: MPI_Start of a null request
 */
#include <mpi.h>
#include <stdio.h>

static int listen(int steps)
{
    int value = 0, sum = 0, done = 0;
    MPI_Request request = MPI_REQUEST_NULL;
#if VARIANT == 0
    MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
#elif VARIANT == 1
    MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
#endif
    for (int i = 0; i < steps; i++) {
        MPI_Start(&request); /* HERE */
        for (done = 0; !done;)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        sum += value;
    }
    if (request != MPI_REQUEST_NULL)
        MPI_Request_free(&request);
    return sum;
}

int main(int argc, char **argv)
{
    int rank, steps = 3;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        printf("%d\n", listen(steps));
    for (int i = 0; rank == 0 && i < steps; i++)
        MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
