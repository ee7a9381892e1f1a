/* kind: request-active 3.9
 * set: open
 * ranks: 2
 * 0 none ends ends: persistent requests, started and completed in each step
 * 1 error fails|ends|hangs|crashes fails proves: started again before they have completed
 * 2 none ends ends: MPI_Startall, MPI_Waitall, and a wait for inactive requests
 */
#include <mpi.h>
#include <stdio.h>

static double halo[2], ghost[2];

static void step(MPI_Request *requests)
{
#if VARIANT == 2
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#else
    MPI_Start(&requests[0]); /* HERE */
    MPI_Start(&requests[1]); /* HERE */
    if (VARIANT == 0)
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#endif
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Recv_init(ghost, 2, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(halo, 2, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 4; i++)
        step(requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    printf("%g\n", ghost[0]);
    MPI_Finalize();
    return 0;
}
