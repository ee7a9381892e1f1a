/* kind: request-freed 5.12
 * set: open
 * ranks: 2
 * 0 none ends ends: a nonblocking broadcast, waited for
 * 1 error fails|ends|crashes fails proves: the request of a nonblocking broadcast is freed
 */
#include <mpi.h>
#include <stdio.h>

static void spread(double *table, int count)
{
    MPI_Request request;
    MPI_Ibcast(table, count, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
#if VARIANT == 1
    MPI_Request_free(&request); /* HERE */
#else
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    double table[10] = {0};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    table[9] = rank == 0 ? 9 : 0;
    spread(table, 10);
    printf("%g\n", table[9]);
    MPI_Finalize();
    return 0;
}
