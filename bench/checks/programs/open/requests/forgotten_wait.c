/* kind: request-not-completed 3.7.3
 * set: open
 * ranks: 3
 * 0 none ends ends: each request is waited for
 * 1 error ends ends proves: the send's request is never completed
 * 2 none ends ends: each request is tested until it has completed
 * 3 error ends ends proves: the request is tested once, whatever comes of it
 */
#include <mpi.h>
#include <stdio.h>

static int pass_on(int value, int rank, int size)
{
    int got = 0, late = 0, done = 0;
    MPI_Request request;
    MPI_Isend(&value, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &request); /* HERE 1 */
    MPI_Recv(&got, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (VARIANT >= 2 && !done)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (VARIANT == 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#if VARIANT == 3
    MPI_Irecv(&late, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &request); /* HERE 3 */
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
#endif
    return got + late;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("%d\n", pass_on(rank, rank, size));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
