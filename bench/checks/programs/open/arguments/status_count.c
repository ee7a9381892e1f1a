/* kind: argument-status 3.2.5
 * set: open
 * ranks: 2
 * 0 none ends ends: the count is asked in the type that was received; the status of a null process is empty
 * 1 error ends ends proves: the count is asked in another type, which does not fit
 * 2 warning ends ends proves: the status is of a call that received nothing (a test that has not found anything)
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int receive(int from)
{
    MPI_Status status;
    double values[8];
    int count = 0, done = 0;
    MPI_Request request;
    memset(&status, 0, sizeof status);
    MPI_Irecv(values, 8, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, &request);
    MPI_Test(&request, &done, &status);
    if (VARIANT == 2)
        MPI_Get_count(&status, MPI_DOUBLE, &count); /* HERE 2 */
    if (!done) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, &status);
    }
    if (VARIANT != 2)
        MPI_Get_count(&status, VARIANT == 1 ? MPI_LONG_DOUBLE : MPI_DOUBLE, &count); /* HERE 1 */
    MPI_Recv(values, 8, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    return count;
}

int main(int argc, char **argv)
{
    double values[5] = {0};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(values, 5, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    } else {
        printf("%d\n", receive(0));
    }
    MPI_Finalize();
    return 0;
}
