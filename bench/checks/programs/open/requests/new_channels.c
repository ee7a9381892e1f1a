/* kind: request-leaked 3.9
 * set: open
 * ranks: 3
 * 0 none ends ends: each level of a multigrid makes its persistent requests and frees them
 * 1 warning ends ends proves: the variable gets new persistent requests at each level, the old are lost
 */
#include <mpi.h>
#include <stdio.h>

static double send[64], receive[64];

static void smooth(int level, int left, int right)
{
    static MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int count = 64 >> level;
    MPI_Recv_init(receive, count, MPI_DOUBLE, left, level, MPI_COMM_WORLD, &requests[0]); /* HERE */
    MPI_Send_init(send, count, MPI_DOUBLE, right, level, MPI_COMM_WORLD, &requests[1]);   /* HERE */
    for (int sweep = 0; sweep < 2; sweep++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 2; i++)
        if (VARIANT == 0)
            MPI_Request_free(&requests[i]);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int level = 0; level < 4; level++)
        smooth(level, (rank + size - 1) % size, (rank + 1) % size);
    printf("%d\n", rank);
    MPI_Finalize();
    return 0;
}
