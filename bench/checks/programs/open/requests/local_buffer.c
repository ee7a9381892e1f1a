/* kind: request-data 3.7.2
 * set: open
 * ranks: 2
 * 0 none ends ends: the buffer of a nonblocking send lives until the wait
 * 1 error ends|crashes ends|crashes nothing: it is a variable of a function that has returned
 * 2 error ends|crashes ends|crashes nothing: it is freed before the wait (malloc and free are not recorded)
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define N 50000

static MPI_Request post(double value)
{
    MPI_Request request;
#if VARIANT == 1
    double room[N], *data = room;
#else
    static double *data;
    data = VARIANT == 2 ? malloc(N * sizeof *data) : realloc(data, N * sizeof *data);
#endif
    for (int i = 0; i < N; i++)
        data[i] = value;
    MPI_Isend(data, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request); /* HERE 1 */
#if VARIANT == 2
    free(data); /* HERE 2 */
#endif
    return request;
}

int main(int argc, char **argv)
{
    static double got[N];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++) {
        if (rank == 0) {
            MPI_Request request = post(i);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(got, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    printf("%g\n", got[0]);
    MPI_Finalize();
    return 0;
}
